/** get_changes: which changes were announced. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import type { CoordinationContext } from './context.ts'
import { afterId, limit, optionalName, reads, since } from './fields.ts'

export default defineTool({
  name: 'get_changes',
  description: 'Read changes, oldest first: after since or after_id, else the newest.',
  annotations: reads,
  input: z.object({
    since,
    agent_id: optionalName('agent_id').describe('Only by this agent'),
    after_id: afterId,
    limit,
  }),
  output: z.object({
    changes: z.array(
      z.object({
        id: z.int(),
        agent_id: z.string(),
        file_path: z.string(),
        summary: z.string(),
        announced_at: z.string(),
      }),
    ),
    has_more: z.boolean(),
  }),
  run: ({ project }: CoordinationContext, input) => project.changes.get(input),
})
