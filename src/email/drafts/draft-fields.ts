/** The values of a draft's front matter, as a person may have written them: each of its type, or an error that names it. */
import { AgentMailError } from '../../errors.ts'
import { providerNames } from '../../mail-settings.ts'
import type { PostmarkOptions, ProviderName } from '../../providers/provider.ts'
import { isRecord } from '../../system/text.ts'
import type { AttachmentRequest } from '../outgoing/mail-request.ts'

export type Fields = Readonly<Record<string, unknown>>

/** A key without a value, as editors leave it, counts as absent. */
export const has = (fields: Fields, name: string): boolean =>
  Object.hasOwn(fields, name) && fields[name] !== null && fields[name] !== ''

export function textOf(fields: Fields, name: string): string | undefined {
  if (!has(fields, name)) return undefined
  const value = fields[name]
  if (typeof value === 'string') return value
  throw wrong(name, 'must be text', 'Put it in quotes.')
}

const words = (text: string): string[] => text.split(' ')
const usual = words(
  'status priority provider from to cc bcc reply_to subject reply_to_message_id format html template attachments',
)
const ofPostmark = words('track_opens track_links tag metadata message_stream template_model')

/** A person would take such a field for heeded. */
export function checkSpelling(fields: Fields, known?: readonly string[]): void {
  const names = known ?? (fields.provider === 'postmark' ? [...usual, ...ofPostmark] : usual)
  for (const given of Object.keys(fields)) {
    const name = given.toLowerCase()
    if (name === given || !names.includes(name) || !has(fields, given)) continue
    throw new AgentMailError(
      'invalid_request',
      `write ${name} in lower case, not ${given}`,
      'Correct the draft, then try again.',
    )
  }
}

/** A text with commas between the addresses, or a list of texts. */
export function addressesOf(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  if (!Array.isArray(value)) return textOf(fields, name)
  const texts = value.filter((one) => typeof one === 'string')
  if (texts.length < value.length) throw wrong(name, 'must be text, or a list of texts')
  return texts.length > 0 ? texts.join(', ') : undefined
}

export function providerOf(fields: Fields): ProviderName | undefined {
  return choiceOf(fields, 'provider', providerNames)
}

export function choiceOf<Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = textOf(fields, name)
  const chosen = words.find((word) => word === text)
  if (text === undefined || chosen !== undefined) return chosen
  throw wrong(name, `must be one of ${words.join(', ')}, or not be there`)
}

export function attachmentsOf(fields: Fields): AttachmentRequest[] | undefined {
  if (!has(fields, 'attachments')) return undefined
  const { attachments } = fields
  if (!Array.isArray(attachments)) throw wrong('attachments', 'must be a list')
  const read = attachments.map((entry: unknown, index) => {
    const at = `attachments[${index}]`
    if (typeof entry === 'string' && entry !== '') return { path: entry }
    const path = isRecord(entry) ? textIn(at, entry, 'path') : undefined
    if (!isRecord(entry) || path === undefined) throw wrong(at, 'must be a path in the vault')
    return { path, name: textIn(at, entry, 'name'), contentType: textIn(at, entry, 'content_type') }
  })
  return read.length > 0 ? read : undefined
}

function textIn(at: string, entry: Fields, name: string): string | undefined {
  const { [name]: value } = entry
  return textOf({ [`${at}.${name}`]: value ?? null }, `${at}.${name}`)
}

const linkTracking = ['None', 'HtmlAndText', 'HtmlOnly', 'TextOnly'] as const

/** Nothing where there are none. */
export function postmarkOptionsOf(fields: Fields): PostmarkOptions | undefined {
  const track_opens = has(fields, 'track_opens') ? fields.track_opens : undefined
  if (track_opens !== undefined && typeof track_opens !== 'boolean') {
    throw wrong('track_opens', 'must be true or false')
  }
  const track_links = choiceOf(fields, 'track_links', linkTracking)
  const tag = textOf(fields, 'tag')
  const metadata = metadataOf(fields)
  const message_stream = textOf(fields, 'message_stream')
  const template = templateOf(fields)
  const template_model = recordOf(fields, 'template_model')
  const options: PostmarkOptions = {
    ...(track_opens !== undefined && { track_opens }),
    ...(track_links && { track_links }),
    ...(tag !== undefined && { tag }),
    ...(metadata && { metadata }),
    ...(message_stream !== undefined && { message_stream }),
    ...(template && { template }),
    ...(template_model && { template_model }),
  }
  return Object.keys(options).length > 0 ? options : undefined
}

function metadataOf(fields: Fields): Record<string, string> | undefined {
  const given = recordOf(fields, 'metadata')
  if (!given) return undefined
  const entries = Object.entries(given).map(([name, value]): [string, string] => {
    if (typeof value === 'string') return [name, value]
    throw wrong(`metadata.${name}`, 'must be text', 'Put it in quotes.')
  })
  return Object.fromEntries(entries)
}

function templateOf(fields: Fields): PostmarkOptions['template'] {
  const given = recordOf(fields, 'template')
  if (!given) return undefined
  const { id, alias } = given
  if (typeof id === 'number' && alias === undefined) return { id }
  if (typeof alias === 'string' && id === undefined) return { alias }
  throw wrong('template', 'must have an id that is a number, or an alias that is text')
}

function recordOf(fields: Fields, name: string): Record<string, unknown> | undefined {
  if (!has(fields, name)) return undefined
  const value = fields[name]
  if (isRecord(value)) return value
  throw wrong(name, 'must be keys with values')
}

export const wrong = (name: string, how: string, next = 'Correct the draft, then try again.') =>
  new AgentMailError('invalid_request', `${name} ${how}`, next)
