/** send_email: a mail with a text of your own. */
import * as z from 'zod'
import { AgentMailError } from '../../errors.ts'
import { defineTool } from '../define-tool.ts'
import type { PostmarkContext } from './context.ts'
import { head, mustHave, optional, requestOf, sends, tail, trackingOf } from './fields.ts'
import { answerOf, inWords, output, told } from './wording.ts'

export default defineTool(
  {
    name: 'send_email',
    description: 'Send an email through Postmark',
    annotations: sends,
    input: z.object({
      ...head,
      subject: mustHave('subject').describe('Email subject'),
      textBody: optional('textBody').describe('Plain text email body'),
      htmlBody: optional('htmlBody').describe('HTML email body'),
      ...tail,
    }),
    output,
    told,
    async run({ outgoing }: PostmarkContext, input) {
      const { to, subject, textBody: text, htmlBody: html } = input
      if (text === undefined && html === undefined) {
        throw new AgentMailError('invalid_request', 'textBody or htmlBody is required')
      }
      const request = {
        ...requestOf(input),
        subject,
        text,
        html,
        postmark: trackingOf(input),
      }
      return answerOf(to, await outgoing.send(request))
    },
  },
  inWords,
)
