/** move_note: another name or folder for a note. */
import * as z from 'zod'
import { moveNote } from '../../vault/move.ts'
import { defineTool, inJson } from '../define-tool.ts'
import { byTool, type ObsidianContext } from './context.ts'
import { ifMatch, path } from './fields.ts'

export default defineTool(
  {
    name: 'move_note',
    description: 'Move or rename a note. Never over another note.',
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
    input: z.object({
      source: path('source'),
      destination: path('destination'),
      if_match: ifMatch,
      update_links: z
        .boolean('update_links must be true or false')
        .optional()
        .describe('Also mend the [[wikilinks]] to it'),
    }),
    output: z.object({
      moved: z.literal(true),
      not_updated: z.array(z.string()).optional().describe('Notes whose links could not be mended'),
    }),
    paths: ['source', 'destination'],
    run: (context: ObsidianContext, input) => moveNote(context.vault, input, byTool(context)),
  },
  inJson,
)
