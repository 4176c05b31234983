/** move_email: take a mail out of the inbox, to a label. */
import * as z from 'zod'
import { defineTool, inJson } from '../define-tool.ts'
import type { GmailContext } from './context.ts'
import { labelling, labelName, messageId } from './fields.ts'

export default defineTool(
  {
    name: 'move_email',
    description:
      'Take a mail out of the inbox and put it under a label, which is made if it is not there. INBOX puts it back.',
    annotations: labelling,
    input: z.object({ message_id: messageId, destination_label: labelName('destination_label') }),
    output: z.object({ moved: z.literal(true), labels: z.array(z.string()) }),
    run: async ({ inbox }: GmailContext, { message_id, destination_label }) => ({
      moved: true as const,
      labels: await inbox.move(message_id, destination_label),
    }),
  },
  inJson,
)
