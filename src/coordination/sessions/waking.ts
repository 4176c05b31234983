/** What a session that may be idle can be woken for: the messages to it that its reader was not told of. */
import type { Write } from '../../store/batch.ts'
import { integer, type Reader, type Row, text } from '../../store/store.ts'
import { markedPlaces } from '../inbox/marks.ts'
import type { NotifiedWay } from '../inbox/receipts.ts'
import { directChannel } from '../messages.ts'
import type { SessionParts } from './acting.ts'
import {
  type Session,
  type SessionName,
  type SessionState,
  sessionKey,
  sessionOfKey,
} from './session-rows.ts'

/** Messages of which nobody was told yet. */
export interface Untold {
  ids: number[]
  /** Who has sent them, the first one first. */
  from: string[]
}

export interface WakingView extends Untold {
  state: SessionState
  agent_id: string
  name: string
  /** Under which names it is written to. */
  names: string[]
  mailbox: string | null
  place: string | null
  /** Unix time in milliseconds. */
  heard_ms: number
  /** The newest of all messages to it, whatever became of them; 0 where there is none. */
  newest_id: number
}

/** So many of the newest to a name are looked at. */
const rowsAtOnce = 1000
const sendersNamed = 10

/** Nothing where nobody knows the session. */
export async function wakingView(
  parts: SessionParts,
  name: SessionName,
): Promise<WakingView | undefined> {
  const { store, project } = parts.desk
  const session = await sessionOfKey(store, project, sessionKey(name))
  if (!session) return undefined
  const names = await namesOf(parts, session)
  const { state, agent_id, mailbox, place, heardUs } = session
  return {
    ...{ state, agent_id, mailbox, place, names, name: session.name },
    heard_ms: Math.floor(heardUs / 1000),
    newest_id: await newestTo(store, project, names),
    ...told(await untoldRows(store, project, session, names)),
  }
}

/**
 * Notes that the reader of what waits is told of it this way, unless the session is not idle or
 * somebody was faster; whoever gets an answer that has any has to tell it now, and nobody else does.
 */
export async function announce(
  parts: SessionParts,
  name: SessionName,
  by: NotifiedWay,
): Promise<Untold> {
  const { queue, project, store } = parts.desk
  const known = await sessionOfKey(store, project, sessionKey(name))
  const names = known ? await namesOf(parts, known) : []
  return queue.write(async (write: Write) => {
    const session = await sessionOfKey(write, project, sessionKey(name))
    if (session?.state !== 'ready') return told([])
    const rows = await untoldRows(write, project, session, names)
    // Some engines show here what another server has committed since the rows were read.
    const news = new Set(await parts.receipts.notifiedIn(write, rows.map(idOf), by))
    return told(rows.filter((row) => news.has(idOf(row))))
  })
}

/** Its own, and its former one while nobody else has that. */
export async function namesOf(
  { agents }: Pick<SessionParts, 'agents'>,
  { name, former }: Session,
): Promise<string[]> {
  if (former === null || former === name) return [name]
  const found = await agents.list({ agent: former, limit: 1 })
  return found.agents.length === 0 ? [name, former] : [name]
}

async function untoldRows(
  reader: Reader,
  project: string,
  session: Session,
  names: string[],
): Promise<Row[]> {
  const channels = names.map(directChannel)
  const { places, notOwn } = await markedPlaces(reader, project, session, channels)
  const found: Row[] = []
  for (const { channel, after } of places) {
    const rows = await reader.all(
      `SELECT m.id, m.sender_name FROM (SELECT id, sender_id, sender_name, by_mailbox FROM messages
          WHERE project = ? AND channel = ? AND id > ?
          ORDER BY project DESC, channel DESC, id DESC LIMIT ${rowsAtOnce}) AS m
        LEFT JOIN receipts r ON r.project = ? AND r.message_id = m.id
        WHERE ${notOwn.sql} AND r.read_us IS NULL AND r.notified_us IS NULL
        ORDER BY m.id`,
      ...[project, channel, after, project, ...notOwn.values],
    )
    found.push(...rows)
  }
  return found.sort((one, other) => idOf(one) - idOf(other))
}

async function newestTo(reader: Reader, project: string, names: string[]): Promise<number> {
  let newest = 0
  for (const channel of names.map(directChannel)) {
    const [row] = await reader.all(
      `SELECT id FROM messages WHERE project = ? AND channel = ?
        ORDER BY project DESC, channel DESC, id DESC LIMIT 1`,
      ...[project, channel],
    )
    if (row) newest = Math.max(newest, idOf(row))
  }
  return newest
}

const idOf = (row: Row): number => integer(row.id)

const told = (rows: Row[]): Untold => ({
  ids: rows.map(idOf),
  from: [...new Set(rows.map((row) => text(row.sender_name)))].slice(0, sendersNamed),
})
