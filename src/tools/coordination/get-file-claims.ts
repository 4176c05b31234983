/** get_file_claims: who holds what. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import type { CoordinationContext } from './context.ts'
import { paths, reads } from './fields.ts'

export default defineTool({
  name: 'get_file_claims',
  description: 'See who has claimed which files.',
  annotations: reads,
  input: z.object({ files: paths.optional().describe('Default: all') }),
  output: z.object({
    claims: z.array(
      z.object({
        file_path: z.string(),
        agent_id: z.string(),
        claimed_at: z.string(),
        holder_name: z.string(),
      }),
    ),
  }),
  run: ({ project }: CoordinationContext, input) => project.claims.get(input),
})
