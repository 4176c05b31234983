/** status: say whether one may be disturbed. */
import * as z from 'zod'
import { setStatus } from '../../mailbox/member.ts'
import { invalidStatus, statuses } from '../../mailbox/recipient.ts'
import { defineTool } from '../define-tool.ts'
import type { MailboxContext } from './context.ts'

export default defineTool({
  name: 'status',
  description: 'Say how you are: ready (nudge me when mail waits), work or offline (do not).',
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  input: z.object({
    status: z.enum(statuses, {
      error: ({ input }) =>
        invalidStatus(typeof input === 'string' ? input : (JSON.stringify(input) ?? '')),
    }),
  }),
  output: z.object({ status: z.string() }),
  run: ({ member }: MailboxContext, { status }) => setStatus(member, status),
})
