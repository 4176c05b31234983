/** What the front matter of Rules.md may say: the one schema that rules are checked by, and that editors are given as JSON Schema. */
import * as z from 'zod'
import { cleanLine } from '../../email/visible-text/clean-text.ts'
import { decisionNames } from '../triage/decision.ts'
import { wrongDecision } from '../triage/parse-decision.ts'

/** Of a mail, what a rule can look into. */
export const mailParts = ['from', 'to', 'subject', 'body'] as const
export type MailPart = (typeof mailParts)[number]

export const needReply = ['draft_reply', 'urgent']

/** Case, composition and how lines are broken do not matter. */
export const comparable = (text: string): string =>
  cleanLine(text).normalize('NFC').toUpperCase().normalize('NFC')

function notWords(input: unknown): string {
  if (input === null) return 'is empty'
  if (Array.isArray(input)) return 'must be one text: write a rule for each'
  return 'must be a text (put it in quotes)'
}

const wanted = (part: MailPart, where: string) =>
  z
    .string({ error: ({ input }) => `"${part}" ${notWords(input)}` })
    .regex(/\S/, { error: `"${part}" is empty`, abort: true })
    .refine((text) => comparable(text) !== '', `"${part}" is empty`)
    .optional()
    .describe(`Words that must occur in ${where}. Case does not matter.`)

const told = (key: string, about: string) =>
  z.string(`${key} must be text`).nullish().describe(about)

const ruleSchema = z
  .strictObject({
    from: wanted('from', 'the sender, name and address'),
    to: wanted('to', 'the recipients'),
    subject: wanted('subject', 'the subject'),
    body: wanted('body', 'the text'),
    decision: z
      .enum(decisionNames, wrongDecision)
      .describe(
        'draft_reply and urgent write the reply as a draft that waits for you; archive files the mail; needs_info leaves it to you; delegate proposes an agent for it.',
      ),
    reason: told('reason', 'Why, in a sentence for yourself.'),
    reply: told('reply', 'The whole text of the reply, for draft_reply and urgent.'),
    delegate_to: told('delegate_to', 'The name of an agent or a mailbox, for delegate.'),
  })
  // What zod has no word for; read-rules.ts says the same in words.
  .meta({
    description: 'A rule fits a mail when everything that it names occurs in it.',
    anyOf: mailParts.map((part) => ({ required: [part] })),
    allOf: [
      {
        if: { properties: { decision: { enum: needReply } }, required: ['decision'] },
        // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON Schema
        then: { properties: { reply: { type: 'string', pattern: '\\S' } }, required: ['reply'] },
      },
    ],
  })

export const ruleKeys = Object.keys(ruleSchema.shape)

/** Keys that are not ours may stand beside: it is a person's note. */
export const rulesSchema = z.looseObject({
  rules: z
    .array(ruleSchema, '"rules" in its front matter must be a list')
    .nullable()
    .describe('The first rule that fits a mail decides. What no rule fits waits for you.'),
})

/** As a file beside Rules.md. */
export const rulesJsonSchema = (): string => {
  const title = 'The rules of AgentMail: the front matter of Rules.md'
  const schema = z.toJSONSchema(rulesSchema.meta({ title }), { target: 'draft-7', io: 'input' })
  return `${JSON.stringify(schema, null, 2)}\n`
}
