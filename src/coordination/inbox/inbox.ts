/** The messages to a name: what was not read yet, or all of it. Looking marks nothing. */
import { integer, marks as placeholders, type Row, text } from '../../store/store.ts'
import type { Desk } from '../desk.ts'
import { directChannel, isByMailbox } from '../messages.ts'
import { fillPage } from '../pages.ts'
import { timeText } from '../time.ts'
import { handedTo, type Receipts } from './receipts.ts'
import { textOfMessage } from './sent.ts'

export interface InboxRequest {
  name: string
  /** Also what was read. */
  all?: boolean | undefined
  /** Only higher ids. Without it, all that is unread, or the newest of all. */
  after_id?: number | undefined
  limit: number
}

interface InboxEntry {
  id: string
  from: string
  at: string
  kind: 'message'
  text: string
}

export interface InboxPage {
  /** The oldest first. */
  inbox: InboxEntry[]
  has_more: boolean
}

/** Rows that are looked through at once: much may be read, or in a mailbox. */
const rowsAtOnce = 500
const idsAStatement = 100

/** What lies in a mailbox of the name too is not among them, nor is what was said under the name itself. */
export async function inboxOf(
  desk: Desk,
  receipts: Receipts,
  request: InboxRequest,
): Promise<InboxPage> {
  const start = request.after_id ?? (await startOf(desk, request))
  const page = await fillPage(
    request.limit,
    idsAStatement,
    (last) => nextRows(desk, receipts, request, last ? integer(last.id) : start),
    entryOf,
  )
  return { inbox: page.entries, has_more: page.has_more }
}

/** All before this was handed over; or it is not among the newest. */
async function startOf(
  { project, store }: Desk,
  { name, all, limit }: InboxRequest,
): Promise<number> {
  if (!all) return handedTo(store, project, name)
  const rows = await store.all(
    `SELECT id FROM messages WHERE project = ? AND channel = ?
      ORDER BY project DESC, channel DESC, id DESC LIMIT ${limit}`,
    ...[project, directChannel(name)],
  )
  const oldest = rows.at(-1)
  return oldest ? integer(oldest.id) - 1 : 0
}

/** As many as a statement takes, or fewer where there are no more. */
async function nextRows(
  { project, store }: Desk,
  receipts: Receipts,
  { name, all }: InboxRequest,
  after: number,
): Promise<Row[]> {
  const ids: number[] = []
  for (let cursor = after; ids.length < idsAStatement; ) {
    const rows = await store.all(
      `SELECT id, sender_name, by_mailbox FROM messages WHERE project = ? AND channel = ? AND id > ?
        ORDER BY project, channel, id LIMIT ${rowsAtOnce}`,
      ...[project, directChannel(name), cursor],
    )
    const there = rows
      .filter((row) => !isByMailbox(row) && text(row.sender_name) !== name)
      .map((row) => integer(row.id))
    const states = all ? undefined : await receipts.states(there)
    ids.push(...there.filter((id) => states?.get(id)?.state !== 'read'))
    if (rows.length < rowsAtOnce) break
    cursor = integer(rows.at(-1)?.id)
    await new Promise((resolve) => setImmediate(resolve)) // others have their turn
  }
  const next = ids.slice(0, idsAStatement)
  if (next.length === 0) return []
  const found = await store.all(
    `SELECT id, created_us, sender_name, subject, body FROM messages WHERE project = ? AND id IN (${placeholders(next.length)})`,
    ...[project, ...next],
  )
  return found.sort((one, other) => integer(one.id) - integer(other.id))
}

const entryOf = (row: Row): InboxEntry => ({
  id: String(integer(row.id)),
  from: text(row.sender_name),
  at: timeText(integer(row.created_us)),
  kind: 'message',
  text: textOfMessage(text(row.subject), text(row.body)),
})
