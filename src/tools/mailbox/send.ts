/** send: put a message into another agent's mailbox. */
import * as z from 'zod'
import { sendTo } from '../../addresses/send.ts'
import { defineTool } from '../define-tool.ts'
import type { MailboxContext } from './context.ts'

export default defineTool({
  name: 'send',
  description: 'Send a message to another agent of this repository.',
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  isFirst: true,
  input: z.object({
    recipient: z
      .string(
        'recipient not found\nGive the name of a recipient; list-recipients tells who can be reached.',
      )
      .describe('Name from list-recipients'),
    message: z.string('no message provided\nGive the text to send.').describe('Text, at most 64KB'),
  }),
  output: z.object({
    message_id: z.string(),
    warning: z.string().optional().describe('What to know of the recipient'),
  }),
  run: async (letterbox: MailboxContext, { recipient, message }) => {
    const { namesake, ...sent } = await sendTo(letterbox, recipient, message)
    const told = [sent.warning, await namesake?.()].filter((one) => one !== undefined)
    return { ...sent, ...(told.length > 0 && { warning: told.join('\n') }) }
  },
})
