/** What Gmail answers, read with care: a proxy or a fault may put anything in its place. */
import { AgentMailError } from '../../errors.ts'
import { isRecord } from '../../system/text.ts'

export interface GmailMessage {
  id: string
  threadId: string
  labelIds: string[]
  /** Escaped as HTML. */
  snippet: string
  /** Unix milliseconds. */
  internalDate: string
  /** Absent where the reply has none. */
  payload: GmailPart | undefined
}

export interface GmailPart {
  /** In lower case. */
  mimeType: string
  filename: string
  /** The first header of a name, in any case; empty where there is none. */
  header(name: string): string
  /** Base64url; empty where the body is elsewhere or there is none. */
  data: string
  attachmentId: string
  /** Not yet read: a mail may be nested deeper than a function should call itself. */
  parts: unknown[]
}

export interface GmailLabel {
  id: string
  name: string
  isSystem: boolean
}

const unreadable = () =>
  new AgentMailError(
    'internal',
    'Gmail gave a reply that cannot be read',
    'Try again; if it stays, check GMAIL_BASE_URL and any proxy between here and Google.',
  )

export function messageIn(reply: unknown): GmailMessage {
  if (!isRecord(reply) || !isId(reply.id)) throw unreadable()
  return {
    id: reply.id,
    threadId: text(reply.threadId),
    labelIds: list(reply.labelIds).filter((id) => typeof id === 'string'),
    snippet: text(reply.snippet),
    internalDate: text(reply.internalDate),
    payload: partIn(reply.payload),
  }
}

export function partIn(value: unknown): GmailPart | undefined {
  if (!isRecord(value)) return undefined
  const headers = list(value.headers).filter(isRecord)
  const body = isRecord(value.body) ? value.body : {}
  return {
    mimeType: text(value.mimeType).toLowerCase(),
    filename: text(value.filename),
    header: (name) => {
      const wanted = name.toLowerCase()
      return text(headers.find((header) => text(header.name).toLowerCase() === wanted)?.value)
    },
    data: text(body.data),
    attachmentId: text(body.attachmentId),
    parts: list(value.parts),
  }
}

export function pageIn(reply: unknown): { ids: string[]; nextPageToken: string } {
  if (!isRecord(reply)) throw unreadable()
  const { messages = [], nextPageToken } = reply
  // An empty page has no list at all, but something of a page: `{}` alone is no answer.
  if (!Array.isArray(messages) || Object.keys(reply).length === 0) throw unreadable()
  const ids = messages.map((message) => (isRecord(message) ? message.id : undefined))
  if (!ids.every(isId)) throw unreadable()
  return { ids, nextPageToken: text(nextPageToken) }
}

export function labelsIn(reply: unknown): GmailLabel[] {
  if (!isRecord(reply) || !Array.isArray(reply.labels)) throw unreadable()
  return reply.labels.map(labelIn)
}

export function labelIn(reply: unknown): GmailLabel {
  if (!isRecord(reply) || !text(reply.id) || !text(reply.name)) throw unreadable()
  return { id: text(reply.id), name: text(reply.name), isSystem: reply.type === 'system' }
}

export function attachmentIn(reply: unknown): string {
  if (!isRecord(reply) || typeof reply.data !== 'string') throw unreadable()
  return reply.data
}

/** So that an id can never be another path of the API. */
export const isId = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]{1,128}$/.test(value)

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
