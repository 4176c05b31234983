/** send_template_email: a mail that a template of Postmark's makes. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import { anyObject } from '../fields.ts'
import type { PostmarkContext } from './context.ts'
import { head, requestOf, sends, tail, trackingOf } from './fields.ts'
import { answerOf, inWords, output, told } from './wording.ts'

/** The digits of a number are an id, anything else is an alias. */
const templateId = z
  .unknown()
  .transform((given, { addIssue }) => {
    const text = typeof given === 'number' ? String(given) : given
    if (typeof text === 'string' && /^\s*\d{1,15}\s*$/.test(text)) return { id: Number(text) }
    if (typeof given === 'string' && /[^\d\s]/.test(given)) return { alias: given.trim() }
    const isMissing = given === undefined || given === null || given === ''
    addIssue(
      `templateId ${isMissing ? 'is required' : 'must be the id or the alias of a template'}`,
    )
    return z.NEVER
  })
  .meta({ type: 'string', description: 'Postmark template ID' })

export default defineTool(
  {
    name: 'send_template_email',
    description: 'Send an email using a Postmark template',
    annotations: sends,
    input: z.object({
      ...head,
      templateId,
      templateModel: anyObject('templateModel').meta({
        type: 'object',
        description: 'Template variables',
      }),
      ...tail,
    }),
    output,
    told,
    async run({ outgoing }: PostmarkContext, input) {
      const { to, templateId: template, templateModel: template_model } = input
      const postmark = { ...trackingOf(input), template, template_model }
      return answerOf(to, await outgoing.send({ ...requestOf(input), subject: '', postmark }))
    },
  },
  inWords,
)
