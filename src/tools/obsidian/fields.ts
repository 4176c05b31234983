/** The arguments and replies that the obsidian tools share, with the words for each fault. */
import * as z from 'zod'
import { anyObject, requiredText } from '../fields.ts'

export const path = (name: string, about?: string) => {
  const next = 'Give the path of a note in the vault, such as Inbox/note.md.'
  const schema = requiredText(name, next).min(1, `${name} is required\n${next}`)
  return about === undefined ? schema : schema.describe(about)
}

export const frontmatter = anyObject(
  'frontmatter',
  '\nGive keys with their values; {} for none.',
).meta({ type: 'object', description: 'The whole block: a key left out is removed' })

export const ifMatch = z
  .string('if_match must be text')
  .optional()
  .describe('etag you read: refused if the note has changed since')

export const note = z.object({
  path: z.string(),
  frontmatter: z.record(z.string(), z.unknown()),
  body: z.string(),
  etag: z.string(),
})
