/** The arguments and replies that the obsidian tools share, with the words for each fault. */
import * as z from 'zod'
import { isRecord } from '../../system/text.ts'
import { requiredText } from '../required-text.ts'

export const path = (name: string, about?: string) => {
  const next = 'Give the path of a note in the vault, such as Inbox/note.md.'
  const schema = requiredText(name, next).min(1, `${name} is required\n${next}`)
  return about === undefined ? schema : schema.describe(about)
}

/** Not a record of the library's: that would lose a key named `__proto__`. */
export const frontmatter = z
  .unknown()
  .refine(isRecord, {
    error: ({ input }) =>
      `frontmatter ${input === undefined ? 'is required' : 'must be an object'}\nGive keys with their values; {} for none.`,
  })
  .transform((value) => (isRecord(value) ? value : {}))
  .meta({ type: 'object', description: 'The whole block: a key left out is removed' })

export const ifMatch = z
  .string('if_match must be text')
  .optional()
  .describe('etag you read: refused if the note has changed since')

export const limit = (most: number) => {
  const words = `limit must be a whole number from 1 to ${most}`
  return z.int(words).min(1, words).max(most, words)
}

export const note = z.object({
  path: z.string(),
  frontmatter: z.record(z.string(), z.unknown()),
  body: z.string(),
  etag: z.string(),
})
