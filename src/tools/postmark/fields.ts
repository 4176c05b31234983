/** The arguments and replies that the postmark tools share, with the words for each fault. */
import * as z from 'zod'
import type { AttachmentRequest, MailRequest } from '../../email/outgoing/mail-request.ts'
import { isRecord } from '../../system/text.ts'
import { anyObject } from '../fields.ts'

/** Text that must be there: missing, empty and blank are one fault. */
export const mustHave = (name: string) =>
  z
    .string({
      error: ({ input }) =>
        input === undefined || input === null ? `${name} is required` : `${name} must be text`,
    })
    .refine((value) => value.trim() !== '', `${name} is required`)

export const optional = (name: string) => z.string(`${name} must be text`).optional()

const linkTracking = ['None', 'HtmlAndText', 'HtmlOnly', 'TextOnly'] as const

const metadata = anyObject('metadata')
  .transform((given, { addIssue }) => {
    const entries = Object.entries(given)
    const fault = entries.find(([, value]) => typeof value !== 'string')
    if (fault) addIssue(`metadata.${fault[0]} must be text`)
    return entries.length > 0 ? textsOf(entries) : undefined
  })
  .meta({ type: 'object', additionalProperties: { type: 'string' } })

const attachments = z
  .array(z.unknown(), 'attachments must be a list')
  .transform((entries, { addIssue }) =>
    entries.flatMap((entry, index) => {
      const read = attachmentOf(entry)
      if (typeof read !== 'string') return [read]
      addIssue(`attachments[${index}] ${read}\nGive name, content and contentType, or path.`)
      return []
    }),
  )
  .meta({
    items: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        content: { type: 'string', description: 'Base64' },
        contentType: { type: 'string' },
        path: { type: 'string', description: 'File of the vault, instead of content' },
      },
    },
  })

/** What was given, or what is wrong with it. What is empty counts as absent. */
function attachmentOf(entry: unknown): AttachmentRequest | string {
  if (!isRecord(entry)) return 'must be an object'
  const given = Object.entries(entry).filter(([, value]) => value !== '' && value !== null)
  const unknown = given.find(([key]) => !['name', 'content', 'contentType', 'path'].includes(key))
  if (unknown) return `has an unknown field: ${unknown[0]}`
  const noText = given.find(([, value]) => typeof value !== 'string')
  if (noText) return `must have a ${noText[0]} that is text`
  const { name, content, contentType, path } = textsOf(given)
  if (path !== undefined && content !== undefined) return 'has both a content and a path'
  if (path !== undefined) return { path, name, contentType }
  if (content === undefined) return 'has neither a content nor a path'
  if (name === undefined) return 'has no name'
  if (contentType === undefined) return 'has no contentType'
  return { name, content, contentType }
}

const textsOf = (entries: [string, unknown][]): Record<string, string> =>
  Object.fromEntries(entries.map(([key, value]) => [key, String(value)]))

/** What comes first in both tools. */
export const head = {
  from: mustHave('from').describe('Sender email address'),
  to: mustHave('to').describe('Recipient email address'),
}

/** What comes last in both tools. */
export const tail = {
  trackOpens: z
    .boolean('trackOpens must be true or false')
    .default(false)
    .describe('Whether to track email opens'),
  cc: optional('cc'),
  bcc: optional('bcc'),
  replyTo: optional('replyTo'),
  trackLinks: z
    .enum(linkTracking, `trackLinks must be one of ${linkTracking.join(', ')}`)
    .optional(),
  tag: optional('tag'),
  metadata: metadata.optional(),
  messageStream: optional('messageStream'),
  attachments: attachments.optional(),
}

type Shared = z.infer<z.ZodObject<typeof head & typeof tail>>

/** The part of a request that both tools fill in the same way. */
export const requestOf = (input: Shared) =>
  ({
    from: input.from,
    to: input.to,
    cc: input.cc,
    bcc: input.bcc,
    reply_to: input.replyTo,
    attachments: input.attachments,
  }) satisfies Partial<MailRequest>

export const trackingOf = (input: Shared): MailRequest['postmark'] => ({
  track_opens: input.trackOpens,
  ...(input.trackLinks && { track_links: input.trackLinks }),
  ...(input.tag && { tag: input.tag }),
  ...(input.metadata && { metadata: input.metadata }),
  ...(input.messageStream && { message_stream: input.messageStream }),
})

/** What was sent cannot be taken back: a client should ask before. */
export const sends = { readOnlyHint: false, destructiveHint: true, openWorldHint: true } as const
