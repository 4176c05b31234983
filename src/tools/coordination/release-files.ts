/** release_files: give up claims. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import type { CoordinationContext } from './context.ts'
import { agentId, paths, repeatable } from './fields.ts'

export default defineTool({
  name: 'release_files',
  description: 'Release files that you are done with.',
  annotations: repeatable,
  input: z.object({ agent_id: agentId, files: paths }),
  output: z.object({ released: z.array(z.string()) }),
  run: ({ project }: CoordinationContext, input) => project.claims.release(input),
})
