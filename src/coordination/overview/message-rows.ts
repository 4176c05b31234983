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

export async function newestMessages(desk: Desk, range: MessageRange): Promise<MessageRow[]> {
  const top = range.untilUs === undefined ? undefined : await lastIdAt(desk, range.untilUs)
  const bottom = range.fromUs === undefined ? 0 : await lastIdAt(desk, range.fromUs - 1)
  const { channel, agent, limit } = range
  const direct = range.isDirect ? [isDirect] : []
  const between: Condition[] = [
    ...(top === undefined ? [] : [['id <= ?', top] as Condition]),
    ['id > ?', bottom],
  ]
  const read = (key: Key, ...conditions: Condition[]) =>
    readNewest(desk, key, [...between, ...conditions], limit)
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
    const byId = new Map(both.map((row) => [row.id, row]))
    return [...byId.values()].sort((one, other) => other.id - one.id).slice(0, limit)
  }
  if (channel !== undefined) return read('channel', inChannel(channel), ...direct)
  return range.isDirect ? newestDirect(desk, { top, bottom, limit }) : read(undefined)
}

/** By their ids, as long as there are enough among the newest: no index has them in this order. */
async function newestDirect(
  desk: Desk,
  { top, bottom, limit }: { top: number | undefined; bottom: number; limit: number },
): Promise<MessageRow[]> {
  const found: MessageRow[] = []
  let above = (top ?? (await lastId(desk))) + 1
  for (let piece = 0; piece < piecesTried && above > bottom + 1; piece++) {
    const from = Math.max(bottom + 1, above - idsAPiece)
    const range: Condition[] = [['id >= ?', from], ['id < ?', above], isDirect]
    found.push(...(await readNewest(desk, undefined, range, limit - found.length)))
    if (found.length >= limit) return found
    above = from
    await new Promise((resolve) => setImmediate(resolve)) // others have their turn
  }
  if (above <= bottom + 1) return found
  // By a sum, since an engine would go through all messages by their ids otherwise.
  const rest = await desk.store.all(
    `SELECT id FROM messages WHERE project = ? AND ${isDirect[0]} AND id + 0 > ? AND id + 0 < ?
      ORDER BY id + 0 DESC LIMIT ${limit - found.length}`,
    ...[desk.project, bottom, above],
  )
  for (const row of rest) {
    found.push(...(await readNewest(desk, undefined, [['id = ?', integer(row.id)]], 1)))
  }
  return found
}

async function readNewest(
  { store, project }: Desk,
  key: Key,
  conditions: Condition[],
  limit: number,
): Promise<MessageRow[]> {
  const where = conditions.map(([sql]) => `AND ${sql}`).join(' ')
  const order = ['project', ...(key ? [key] : []), 'id'].map((column) => `${column} DESC`)
  const rows = await store.all(
    `SELECT id, created_us, sender_name, channel, subject, SUBSTR(body, 1, ${shownOfBody}) AS body, by_mailbox
      FROM messages WHERE project = ? ${where} ORDER BY ${order.join(', ')} LIMIT ${limit}`,
    project,
    ...conditions.flatMap(([, ...values]) => values),
  )
  return rows.map(messageRow)
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
