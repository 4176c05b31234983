/** How the postmark tools tell what became of a mail. */
import * as z from 'zod'
import type { Drafted, Sent } from '../../email/outgoing/outgoing.ts'
import type { AgentMailError } from '../../errors.ts'

/** A mail was sent, or waits for a person. */
export const output = z.object({
  status: z.enum(['sent', 'pending_approval']),
  messageId: z.string().optional(),
  to: z.string().optional(),
  submittedAt: z.string().optional(),
  draft: z.string().optional(),
  remark: z.string().optional(),
})
type Answer = z.infer<typeof output>

export const answerOf = (to: string, outcome: Sent | Drafted): Answer =>
  outcome.status === 'sent'
    ? {
        messageId: outcome.receipt.message_id,
        status: 'sent',
        to,
        submittedAt: outcome.receipt.sent_at,
        ...(outcome.receipt.remark && { remark: outcome.receipt.remark }),
      }
    : outcome

export const told = ({ status, to, messageId, draft, remark }: Answer): string =>
  status === 'sent'
    ? `Email sent successfully to ${to} with ID ${messageId}${remark ? `\n${remark}` : ''}`
    : `Email not sent yet: it waits for approval in ${draft}`

export function inWords(error: AgentMailError | undefined): string {
  if (!error) return 'Failed to send email: internal error\nThe server has logged the details.'
  const postmark_code = error.details?.postmark_code
  const code = typeof postmark_code === 'number' ? ` (Postmark error code: ${postmark_code})` : ''
  return [`Failed to send email: ${error.message}${code}`, error.next ?? []].flat().join('\n')
}
