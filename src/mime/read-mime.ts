/** Reads a mail as it came over the wire: its headers, its texts and the names of what is attached, whatever is wrong with it. */
import { isUtf8 } from 'node:buffer'
import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { rfc3339 } from '../system/clock.ts'
import { isRecord } from '../system/text.ts'
import { guessedText, mendWindows1252 } from './charset.ts'
import { type OtherText, otherTextType } from './mail.ts'
import { headersOf, type MailHeaders, readHeaders } from './mail-headers.ts'
import { boundaryIn, withinBudget } from './mime-budget.ts'

/** Of a mail that cannot be taken apart, the text as it stands there is better than nothing. */
const maxRawText = 100_000

export interface MimeMail extends Omit<MailHeaders, 'date'> {
  /** ISO 8601; nothing where there is no date or a bad one. */
  date: string | undefined
  text: string | undefined
  html: string | undefined
  others: OtherText[]
  attachment_names: string[]
  /** Whether all of its text was read. */
  isComplete: boolean
}

/** @example const { subject, text } = await readMime(bytes) */
export async function readMime(bytes: Buffer): Promise<MimeMail> {
  const block = readHeaders(bytes)
  const body = bytes.subarray(block.bodyStart ?? bytes.length)
  const { date, ...headers } = headersOf(block)
  const texts = await readBody(body, block.fields)
  return { ...headers, date: date === undefined ? undefined : rfc3339(date), ...texts }
}

async function readBody(
  body: Buffer,
  fields: ReadonlyMap<string, string>,
): Promise<Pick<MimeMail, 'text' | 'html' | 'others' | 'attachment_names' | 'isComplete'>> {
  const type = contentType(fields.get('content-type') ?? 'text/plain', body)
  const { short, isComplete } = await withinBudget(body, type)
  const encoding = fields.get('content-transfer-encoding') ?? '8bit'
  const isPlain = /^text\//i.test(type) && /^(?:7bit|8bit|binary)$/i.test(encoding)
  const head = [
    `Content-Type: ${type}`,
    `Content-Transfer-Encoding: ${isPlain ? 'base64' : encoding}`,
    `Content-Disposition: ${fields.get('content-disposition') ?? 'inline'}`,
  ]
  // The parser is slow with the lines of a plain text, and quick with one long line of base64.
  const mail = `${head.join('\r\n')}\r\n\r\n`
  const parts = [Buffer.from(mail), isPlain ? Buffer.from(short.toString('base64')) : short]
  // A mail within a mail is an attachment: its text is not this sender's.
  const parser = new PostalMime({ forceRfc822Attachments: true })
  let email: Email
  try {
    email = await parser.parse(Buffer.concat(parts))
  } catch {
    const text = guessedText(body.subarray(0, maxRawText))
    return {
      text: readable(text),
      html: undefined,
      others: [],
      attachment_names: [],
      isComplete: false,
    }
  }
  return {
    text: isToldByText(parser) ? readable(email.text) : undefined,
    html: readable(email.html),
    others: email.attachments.flatMap(otherText),
    attachment_names: email.attachments.flatMap(attachmentName),
    isComplete,
  }
}

/**
 * Whether the text tells all that there is. The parser puts words of its own in the place of HTML
 * without a text beside it, and it does not know what of that is hidden.
 */
function isToldByText(parser: PostalMime): boolean {
  const parts: unknown = Reflect.get(parser, 'textMap')
  if (!(parts instanceof Map)) throw new TypeError('postal-mime keeps its texts elsewhere')
  return [...parts.values()].every((part) => isRecord(part) && !(part.html && !part.plain))
}

/** What the body is read as: where its type is none, or not true, that is text. */
function contentType(type: string, body: Buffer): string {
  const isType = /^[\w.+-]+\/[\w.+-]+/.test(type)
  const isTorn = /^multipart\//i.test(type) && !body.includes(`--${boundaryIn(type) || '\n'}`)
  if (!isType || isTorn) return contentType('text/plain', body)
  if (!/^text\//i.test(type)) return type
  const shown = /\bname\s*\*?=/i.test(type)
    ? type
    : type.replace(/^text\/(?!html)[\w.+-]+/i, 'text/plain')
  // A text that names no character set is UTF-8, unless it cannot be.
  return /charset/i.test(type) || isUtf8(body) ? shown : `${shown}; charset=windows-1252`
}

const readable = (text: string | undefined): string | undefined =>
  text ? mendWindows1252(text.replace(/\r\n?/g, '\n')) : undefined

/** What has a name is a file. */
function otherText({ filename, mimeType, disposition, content }: Attachment): OtherText[] {
  const type = filename || disposition === 'attachment' ? undefined : otherTextType(mimeType)
  if (type === undefined || typeof content === 'string') return []
  return [{ type, content: readable(guessedText(Buffer.from(new Uint8Array(content)))) ?? '' }]
}

/** A picture without a name is part of the text. */
function attachmentName({ filename, mimeType, disposition }: Attachment): string[] {
  if (filename) return [mendWindows1252(filename)]
  if (mimeType === 'message/rfc822') return ['message.eml']
  return disposition === 'attachment' ? ['attachment'] : []
}
