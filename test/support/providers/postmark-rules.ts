/** What Postmark refuses, in its own words and numbers. */
import { isRecord } from '../../../src/system/text.ts'

export interface Refusal {
  ErrorCode: number
  Message: string
}

const refusal = (ErrorCode: number, Message: string): Refusal => ({ ErrorCode, Message })

export const noToken = refusal(
  10,
  'No Account or Server API tokens were supplied in the HTTP headers. Please add a header for either X-Postmark-Server-Token or X-Postmark-Account-Token.',
)
export const wrongToken = refusal(10, 'Request does not contain a valid Server token.')
export const noJson = refusal(402, 'Received invalid JSON input.')
export const notFound = refusal(0, 'The requested resource does not exist.')

export const templates = { ids: [1234567], aliases: ['welcome'] }
const streams = ['outbound', 'broadcast', 'alerts']
const forbidden = /\.(?:vbs|exe|bin|bat|chm|com|cpl|crt|hta|inf|jse|lnk|pif|reg|scr|vbe|wsf|msi)$/i
const known =
  'From To Cc Bcc Subject Tag HtmlBody TextBody ReplyTo Metadata Headers TrackOpens TrackLinks Attachments MessageStream TemplateId TemplateAlias TemplateModel InlineCss'.split(
    ' ',
  )

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** @example addressesIn('Jane <jane@example.com>, b@example.com') // ['jane@example.com', 'b@example.com'] */
export const addressesIn = (value: unknown): string[] =>
  textOf(value)
    .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((one) => (/<([^>]*)>\s*$/.exec(one)?.[1] ?? one).trim())
    .filter((one) => one !== '')

export const recipientsOf = (body: Record<string, unknown>): string[] =>
  [body.To, body.Cc, body.Bcc].flatMap(addressesIn)

const isAddress = (address: string) => /^[^\s@<>,]+@[^\s@<>,]+\.[^\s@<>,]+$/.test(address)

export function refusalOf(body: Record<string, unknown>, isTemplate: boolean): Refusal | undefined {
  const odd = Object.keys(body).find((key) => !known.includes(key))
  if (odd) return refusal(402, `Unknown field '${odd}'.`)
  return (
    addressFault(body) ??
    (isTemplate ? templateFault(body) : bodyFault(body)) ??
    optionFault(body) ??
    attachmentFault(body)
  )
}

function addressFault(body: Record<string, unknown>): Refusal | undefined {
  const [from = '', ...more] = addressesIn(body.From)
  if (!isAddress(from) || more.length > 0) {
    return refusal(300, `Invalid 'From' address: '${textOf(body.From)}'.`)
  }
  const recipients = recipientsOf(body)
  if (addressesIn(body.To).length === 0) return refusal(300, 'Zero recipients specified')
  const wrong = recipients.find((address) => !isAddress(address))
  if (wrong) return refusal(300, `Invalid 'To' address: '${wrong}'.`)
  if (recipients.length > 50) return refusal(300, 'Too many recipients: at most 50 are allowed.')
  if (/@unconfirmed\./.test(from)) {
    return refusal(400, `The 'From' address you supplied (${from}) is not a Sender Signature.`)
  }
  const inactive = recipients.filter((address) => address.startsWith('inactive@'))
  if (inactive.length === 0) return undefined
  return refusal(
    406,
    `You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: ${inactive.join(', ')}. Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.`,
  )
}

function bodyFault({ TextBody, HtmlBody }: Record<string, unknown>): Refusal | undefined {
  if (textOf(TextBody) !== '' || textOf(HtmlBody) !== '') return undefined
  return refusal(300, 'Provide either email TextBody or HtmlBody or both.')
}

function templateFault(body: Record<string, unknown>): Refusal | undefined {
  if (!isRecord(body.TemplateModel)) return refusal(1109, "The 'TemplateModel' must be an object.")
  const isThere =
    templates.ids.some((id) => id === body.TemplateId) ||
    templates.aliases.some((alias) => alias === body.TemplateAlias)
  if (isThere) return undefined
  const field = body.TemplateAlias === undefined ? 'TemplateId' : 'TemplateAlias'
  return refusal(1101, `The '${field}' associated with this request is not valid or was not found.`)
}

function optionFault(body: Record<string, unknown>): Refusal | undefined {
  const { TrackOpens = false, TrackLinks = 'None', MessageStream = 'outbound' } = body
  if (typeof TrackOpens !== 'boolean') return refusal(402, "Invalid 'TrackOpens'.")
  if (!['None', 'HtmlAndText', 'HtmlOnly', 'TextOnly'].includes(textOf(TrackLinks))) {
    return refusal(300, "Invalid 'TrackLinks' value.")
  }
  const metadata = isRecord(body.Metadata) ? body.Metadata : {}
  if (Object.entries(metadata).some(([key, v]) => key.length > 20 || textOf(v).length > 80)) {
    return refusal(300, 'Invalid metadata.')
  }
  if (streams.includes(textOf(MessageStream))) return undefined
  return refusal(1235, `The stream provided: '${MessageStream}' does not exist on this server.`)
}

function attachmentFault({ Attachments = [] }: Record<string, unknown>): Refusal | undefined {
  const entries: unknown[] = Array.isArray(Attachments) ? Attachments : [Attachments]
  for (const entry of entries) {
    const { Name, Content, ContentType } = isRecord(entry) ? entry : {}
    if (!textOf(Name) || !textOf(Content) || !textOf(ContentType)) {
      return refusal(300, 'An attachment needs a Name, a Content and a ContentType.')
    }
    if (forbidden.test(textOf(Name))) return refusal(411, `Attachment '${Name}' is not allowed.`)
  }
  return undefined
}
