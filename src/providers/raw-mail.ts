/** Mail that is kept as it came over the wire: how much of it is read, and what is told of it. */
import type { Original } from '../mime/mail.ts'
import { type MimeMail, readMime } from '../mime/read-mime.ts'
import type { IncomingMail } from './provider.ts'

/** Of larger ones, the rest is not read. */
export const maxMailBytes = 25 << 20

/** What is shown of a mail in a list is at its beginning. */
export const snippetBytes = 64 << 10
const snippetLength = 200

/** What of the texts of a mail is told in a snippet. */
export type ShownText = (mail: Pick<IncomingMail, 'text' | 'html'>) => string

export interface MailStart {
  bytes: Buffer
  /** Whether it has no more. */
  isWhole: boolean
}

/**
 * The beginning of its text, in one line.
 *
 * @param read gives at most so many of its first bytes; nothing where it is gone.
 */
export async function mailSnippet(
  shownText: ShownText,
  read: (limit: number) => MailStart | undefined | Promise<MailStart | undefined>,
): Promise<string> {
  const { text, html } = await beginning(read)
  const words = shownText({ text, html }).replace(/\s+/g, ' ').trim()
  return [...words.slice(0, 2 * snippetLength)].slice(0, snippetLength).join('')
}

/** HTML is read whole or not at all: what hides a part of it may stand at its end. */
async function beginning(read: Parameters<typeof mailSnippet>[1]): Promise<Partial<MimeMail>> {
  const start = await read(snippetBytes)
  if (!start) return {}
  const first = await readMime(start.bytes)
  const isText = first.text !== undefined && /^\s*[^\s<]/.test(first.text)
  if (start.isWhole || isText) return first
  const all = await read(maxMailBytes)
  const whole = all?.isWhole ? await readMime(all.bytes) : undefined
  return whole?.isComplete ? whole : {}
}

/** Half a character at the end would make a text of another character set. A line may be all there is. */
export function wholeLines(bytes: Buffer): Buffer {
  const line = bytes.lastIndexOf(0x0a) + 1
  if (bytes.length - line < 4096) return bytes.subarray(0, line)
  let end = bytes.length
  while (bytes.length - end < 4 && (bytes[end - 1] ?? 0) >= 0x80) end--
  return bytes.subarray(0, end)
}

/** What a reply to it needs to know. */
export function originalIn(content: MimeMail, thread_id: string): Original {
  const { subject, message_id, in_reply_to, references, recipients } = content
  const before = references.length > 0 || in_reply_to === '' ? references : [in_reply_to]
  return { thread_id, subject, message_id, references: before, recipients }
}

/** The words of an HTML text, good enough to look for something in it: tags, styles and comments are left out. */
export function wordsOfHtml(html: string): string {
  const withoutHidden = html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/<(style|script|head|title)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
  return withoutHidden
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, entityText)
}

const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))

function entityText(_: string, decimal = '', hexadecimal = '', name = ''): string {
  if (name !== '') return entities.get(name.toLowerCase()) ?? ' '
  const code = decimal === '' ? Number.parseInt(hexadecimal, 16) : Number(decimal)
  return code > 0x10ffff ? ' ' : String.fromCodePoint(code)
}
