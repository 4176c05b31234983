/** claim_files: say which files you are about to change. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import type { CoordinationContext } from './context.ts'
import { agentId, paths, repeatable } from './fields.ts'

export default defineTool({
  name: 'claim_files',
  description:
    'Claim files, or folders as src/, before you change them. Leave alone what is in conflicts.',
  annotations: repeatable,
  input: z.object({ agent_id: agentId, files: paths }),
  output: z.object({
    claimed: z.array(z.string()),
    conflicts: z.array(
      z.object({
        file: z.string(),
        held_by: z.string(),
        holder_name: z.string(),
        claimed_at: z.string(),
      }),
    ),
  }),
  run: ({ project }: CoordinationContext, input) => project.claims.claim(input),
})
