/** Lists local mails that match a query, newest first, page by page. */
import { AgentMailError } from '../../errors.ts'
import { readMime } from '../../mime/read-mime.ts'
import { pauses, rfc3339, systemClock } from '../../system/clock.ts'
import type { ListRequest, MailHead } from '../provider.ts'
import { foldedText } from '../query-terms.ts'
import { mailSnippet, type ShownText, wordsOfHtml } from '../raw-mail.ts'
import type { LocalBox, LocalHead } from './box.ts'
import type { BoxName } from './folder.ts'
import type { LocalLabels } from './labels.ts'
import { type CandidateBody, localQuery } from './query.ts'

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

async function told(mail: LocalMail, head: LocalHead): Promise<MailHead> {
  const { id, box, subject, sender, date } = head
  const snippet = await mailSnippet(mail.shownText, (limit) => mail.boxes[box].read(id, limit))
  return { id, subject, sender, date: rfc3339(date), snippet }
}
