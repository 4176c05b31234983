/** list-recipients: who can be written to. */
import * as z from 'zod'
import { reachable } from '../../addresses/send.ts'
import { defineTool } from '../define-tool.ts'
import type { MailboxContext } from './context.ts'

export default defineTool({
  name: 'list-recipients',
  description: 'List the agents you can write to; is_current marks yourself.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.object({}),
  output: z.object({
    recipients: z.array(z.object({ name: z.string(), is_current: z.boolean() })),
  }),
  run: (letterbox: MailboxContext) => reachable(letterbox),
})
