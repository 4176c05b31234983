/** send_email: send a mail, or a reply in its thread. */
import * as z from 'zod'
import { bodyOf } from '../../email/outgoing/mail-request.ts'
import { defineTool, inJson } from '../define-tool.ts'
import { requiredText } from '../fields.ts'
import type { GmailContext } from './context.ts'
import { filled } from './fields.ts'

export default defineTool(
  {
    name: 'send_email',
    description:
      'Send a mail, or a reply in the thread of another. Where a person has to approve, it becomes a draft and the answer says where. Never repeat a call whose outcome is not known, unless with the same idempotency_key.',
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    input: z.object({
      to: filled('to', 'Give an address, or several with commas between.').describe(
        'One address or several, comma-separated',
      ),
      subject: requiredText('subject', 'Give the subject, "" for none.'),
      body: filled('body', 'Give the text of the mail.').describe('Plain text or HTML'),
      reply_to_message_id: z
        .string('reply_to_message_id must be text')
        .optional()
        .describe('Id of the mail that this answers; its subject is kept'),
      idempotency_key: z
        .string('idempotency_key must be text')
        .max(500, 'idempotency_key must be at most 500 characters')
        .optional()
        .describe('The same key sends once, however often it is called'),
    }),
    output: z.object({
      message_id: z.string().optional(),
      thread_id: z.string().optional(),
      sent_at: z.string().optional(),
      status: z.literal('pending_approval').optional(),
      draft: z.string().optional().describe('Note in the vault that waits for approval'),
    }),
    run: async ({ outgoing }: GmailContext, { body, ...mail }) => {
      const result = await outgoing.send({ ...mail, ...bodyOf(body) })
      if (result.status === 'pending_approval') return result
      const { message_id, thread_id, sent_at } = result.receipt
      return { message_id, thread_id: thread_id ?? message_id, sent_at }
    },
  },
  inJson,
)
