/** What a name was handed: one mark an agent and channel. What stands after it is unread, but for one's own. */
import type { Write } from '../../store/batch.ts'
import {
  integer,
  marks as placeholders,
  type Reader,
  type Row,
  StoreError,
  text,
} from '../../store/store.ts'
import { uuid } from '../../system/random.ts'
import type { AgentName } from '../agents.ts'
import type { Desk } from '../desk.ts'
import type { Ledger } from '../ledger.ts'
import { broadcast, directChannel } from '../messages.ts'

/** No channel has this name. Its mark: what was said under the agent's name up to there was said by an earlier self. */
const ownUntil = ''
/** Nor this one. Its mark: up to there all was handed but what is too long, also behind that; what was handed is read. */
export const beyondLong = '\n'
/** Rows that are looked through at once for what is unread. A count ends there. */
const rowsCounted = 1000

/** Where an agent goes on in one channel. */
export interface MarkedPlace {
  channel: string
  after: number
}

/** Where an agent goes on in each of its channels, and what it does not count as unread there. */
export interface MarkedPlaces {
  places: MarkedPlace[]
  /** A condition on messages, with its values: neither one's own nor in one's mailbox, nor handed before one that is too long. */
  notOwn: { sql: string; values: (string | number)[] }
  /** How many were handed before one that is too long. */
  early: number
}

/** The channels of an agent that names none. */
export const ownChannels = (name: string): string[] => [broadcast, directChannel(name)]

export async function markedPlaces(
  reader: Reader,
  project: string,
  { agent_id, name }: AgentName,
  channels: string[],
): Promise<MarkedPlaces> {
  const asked = [...channels, ownUntil, beyondLong]
  const rows = await reader.all(
    `SELECT channel, last_id FROM marks WHERE project = ? AND agent_id = ? AND channel IN (${placeholders(asked.length)})`,
    ...[project, agent_id, ...asked],
  )
  const places: MarkedPlace[] = []
  for (const channel of channels) {
    const known = lastIn(rows, channel)
    const isBroadcast = known === undefined && channel === broadcast
    const start = isBroadcast ? await firstOf(reader, project, name) : undefined
    places.push({ channel, after: known ?? start ?? 0 })
  }
  const early = await handedEarly(reader, project, places, lastIn(rows, beyondLong) ?? 0)
  const others = 'by_mailbox IS NULL AND sender_id <> ? AND (sender_name <> ? OR id > ?)'
  return {
    places,
    notOwn: {
      sql: early.length === 0 ? others : `${others} AND id NOT IN (${placeholders(early.length)})`,
      values: [agent_id, name, lastIn(rows, ownUntil) ?? 0, ...early],
    },
    early: early.length,
  }
}

/** What was handed though one that is too long, and stands before it, was not. */
async function handedEarly(
  reader: Reader,
  project: string,
  places: MarkedPlace[],
  upTo: number,
): Promise<number[]> {
  const ids: number[] = []
  for (const { channel, after } of places.filter((place) => place.after < upTo)) {
    const rows = await reader.all(
      `SELECT m.id FROM messages m JOIN receipts r ON r.project = m.project AND r.message_id = m.id
        WHERE m.project = ? AND m.channel = ? AND m.id > ? AND m.id <= ? AND r.read_us IS NOT NULL`,
      ...[project, channel, after, upTo],
    )
    ids.push(...rows.map((row) => integer(row.id)))
  }
  return ids
}

/** Some engines do not tell spaces at the end apart: there `a` and `a ` are one channel, with one mark. */
function lastIn(rows: Row[], channel: string): number | undefined {
  const found = rows.find((row) => withoutSpaces(text(row.channel)) === withoutSpaces(channel))
  return found && integer(found.last_id)
}

const withoutSpaces = (channel: string): string => channel.replace(/ +$/, '')

/** The last message before a name was first registered; nothing where it never was. */
async function firstOf(reader: Reader, project: string, name: string): Promise<number | undefined> {
  const [first] = await reader.all(
    'SELECT registered_us FROM agents WHERE project = ? AND name = ? ORDER BY project, name, registered_us LIMIT 1',
    ...[project, name],
  )
  if (!first) return undefined
  const [before] = await reader.all(
    'SELECT id FROM messages WHERE project = ? AND created_us <= ? ORDER BY project DESC, created_us DESC LIMIT 1',
    ...[project, integer(first.registered_us)],
  )
  return before ? integer(before.id) : 0
}

/** Never back. Of two processes that move one mark at once, the second starts over with what the first has left. */
export async function moveMark(
  write: Write,
  project: string,
  agentId: string,
  { channel, after }: MarkedPlace,
): Promise<void> {
  const which = 'project = ? AND agent_id = ? AND channel = ?'
  const key = [project, agentId, channel]
  const [found] = await write.all(`SELECT last_id, token FROM marks WHERE ${which}`, ...key)
  const token = uuid()
  if (!found) {
    write.append('marks', { project, agent_id: agentId, channel, last_id: after, token })
    return
  }
  if (integer(found.last_id) >= after) return
  const moved = await write.run(
    `UPDATE marks SET last_id = ?, token = ? WHERE ${which} AND token = ?`,
    ...[after, token, ...key, text(found.token)],
  )
  if (moved !== 1) throw new StoreError('again', 'another process moved the mark')
}

/** To where another stands, whose messages are this one's from now on. */
export async function moveMarkBack(
  write: Write,
  project: string,
  agentId: string,
  { channel, after }: MarkedPlace,
): Promise<void> {
  await write.run(
    'UPDATE marks SET last_id = ?, token = ? WHERE project = ? AND agent_id = ? AND channel = ? AND last_id > ?',
    ...[after, uuid(), project, agentId, channel, after],
  )
}

/** What was handed under a name that a session had before is not handed to whoever has the name next. */
export async function moveMarkOf(
  write: Write,
  project: string,
  { agent_id, name }: AgentName,
  place: MarkedPlace,
): Promise<void> {
  await moveMark(write, project, agent_id, place)
  if ([broadcast, directChannel(name)].includes(place.channel)) return
  const gone = await write.all(
    `SELECT DISTINCT s.former, m.agent_id FROM sessions s
      JOIN agents a ON a.project = s.project AND a.name = s.former
      JOIN marks m ON m.project = a.project AND m.agent_id = a.agent_id
      LEFT JOIN presence p ON p.project = a.project AND p.agent_id = a.agent_id
      WHERE s.project = ? AND s.agent_id = ? AND p.agent_id IS NULL`,
    ...[project, agent_id],
  )
  for (const row of gone) {
    const isMeant = directChannel(text(row.former)) === place.channel
    if (isMeant) await moveMark(write, project, text(row.agent_id), place)
  }
}

/** Leaves a name that its agent has no longer with what was handed under it, for whoever has it next. */
export async function leaveMarks(
  write: Write,
  project: string,
  { agent_id, name }: AgentName,
): Promise<void> {
  const [own] = await write.all(
    'SELECT role, registered_us FROM agents WHERE project = ? AND agent_id = ?',
    ...[project, agent_id],
  )
  if (!own) return
  const [left] = await write.all(
    'SELECT agent_id FROM agents WHERE project = ? AND name = ? AND registered_us = ? AND agent_id <> ?',
    ...[project, name, integer(own.registered_us), agent_id],
  )
  const keeper = left ? text(left.agent_id) : uuid()
  const since = { role: text(own.role), registered_us: integer(own.registered_us) }
  if (!left) write.append('agents', { project, agent_id: keeper, name, ...since })
  const channels = [...ownChannels(name), beyondLong]
  const { places } = await markedPlaces(write, project, { agent_id, name }, channels)
  for (const place of places) await moveMark(write, project, keeper, place)
}

/** How many messages are unread; of a thousand in a channel, no more are looked at. */
export async function countUnread(
  desk: Desk,
  agent: AgentName,
  channels = ownChannels(agent.name),
): Promise<number> {
  const { places, notOwn } = await markedPlaces(desk.store, desk.project, agent, channels)
  let unread = 0
  for (const place of places) unread += await countIn(desk, agent.agent_id, place, notOwn)
  return Math.min(unread, rowsCounted)
}

/** Where a thousand are one's own the mark moves past them, so that nobody looks at them again. */
async function countIn(
  { store, queue, project }: Desk,
  agentId: string,
  { channel, after }: MarkedPlace,
  { sql, values }: MarkedPlaces['notOwn'],
): Promise<number> {
  for (let passed = after; ; ) {
    const [row] = await store.all(
      `SELECT COUNT(*) AS looked, MAX(id) AS last, SUM(CASE WHEN ${sql} THEN 1 ELSE 0 END) AS unread
        FROM (SELECT id, sender_id, sender_name, by_mailbox FROM messages WHERE project = ? AND channel = ? AND id > ?
          ORDER BY project, channel, id LIMIT ${rowsCounted}) AS next_ones`,
      ...[...values, project, channel, passed],
    )
    const unread = Number(row?.unread ?? 0)
    if (unread > 0 || integer(row?.looked) < rowsCounted) return unread
    passed = integer(row?.last)
    const after = passed
    await queue.write((write) => moveMark(write, project, agentId, { channel, after }))
  }
}

/**
 * Gives an agent that registers the marks of its name where no other of that name lives; it begins
 * with the name's first registration otherwise.
 *
 * @param others those of its name that live.
 * @param isBack it was known by this id.
 */
export async function takeOver(
  write: Write,
  { project }: Desk,
  ledger: Ledger,
  { agent, others, isBack }: { agent: AgentName; others: string[]; isBack: boolean },
): Promise<void> {
  const { agent_id, name } = agent
  const rows = await write.all(
    `SELECT m.agent_id, m.channel, m.last_id, p.agent_id AS present FROM agents a
      JOIN marks m ON m.project = a.project AND m.agent_id = a.agent_id
      LEFT JOIN presence p ON p.project = a.project AND p.agent_id = a.agent_id
      WHERE a.project = ? AND a.name = ?`,
    ...[project, name],
  )
  const isOwn = (row: Row) => row.agent_id === agent_id
  const isAlone = others.length === 0
  // One that comes back may have left its marks to another that lives: it goes on with that one's.
  const isHeir = isAlone || (isBack && !rows.some(isOwn))
  const inherited = rows.filter((row) => isHeir || isOwn(row))
  const last = new Map<string, number>()
  for (const row of inherited) {
    const channel = text(row.channel)
    last.set(channel, Math.max(last.get(channel) ?? 0, integer(row.last_id)))
  }
  if (!last.has(broadcast)) {
    last.set(broadcast, (await firstOf(write, project, name)) ?? ledger.lastMessageId)
  }
  if (isAlone) last.set(ownUntil, ledger.lastMessageId)
  for (const [channel, after] of last) await moveMark(write, project, agent_id, { channel, after })
  if (!isAlone) return
  const gone = rows.filter((row) => row.present === null && !isOwn(row))
  for (const id of new Set(gone.map((row) => text(row.agent_id)))) {
    await write.run('DELETE FROM marks WHERE project = ? AND agent_id = ?', project, id)
  }
}
