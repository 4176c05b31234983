/** A mail as Gmail gives it, read into ours. */

import { AgentMailError } from '../../errors.ts'
import { bodyText } from '../../mime/charset.ts'
import { decodedAddresses, decodedHeader, mailDate, parameter } from '../../mime/header-values.ts'
import { type Original, type OtherText, otherTextType } from '../../mime/mail.ts'
import { deliveryHeaders } from '../../mime/mail-headers.ts'
import { rfc3339 } from '../../system/clock.ts'
import type { IncomingMail, MailHead } from '../provider.ts'
import { type GmailMessage, type GmailPart, partIn } from './reply.ts'

/** Gives the body of a part that is kept apart from its mail, in base64url. */
export type FetchBody = (attachmentId: string) => Promise<string>

const noPart = { header: () => '' }

export function mailHeadOf({ id, payload, internalDate, snippet }: GmailMessage): MailHead {
  const { header } = payload ?? noPart
  return {
    id,
    subject: decodedHeader(header('Subject')),
    sender: decodedAddresses(header('From')),
    date: dateOf(header('Date'), internalDate),
    snippet: withoutEntities(snippet),
  }
}

/** As its header says, else when it came. */
function dateOf(header: string, received: string): string {
  const ms = mailDate(header) ?? (/^\d{1,15}$/.test(received) ? Number(received) : undefined)
  return ms === undefined ? '' : rfc3339(ms)
}

export async function incomingMail(
  message: GmailMessage,
  bodyOf: FetchBody,
): Promise<IncomingMail> {
  const { payload } = message
  if (!payload) {
    throw new AgentMailError('internal', 'Gmail gave a mail without its content', 'Try again.')
  }
  const { snippet: _, ...head } = mailHeadOf(message)
  const { text, html, others, names } = await contentOf(payload, bodyOf)
  return {
    ...head,
    to: decodedAddresses(payload.header('To')),
    text,
    html,
    others,
    attachment_names: names,
  }
}

export function originalOf({ threadId, payload, internalDate }: GmailMessage): Original {
  const { header } = payload ?? noPart
  const before = messageIds(header('References'))
  return {
    thread_id: threadId,
    subject: decodedHeader(header('Subject')),
    message_id: messageIds(header('Message-ID'))[0] ?? '',
    references: before.length > 0 ? before : messageIds(header('In-Reply-To')),
    recipients: ['to', 'cc', ...deliveryHeaders].map(header).filter(Boolean).join(', '),
    received_ms: /^\d{1,15}$/.test(internalDate) ? Number(internalDate) : undefined,
  }
}

/** Those in angle brackets; more than a hundred is a thread that no header should carry on. */
const messageIds = (header: string): string[] =>
  (header.match(/<[\x21-\x3b\x3d\x3f-\x7e]{1,900}>/g) ?? []).slice(-100)

interface Content {
  /** Nothing unless it tells all that the HTML tells. */
  text: string | undefined
  html: string | undefined
  others: OtherText[]
  names: string[]
}

const deepest = 100
const nothing: Content = { text: undefined, html: undefined, others: [], names: [] }

async function contentOf(part: GmailPart, bodyOf: FetchBody, depth = 0): Promise<Content> {
  if (part.mimeType.startsWith('multipart/')) {
    const contents: Content[] = []
    for (const inner of depth < deepest ? part.parts : []) {
      const known = partIn(inner)
      if (known) contents.push(await contentOf(known, bodyOf, depth + 1))
    }
    return part.mimeType === 'multipart/alternative' ? oneOf(contents) : together(contents)
  }
  const name = nameOf(part) || (part.mimeType === 'message/rfc822' ? 'message.eml' : '')
  if (name !== '') return { ...nothing, names: [name] }
  const isAttachment = /^\s*attachment\b/i.test(part.header('Content-Disposition'))
  if (isAttachment) return { ...nothing, names: ['attachment'] }
  const type = part.mimeType || 'text/plain'
  const other = otherTextType(type)
  if (other === undefined && !/^text\/(plain|html)$/.test(type)) return nothing
  const data = part.data || (part.attachmentId && (await bodyOf(part.attachmentId)))
  const charset = parameter(part.header('Content-Type'), 'charset')
  const body = bodyText(Buffer.from(data, 'base64url'), charset)
  if (other !== undefined) return { ...nothing, others: [{ type: other, content: body }] }
  return type === 'text/html' ? { ...nothing, html: body } : { ...nothing, text: body }
}

const besides = (contents: Content[]) => ({
  others: contents.flatMap(({ others }) => others),
  names: contents.flatMap(({ names }) => names),
})

/** Each kind whole: which of two a program shows, nobody knows. */
function oneOf(contents: Content[]): Content {
  const joined = (kind: 'text' | 'html') => {
    const all = contents.map((content) => content[kind]).filter((one) => one !== undefined)
    return all.length > 0 ? all.join('\n') : undefined
  }
  return { text: joined('text'), html: joined('html'), ...besides(contents) }
}

/** One after the other, as a mail program shows them. */
function together(contents: Content[]): Content {
  const shown = contents.filter(({ text, html }) => text !== undefined || html !== undefined)
  const texts = shown.map(({ text }) => text)
  const hasHtml = shown.some(({ html }) => html !== undefined)
  const htmls = shown.map(({ text = '', html }) => html ?? `<pre>${escaped(text)}</pre>`)
  return {
    text: shown.length > 0 && !texts.includes(undefined) ? texts.join('\n') : undefined,
    html: hasHtml ? htmls.join('\n') : undefined,
    ...besides(contents),
  }
}

const escaped = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

const nameOf = (part: GmailPart): string =>
  (
    decodedHeader(part.filename) ||
    parameter(part.header('Content-Disposition'), 'filename') ||
    parameter(part.header('Content-Type'), 'name') ||
    ''
  ).trim()

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
}

/** Once, not until there are none: the text itself may speak of `&amp;`. */
const withoutEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
