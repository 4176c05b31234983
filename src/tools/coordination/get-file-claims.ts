/** get_file_claims: who holds what. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import { limitUpTo } from '../fields.ts'
import type { CoordinationContext } from './context.ts'
import { afterPath, paths, reads } from './fields.ts'

export default defineTool({
  name: 'get_file_claims',
  description: 'See who holds which files.',
  annotations: reads,
  input: z.object({
    files: paths.optional().describe('Default: all'),
    limit: limitUpTo(500).default(500),
    after: afterPath,
  }),
  output: z.object({
    claims: z.array(
      z.object({
        file_path: z.string(),
        agent_id: z.string(),
        claimed_at: z.string(),
        holder_name: z.string(),
      }),
    ),
    has_more: z.boolean(),
  }),
  run: ({ project }: CoordinationContext, input) => project.claims.get(input),
})
