/** receive: take the oldest unread message out of one's own mailbox. */
import * as z from 'zod'
import { receive } from '../../mailbox/member.ts'
import { defineTool } from '../define-tool.ts'
import type { MailboxContext } from './context.ts'

export default defineTool({
  name: 'receive',
  description:
    'Read your oldest unread message and mark it as read. Call again until the status says "No unread messages".',
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  isFirst: true,
  input: z.object({}),
  output: z.object({
    from: z.string().optional(),
    id: z.string().optional(),
    message: z.string().optional(),
    status: z.string().optional().describe('"No unread messages" when there is none'),
  }),
  run: async ({ member }: MailboxContext) => {
    const received = await receive(member)
    if (!('message' in received)) return received
    const { from, id, message } = received
    return { from, id, message }
  },
})
