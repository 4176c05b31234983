/** add_label: add a label to a mail. */
import * as z from 'zod'
import { defineTool, inJson } from '../define-tool.ts'
import type { GmailContext } from './context.ts'
import { labelling, labelName, messageId } from './fields.ts'

export default defineTool(
  {
    name: 'add_label',
    description: 'Add a label to a mail; it is made if it is not there.',
    annotations: labelling,
    input: z.object({ message_id: messageId, label_name: labelName('label_name') }),
    output: z.object({ labeled: z.literal(true), labels: z.array(z.string()) }),
    run: async ({ inbox }: GmailContext, { message_id, label_name }) => ({
      labeled: true as const,
      labels: await inbox.label(message_id, label_name),
    }),
  },
  inJson,
)
