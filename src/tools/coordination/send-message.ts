/** send_message: say something in a channel. */
import * as z from 'zod'
import { broadcast } from '../../coordination/messages.ts'
import { defineTool } from '../define-tool.ts'
import type { CoordinationContext } from './context.ts'
import {
  adds,
  agentId,
  channelOf,
  idempotencyKey,
  optionalName,
  requiredLongText,
  requiredName,
} from './fields.ts'

export default defineTool({
  name: 'send_message',
  description: 'Send a message to the other agents.',
  annotations: adds,
  isFirst: true,
  input: z.object({
    agent_id: agentId,
    channel: optionalName('channel').describe('Default: broadcast; or @name'),
    subject: requiredName('subject'),
    body: requiredLongText('body'),
    idempotency_key: idempotencyKey,
  }),
  output: z.object({
    message_id: z.int(),
    note: z.string().optional(),
    warning: z.string().optional(),
  }),
  run: ({ project, book }: CoordinationContext, { channel, ...input }) =>
    book.post(project, { channel: channelOf(channel) ?? broadcast, ...input }),
})
