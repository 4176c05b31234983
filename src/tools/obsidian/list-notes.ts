/** list_notes: the notes below a folder. */
import * as z from 'zod'
import { listNotes } from '../../vault/list.ts'
import { defineTool, inJson } from '../define-tool.ts'
import { limitUpTo, requiredText } from '../fields.ts'
import type { ObsidianContext } from './context.ts'

export default defineTool(
  {
    name: 'list_notes',
    description:
      'List the notes in a folder and all folders below it, ordered by path. There are more if next_cursor is there.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: z.object({
      directory: requiredText(
        'directory',
        'Give the path of a folder in the vault, "" for all of it.',
      ).describe('Relative to the vault; "" is all of it'),
      filter: z
        .string('filter must be text, such as status:pending')
        .optional()
        .describe('Front matter field:value, such as status:pending'),
      limit: limitUpTo(100_000).optional(),
      cursor: z.string('cursor must be text').optional().describe('next_cursor of the page before'),
    }),
    output: z.object({
      notes: z.array(z.object({ path: z.string() })),
      next_cursor: z.string().optional(),
    }),
    paths: ['directory'],
    run: ({ vault, search }: ObsidianContext, input) => listNotes(vault, input, search),
  },
  inJson,
)
