/** heartbeat: a sign of life. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import type { CoordinationContext } from './context.ts'
import { agentId, repeatable } from './fields.ts'

export default defineTool({
  name: 'heartbeat',
  description: 'Show that you live, as every call does: 2 silent minutes end your claims.',
  annotations: repeatable,
  input: z.object({ agent_id: agentId }),
  output: z.object({ ok: z.boolean(), unread: z.int().optional() }),
  run: ({ project, isKept }: CoordinationContext, input) =>
    project.agents.heartbeat({ ...input, isKept }),
})
