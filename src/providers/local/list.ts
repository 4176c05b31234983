/** Lists local mails that match a query, newest first, page by page. */
import { AgentMailError } from '../../errors.ts'
import { type MimeMail, readMime } from '../../mime/read-mime.ts'
import { pauses, rfc3339, systemClock } from '../../system/clock.ts'
import type { IncomingMail, ListRequest, MailHead } from '../provider.ts'
import type { LocalBox, LocalHead } from './box.ts'
import type { BoxName } from './folder.ts'
import type { LocalLabels } from './labels.ts'
import { type CandidateBody, foldedText, localQuery } from './query.ts'

/** What is shown of a mail is at its beginning. */
const snippetBytes = 64 << 10
const snippetLength = 200

/** What of the texts of a mail is told in a snippet. */
export type ShownText = (mail: Pick<IncomingMail, 'text' | 'html'>) => string

export interface LocalMail {
  boxes: Record<BoxName, LocalBox>
  labels: LocalLabels
  shownText: ShownText
}

export async function listMails(
  mail: LocalMail,
  { query: text, limit, page_token }: ListRequest,
): Promise<{ mails: MailHead[]; next_page_token?: string }> {
  const query = localQuery(text, systemClock.now())
  const start = page_token === undefined ? undefined : placeOf(page_token)
  const heads = await Promise.all(
    query.boxes.map((box) => mail.boxes[box].heads(start !== undefined)),
  )
  const labels = mail.labels.read()
  const pause = pauses()
  const found: LocalHead[] = []
  for (const head of heads.flat().sort(newestFirst)) {
    await pause()
    if (start && newestFirst(start, head) >= 0) continue
    const open = query.openFor({ head, labels: labels.of(head) })
    if (!open) continue
    if (open.length > 0) {
      const body = await bodyOf(mail, head)
      if (!body || !open.every((matches) => matches(body))) continue
    }
    found.push(head)
    if (found.length > limit) break
  }
  const shown = found.slice(0, limit)
  const mails: MailHead[] = []
  for (const head of shown) mails.push(await told(mail, head))
  const last = shown.at(-1)
  return { mails, ...(found.length > limit && last && { next_page_token: tokenOf(last) }) }
}

type Place = Pick<LocalHead, 'date' | 'id'>

const newestFirst = (one: Place, other: Place): number =>
  other.date - one.date || (one.id < other.id ? -1 : Number(one.id > other.id))

/** A page begins after the last mail of the one before, whatever has come meanwhile. */
const tokenOf = ({ date, id }: Place): string => Buffer.from(`${date} ${id}`).toString('base64url')

function placeOf(token: string): Place {
  const text = Buffer.from(token, 'base64url').toString('latin1')
  const [, date, id] = /^(-?\d{1,16}) ([0-9a-f]{24,32})$/.exec(text) ?? []
  if (date !== undefined && id !== undefined) return { date: Number(date), id }
  throw new AgentMailError(
    'invalid_request',
    'page_token is not one of a list of local mail',
    'Use next_page_token of the page before, or leave it out.',
  )
}

async function bodyOf(mail: LocalMail, { box, id }: LocalHead): Promise<CandidateBody | undefined> {
  const read = await mail.boxes[box].read(id)
  if (!read) return undefined
  const { text, html, attachment_names } = await readMime(read.bytes)
  return { text: foldedText(text ?? wordsOfHtml(html ?? '')), attachment_names }
}

/** HTML is read whole or not at all: what hides a part of it may stand at its end. */
async function beginning(mail: LocalMail, { box, id }: LocalHead): Promise<Partial<MimeMail>> {
  const start = await mail.boxes[box].read(id, snippetBytes)
  if (!start) return {}
  const first = await readMime(start.bytes)
  const isText = first.text !== undefined && /^\s*[^\s<]/.test(first.text)
  if (start.isWhole || isText) return first
  const read = await mail.boxes[box].read(id)
  const whole = read?.isWhole ? await readMime(read.bytes) : undefined
  return whole?.isComplete ? whole : {}
}

async function told(mail: LocalMail, head: LocalHead): Promise<MailHead> {
  const { id, subject, sender, date } = head
  const { text, html } = await beginning(mail, head)
  const words = mail.shownText({ text, html }).replace(/\s+/g, ' ').trim()
  const snippet = [...words.slice(0, 2 * snippetLength)].slice(0, snippetLength).join('')
  return { id, subject, sender, date: rfc3339(date), snippet }
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
