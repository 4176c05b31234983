/** The arguments and replies that the obsidian tools share, with the words for each fault. */
import * as z from 'zod'
import { isRecord } from '../../json.ts'

export const path = (name: string, about?: string) => {
  const words = `${name} is required\nGive the path of a note in the vault, such as Inbox/note.md.`
  const schema = z.string(words).min(1, words)
  return about === undefined ? schema : schema.describe(about)
}

/** Not a record of the library's: that would lose a key named `__proto__`. */
export const frontmatter = z
  .unknown()
  .refine(isRecord, 'frontmatter is required\nGive an object; {} for none.')
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
