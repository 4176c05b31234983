/** An argument that must be there and be text, with words for what is to be given. */
import * as z from 'zod'

/** @example requiredText('body', 'Give the text of the note, "" for none.') */
export const requiredText = (name: string, next: string) =>
  z.string({
    error: ({ input }) =>
      `${name} ${input === undefined ? 'is required' : 'must be text'}\n${next}`,
  })
