/** What was sent under a name to other names, with what became of it. */
import { chunksOf, integer, marks as placeholders, type Row, text } from '../../store/store.ts'
import type { Desk } from '../desk.ts'
import { directChannel, isByMailbox, isUntitled, letterIdOf } from '../messages.ts'
import { timeText } from '../time.ts'
import type { MessageReceipt, Receipts } from './receipts.ts'

export interface SentRequest {
  from: string
  to?: string | undefined
  limit: number
}

export interface SentEntry extends MessageReceipt {
  id: string
  to: string
  at: string
  text: string
  /** What it is called in the mailbox that it went to, which knows what became of it there. */
  letter_id?: string
}

/** Rows that are looked through at once: a name may have said much in other channels. */
const rowsAtOnce = 500
const idsAStatement = 100

export async function sentBy(
  desk: Desk,
  receipts: Receipts,
  request: SentRequest,
): Promise<{ sent: SentEntry[] }> {
  const ids = await directIds(desk, request)
  const states = await receipts.states(ids)
  const { project, store } = desk
  const sent: SentEntry[] = []
  for (const some of chunksOf(ids, idsAStatement)) {
    const rows = await store.all(
      `SELECT id, channel, created_us, subject, body, by_mailbox FROM messages WHERE project = ? AND id IN (${placeholders(some.length)})`,
      ...[project, ...some],
    )
    rows.sort((one, other) => integer(other.id) - integer(one.id))
    for (const row of rows) {
      const receipt = states.get(integer(row.id))
      if (receipt) sent.push(entryOf(project, row, receipt))
    }
  }
  return { sent }
}

/** The newest first. */
async function directIds({ project, store }: Desk, request: SentRequest): Promise<number[]> {
  const { from, to, limit } = request
  const isWanted = (channel: string) =>
    to === undefined ? channel.startsWith('@') : channel === directChannel(to)
  const ids: number[] = []
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = await store.all(
      `SELECT id, channel FROM messages WHERE project = ? AND sender_name = ? AND id < ?
        ORDER BY project DESC, sender_name DESC, id DESC LIMIT ${rowsAtOnce}`,
      ...[project, from, before],
    )
    for (const row of rows) if (isWanted(text(row.channel))) ids.push(integer(row.id))
    if (ids.length >= limit || rows.length < rowsAtOnce) return ids.slice(0, limit)
    before = integer(rows.at(-1)?.id)
    await new Promise((resolve) => setImmediate(resolve)) // others have their turn
  }
}

function entryOf(project: string, row: Row, receipt: MessageReceipt): SentEntry {
  const [subject, body] = [text(row.subject), text(row.body)]
  return {
    id: String(integer(row.id)),
    to: text(row.channel).slice(1),
    at: timeText(integer(row.created_us)),
    ...receipt,
    text: textOfMessage(subject, body),
    ...(isByMailbox(row) && { letter_id: letterIdOf(project, integer(row.id)) }),
  }
}

/** In one text. */
export const textOfMessage = (subject: string, body: string): string =>
  isUntitled({ subject, body }) ? body : `${subject}\n${body}`
