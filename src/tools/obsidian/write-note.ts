/** write_note: make a note, or write it anew. */
import * as z from 'zod'
import { writeNote } from '../../vault/notes.ts'
import { defineTool, inJson } from '../define-tool.ts'
import { requiredText } from '../fields.ts'
import { byTool, type ObsidianContext } from './context.ts'
import { frontmatter, ifMatch, note, path } from './fields.ts'

export default defineTool(
  {
    name: 'write_note',
    description:
      'Write a note, new or in place of what it was. Values you leave as read_note gave them keep their formatting.',
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
    input: z.object({
      path: path('path'),
      frontmatter,
      body: requiredText('body', 'Give the text of the note, "" for none.'),
      if_match: ifMatch,
    }),
    output: note,
    paths: ['path'],
    run: (context: ObsidianContext, input) => writeNote(context.vault, input, byTool(context)),
  },
  inJson,
)
