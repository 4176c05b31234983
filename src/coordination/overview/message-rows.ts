/** Messages as a person looks through them: newest first, between two moments, in one channel, of one agent, or to names alone. */
import { integer, type Row, text } from '../../store/store.ts'
import type { Desk } from '../desk.ts'
import type { Condition } from '../history.ts'
import { directChannel, handedBy, isByMailbox } from '../messages.ts'

export interface MessageRow {
  id: number
  us: number
  from: string
  channel: string
  subject: string
  body: string
  /** Whether its reader gets it by a mailbox. */
  isByMailbox: boolean
}

export interface MessageRange {
  /** In microseconds, both included. */
  fromUs?: number | undefined
  untilUs?: number | undefined
  channel?: string | undefined
  /** Said by this name, or to it. */
  agent?: string | undefined
  /** To names alone. */
  isDirect?: boolean | undefined
  /** The first of them in place of the last. */
  isFromOldest?: boolean | undefined
  limit: number
}

/** Of each body, for whoever shows where it begins. */
const shownOfBody = 1000
/** Messages to names are looked for among so many ids at once, and then by the channels. */
const idsAPiece = 5000
const piecesTried = 4
const newestLooked = 2000
const lettersLooked = 10_000

/** `@` and what comes after it, before `A`. */
const isDirect: Condition = ["channel >= '@' AND channel < 'A'"]

type Key = 'channel' | 'sender_name' | undefined

/** Newest first; where there are more than the limit, the newest of them or the oldest. */
export async function messagesIn(desk: Desk, range: MessageRange): Promise<MessageRow[]> {
  const top = range.untilUs === undefined ? undefined : await lastIdAt(desk, range.untilUs)
  const bottom = range.fromUs === undefined ? 0 : await lastIdAt(desk, range.fromUs - 1)
  const { channel, agent, limit, isFromOldest = false } = range
  const direct = range.isDirect ? [isDirect] : []
  const between: Condition[] = [
    ...(top === undefined ? [] : [['id <= ?', top] as Condition]),
    ['id > ?', bottom],
  ]
  const read = (key: Key, ...conditions: Condition[]) =>
    readRows(desk, key, [...between, ...conditions], { limit, isFromOldest })
  const inChannel = (name: string): Condition => ['channel = ?', name]
  if (agent !== undefined) {
    const said: Condition = ['sender_name = ?', agent]
    const own = directChannel(agent)
    if (channel === own) return read('channel', inChannel(own))
    if (channel !== undefined) return read('sender_name', said, inChannel(channel))
    const both = [
      ...(await read('sender_name', said, ...direct)),
      ...(await read('channel', inChannel(own))),
    ]
    const rows = [...new Map(both.map((row) => [row.id, row])).values()]
    rows.sort((one, other) => other.id - one.id)
    return isFromOldest ? rows.slice(-limit) : rows.slice(0, limit)
  }
  if (channel !== undefined) return read('channel', inChannel(channel), ...direct)
  if (!range.isDirect) return read(undefined)
  const last = top ?? (await lastId(desk))
  return directRows(desk, { top: last, bottom, limit, isFromOldest })
}

interface Few {
  limit: number
  isFromOldest: boolean
}

/** By their ids, as long as there are enough among those looked at first: no index has them in this order. */
async function directRows(
  desk: Desk,
  { top, bottom, limit, isFromOldest }: Few & { top: number; bottom: number },
): Promise<MessageRow[]> {
  const found: MessageRow[] = []
  const left = () => ({ limit: limit - found.length, isFromOldest })
  const add = (rows: MessageRow[]) => (isFromOldest ? found.unshift(...rows) : found.push(...rows))
  // What was not looked at yet, both ends included.
  let [from, to] = [bottom + 1, top]
  for (let piece = 0; piece < piecesTried && from <= to; piece++) {
    const [first, last] = isFromOldest
      ? [from, Math.min(to, from + idsAPiece - 1)]
      : [Math.max(from, to - idsAPiece + 1), to]
    const range: Condition[] = [['id >= ?', first], ['id <= ?', last], isDirect]
    add(await readRows(desk, undefined, range, left()))
    if (found.length >= limit) return found
    if (isFromOldest) from = last + 1
    else to = first - 1
    await new Promise((resolve) => setImmediate(resolve)) // others have their turn
  }
  if (from > to) return found
  // By a sum, since an engine would go through all messages by their ids otherwise.
  const rest = await desk.store.all(
    `SELECT id FROM messages WHERE project = ? AND ${isDirect[0]} AND id + 0 >= ? AND id + 0 <= ?
      ORDER BY id + 0 ${isFromOldest ? 'ASC' : 'DESC'} LIMIT ${left().limit}`,
    ...[desk.project, from, to],
  )
  for (const row of rest) {
    add(await readRows(desk, undefined, [['id = ?', integer(row.id)]], { limit: 1, isFromOldest }))
  }
  return found
}

/** Newest first. */
async function readRows(
  { store, project }: Desk,
  key: Key,
  conditions: Condition[],
  { limit, isFromOldest }: Few,
): Promise<MessageRow[]> {
  const where = conditions.map(([sql]) => `AND ${sql}`).join(' ')
  const way = isFromOldest ? 'ASC' : 'DESC'
  const order = ['project', ...(key ? [key] : []), 'id'].map((column) => `${column} ${way}`)
  const rows = await store.all(
    `SELECT id, created_us, sender_name, channel, subject, SUBSTR(body, 1, ${shownOfBody}) AS body, by_mailbox
      FROM messages WHERE project = ? ${where} ORDER BY ${order.join(', ')} LIMIT ${limit}`,
    project,
    ...conditions.flatMap(([, ...values]) => values),
  )
  return (isFromOldest ? rows.reverse() : rows).map(messageRow)
}

/** Ids and times rise together. */
async function lastIdAt({ store, project }: Desk, us: number): Promise<number> {
  const [row] = await store.all(
    'SELECT id FROM messages WHERE project = ? AND created_us <= ? ORDER BY project DESC, created_us DESC LIMIT 1',
    ...[project, us],
  )
  return row ? integer(row.id) : 0
}

async function lastId({ store, project }: Desk): Promise<number> {
  const [row] = await store.all(
    'SELECT id FROM messages WHERE project = ? ORDER BY project DESC, id DESC LIMIT 1',
    project,
  )
  return row ? integer(row.id) : 0
}

export async function messageOfId(
  { store, project }: Desk,
  id: number,
): Promise<MessageRow | undefined> {
  const [row] = await store.all(
    `SELECT id, created_us, sender_name, channel, subject, body, by_mailbox
      FROM messages WHERE project = ? AND id = ?`,
    ...[project, id],
  )
  return row && messageRow(row)
}

/** Those of the newest messages, the latest first. */
export async function channelsOf({
  store,
  project,
}: Desk): Promise<{ name: string; us: number }[]> {
  const rows = await store.all(
    `SELECT channel, MAX(created_us) AS us FROM (SELECT channel, created_us FROM messages
      WHERE project = ? ORDER BY project DESC, id DESC LIMIT ${newestLooked}) AS newest_ones GROUP BY channel`,
    project,
  )
  return rows
    .map((row) => ({ name: text(row.channel), us: integer(row.us) }))
    .sort((one, other) => other.us - one.us)
}

export async function lettersIn(
  { store, project }: Desk,
  channel: string,
  afterId: number,
): Promise<number[]> {
  const rows = await store.all(
    `SELECT id FROM (SELECT id, by_mailbox FROM messages WHERE project = ? AND channel = ? AND id > ?
      ORDER BY project DESC, channel DESC, id DESC LIMIT ${lettersLooked}) AS newest_ones WHERE by_mailbox = ?`,
    ...[project, channel, afterId, handedBy.mailbox],
  )
  return rows.map((row) => integer(row.id))
}

const messageRow = (row: Row): MessageRow => ({
  id: integer(row.id),
  us: integer(row.created_us),
  from: text(row.sender_name),
  channel: text(row.channel),
  subject: text(row.subject),
  body: text(row.body),
  isByMailbox: isByMailbox(row),
})
