/** announce_change: tell the others what changed in a file. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import type { CoordinationContext } from './context.ts'
import { adds, agentId, idempotencyKey, requiredLongText, requiredPath } from './fields.ts'

export default defineTool({
  name: 'announce_change',
  description: 'Announce a change you made to a file, so that others can adapt.',
  annotations: adds,
  input: z.object({
    agent_id: agentId,
    file_path: requiredPath('file_path'),
    summary: requiredLongText('summary'),
    idempotency_key: idempotencyKey,
  }),
  output: z.object({ change_id: z.int() }),
  run: ({ project }: CoordinationContext, input) => project.changes.announce(input),
})
