/** Who of several names has messages to it that were not read: the newest of each. */
import { integer, type Row } from '../../store/store.ts'
import type { Desk } from '../desk.ts'
import { directChannel, wantedIn } from '../messages.ts'
import { timeText } from '../time.ts'
import { handedTo } from './receipts.ts'

export interface WaitingRequest {
  names: string[]
  /** Only for messages with higher ids. */
  after_id?: number | undefined
  wait_seconds?: number | undefined
}

export interface WaitingEntry {
  name: string
  newest_id: number
  /** Whether its reader was told of it, when, and how, where that was noted. */
  is_notified: boolean
  notified_at?: string
  notified_by?: string
}

/** So many of the newest to a name are looked at. */
const rowsAtOnce = 1000

/** Returns at once if something waits for anybody, and waits for it as long as it may if not. */
export async function waitingFor(
  desk: Desk,
  { names, after_id = 0, wait_seconds = 0 }: WaitingRequest,
  signal?: AbortSignal,
): Promise<{ waiting: WaitingEntry[] }> {
  const look = async () => {
    const waiting: WaitingEntry[] = []
    for (const name of names) {
      const row = await newestOf(desk, name, after_id)
      if (row) waiting.push({ name, newest_id: integer(row.id), ...toldOf(row) })
    }
    return { waiting }
  }
  return desk.news.until(look, ({ waiting }) => waiting.length > 0, {
    wanted: wantedIn(desk.project, names.map(directChannel)),
    ...{ waitMs: wait_seconds * 1000, signal },
  })
}

const toldOf = ({ notified_us, notified_by }: Row): Omit<WaitingEntry, 'name' | 'newest_id'> => ({
  is_notified: notified_us != null,
  ...(notified_us != null && { notified_at: timeText(integer(notified_us)) }),
  ...(typeof notified_by === 'string' && { notified_by }),
})

/** Neither what was said under the name itself, nor what its reader has in a mailbox. */
async function newestOf(
  { project, store }: Desk,
  name: string,
  afterId: number,
): Promise<Row | undefined> {
  const after = afterId || (await handedTo(store, project, name))
  const [newest] = await store.all(
    `SELECT m.id, r.notified_us, r.notified_by FROM (SELECT id, sender_name, by_mailbox FROM messages
        WHERE project = ? AND channel = ? AND id > ?
        ORDER BY project DESC, channel DESC, id DESC LIMIT ${rowsAtOnce}) AS m
      LEFT JOIN receipts r ON r.project = ? AND r.message_id = m.id
      WHERE m.by_mailbox IS NULL AND m.sender_name <> ? AND r.read_us IS NULL
      ORDER BY m.id DESC LIMIT 1`,
    ...[project, directChannel(name), after, project, name],
  )
  return newest
}
