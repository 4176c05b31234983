/** register: become an agent of the project. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import type { CoordinationContext } from './context.ts'
import { adds, optionalName, requiredLine } from './fields.ts'

export default defineTool({
  name: 'register',
  description: 'Register first: the other tools want the agent_id.',
  annotations: adds,
  isFirst: true,
  input: z.object({
    name: requiredLine('name').describe('e.g. coder-1'),
    role: requiredLine('role').describe('e.g. coder'),
    agent_id: optionalName('agent_id').describe('Earlier id, to resume'),
  }),
  output: z.object({
    agent_id: z.string(),
    agents: z.array(z.object({ name: z.string(), role: z.string() })),
    unread: z.int().optional(),
    note: z.string().optional(),
  }),
  run: async ({ project, book, session }: CoordinationContext, input) => {
    book.checkMayRegister(input)
    return project.sessions.register(session, input)
  },
})
