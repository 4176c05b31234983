/** Reads the headers of a mail: those that are shown or searched, decoded, however many others there are. */
import { addressParser } from 'postal-mime'
import { addressText } from './address.ts'
import { guessedText } from './charset.ts'
import { keyHeader } from './compose.ts'
import { decodedAddresses, decodedHeader, mailDate } from './header-values.ts'

/** What is longer is cut: nobody shows it, and some of it takes long to take apart. */
const maxFieldBytes = 16 << 10

/** In which those who pass a mail on write for whom it was, with the +tag that its To may lack. */
export const deliveryHeaders = ['delivered-to', 'x-original-to'] as const

const wanted = new Set([
  ...['subject', 'from', 'to', 'cc', 'bcc', 'date', 'message-id', 'references', 'in-reply-to'],
  ...['content-type', 'content-transfer-encoding', 'content-disposition'],
  ...deliveryHeaders,
  keyHeader.toLowerCase(),
])
const lists = new Set<string>(['to', 'cc', 'bcc', 'references', ...deliveryHeaders])

export interface HeaderBlock {
  /** As they stand there, unfolded; by the name in small letters. */
  fields: ReadonlyMap<string, string>
  /** Where the body begins; nothing where the headers go on to the end of the bytes. */
  bodyStart: number | undefined
}

export interface MailHeaders {
  subject: string
  /** The first From. */
  sender: string
  to: string
  /** Everybody it went to, as far as its headers tell. */
  recipients: string
  /** Unix milliseconds; nothing where there is no date or a bad one. */
  date: number | undefined
  /** With the angle brackets; empty where there is none. */
  message_id: string
  in_reply_to: string
  /** Oldest first. */
  references: string[]
  /** With which it was sent from here. */
  key: string | undefined
}

export function readHeaders(bytes: Buffer): HeaderBlock {
  let position = startOf(bytes)
  const firstLine = bytes.toString('latin1', position, position + 1000)
  if (!/^(?:[!-9;-~]+[ \t]*:|From )/.test(firstLine))
    return { fields: new Map(), bodyStart: position }
  const found = new Map<string, Field>()
  let current: Field | undefined
  while (position < bytes.length) {
    const newline = bytes.indexOf(0x0a, position)
    const next = newline < 0 ? bytes.length : newline + 1
    const line = trimmed(bytes.subarray(position, newline < 0 ? next : newline))
    if (line.length === 0) return { fields: texts(found), bodyStart: next }
    const isContinued = line[0] === 0x20 || line[0] === 0x09
    if (!isContinued) current = fieldAt(found, line)
    else if (current) append(current, line)
    position = next
  }
  return { fields: texts(found), bodyStart: undefined }
}

interface Field {
  parts: Buffer[]
  size: number
}

/** Empty lines and a byte order mark in front of the headers are no part of the mail. */
function startOf(bytes: Buffer): number {
  let start = bytes.subarray(0, 3).equals(Buffer.from('\ufeff')) ? 3 : 0
  while (bytes[start] === 0x0a || bytes[start] === 0x0d) start++
  return start
}

function trimmed(line: Buffer): Buffer {
  let end = line.length
  while (end > 0 && line[end - 1] === 0x0d) end--
  return line.subarray(0, end)
}

/** The field that a line begins, if it is one to be kept: of those that must be there once the first counts. */
function fieldAt(found: Map<string, Field>, line: Buffer): Field | undefined {
  const colon = line.subarray(0, 200).indexOf(0x3a)
  if (colon < 0) return undefined
  const name = line.toString('latin1', 0, colon).trimEnd().toLowerCase()
  const known = found.get(name)
  if (!wanted.has(name) || (known && !lists.has(name))) return undefined
  const field = known ?? { parts: [], size: 0 }
  found.set(name, field)
  if (known) append(field, Buffer.from(name === 'references' ? ' ' : ', '))
  append(field, line.subarray(colon + 1))
  return field
}

function append(field: Field, part: Buffer): void {
  const kept = part.subarray(0, Math.max(0, maxFieldBytes - field.size))
  if (kept.length === 0) return
  field.parts.push(kept)
  field.size += kept.length
}

const texts = (found: Map<string, Field>): Map<string, string> =>
  new Map(Array.from(found, ([name, { parts }]) => [name, textOf(Buffer.concat(parts))]))

const textOf = (bytes: Buffer) =>
  guessedText(bytes)
    .replace(/[\t\r\n]+/g, ' ')
    .trim()

export function headersOf({ fields }: HeaderBlock): MailHeaders {
  const field = (name: string) => fields.get(name) ?? ''
  const [message_id = ''] = messageIds(field('message-id'))
  const [in_reply_to = ''] = messageIds(field('in-reply-to'))
  const to = addressesText(field('to'))
  const others = ['cc', 'bcc', ...deliveryHeaders].map((name) => addressesText(field(name)))
  const key = fields.get(keyHeader.toLowerCase())
  return {
    subject: decodedHeader(field('subject')),
    sender: addressesText(field('from'), 1),
    to,
    recipients: [...new Set([to, ...others])].filter((list) => list !== '').join(', '),
    date: mailDate(field('date')),
    message_id,
    in_reply_to,
    references: messageIds(field('references')),
    key: key === undefined ? undefined : decodedHeader(key),
  }
}

/** What is no address, or could not be decoded, is told as it stands there. */
function addressesText(field: string, limit?: number): string {
  const text = decodedAddresses(field)
  if (text.includes('=?')) return text // else the parser would decode it in its own way
  const addresses = addressParser(text, { flatten: true })
    .flatMap(({ name, address }) => (address === undefined ? [] : [{ name, address }]))
    .filter(({ name, address }) => name !== '' || address !== '')
    .slice(0, limit)
  const isRead = addresses.every(({ address }) => !/[\s<>]/.test(address))
  if (addresses.length === 0 || !isRead) return text
  return addresses.map((one) => (one.address === '' ? one.name : addressText(one))).join(', ')
}

/** Some programs leave out the angle brackets. */
function messageIds(field: string): string[] {
  const ids = field.match(/<[^<>\s]+>/g)
  if (ids) return [...new Set(ids)]
  return /^[^\s<>]+@[^\s<>]+$/.test(field) ? [`<${field}>`] : []
}
