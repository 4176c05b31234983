/** Arguments that tools of several toolsets take, with the words for each fault. */
import * as z from 'zod'
import { isRecord } from '../system/text.ts'

/** @example requiredText('body', 'Give the text of the note, "" for none.') */
export const requiredText = (name: string, next: string) =>
  z.string({
    error: ({ input }) =>
      `${name} ${input === undefined ? 'is required' : 'must be text'}\n${next}`,
  })

/** Not a record of the library's: that would lose a key named `__proto__`. */
export const anyObject = (name: string, next = '') =>
  z
    .unknown()
    .refine(isRecord, {
      error: ({ input }) =>
        `${name} ${input === undefined ? 'is required' : 'must be an object'}${next}`,
    })
    .transform((value) => (isRecord(value) ? value : {}))

/** A whole number of entries. */
export const limitUpTo = (most: number, name = 'limit') => {
  const words = `${name} must be a whole number from 1 to ${most}`
  return z.int(words).min(1, words).max(most, words)
}
