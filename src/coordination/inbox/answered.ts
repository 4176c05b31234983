/** What was answered was read: its receipt says so, and whoever answered is not handed it again. */
import type { Write } from '../../store/batch.ts'
import { integer } from '../../store/store.ts'
import type { AgentEntry, Agents } from '../agents.ts'
import type { Desk } from '../desk.ts'
import { directChannel, handedBy } from '../messages.ts'
import { markedPlaces, moveMarkOf } from './marks.ts'
import type { Receipts } from './receipts.ts'

export interface AnsweredMessage {
  /** To whom the message was. */
  name: string
  id: number
  /** Who answered: the id of an agent, or that name. */
  agent: string
}

/** So many that follow are looked at. */
const rowsAtOnce = 500

export async function answered(
  { project, store, queue }: Desk,
  agents: Agents,
  receipts: Receipts,
  { name, id, agent }: AnsweredMessage,
): Promise<void> {
  const channel = directChannel(name)
  const [message] = await store.all(
    'SELECT id FROM messages WHERE project = ? AND id = ? AND channel = ?',
    ...[project, id, channel],
  )
  if (!message) return
  const known = (await agents.list({ known: true, agent })).agents
  const reader = readerOf(known, name, agent)
  const namesakes = (await agents.list({ agent: name })).agents
  const isAlone = livingIn(namesakes.filter((one) => one.name === name)).length <= 1
  await queue.write(async (write) => {
    await receipts.readIn(write, [id])
    if (isAlone) await handOver(write, project, id)
    if (reader) await passOver(write, receipts, project, reader, channel)
  })
}

/** Of several that live under the name nobody knows which it was: each is handed what it was not. */
function readerOf(known: AgentEntry[], name: string, agent: string): AgentEntry | undefined {
  const meant = known.filter(({ agent_id }) => agent_id === agent)
  const called = meant.length > 0 ? meant : known.filter((one) => one.name === name)
  const living = livingIn(called)
  const [first, ...others] = living.length > 0 ? living : called.sort(latestFirst)
  return living.length > 0 && others.length > 0 ? undefined : first
}

const livingIn = (agents: AgentEntry[]): AgentEntry[] =>
  agents.filter(({ last_seen, is_guest }) => last_seen !== null && !is_guest)

/** Nobody is handed it again, though what came before it is unread: where nobody else has the name, that is sure. */
async function handOver(write: Write, project: string, id: number): Promise<void> {
  await write.run(
    'UPDATE messages SET by_mailbox = ? WHERE project = ? AND id = ? AND by_mailbox IS NULL',
    ...[handedBy.answer, project, id],
  )
}

const latestFirst = (one: AgentEntry, other: AgentEntry): number =>
  one.registered_at < other.registered_at ? 1 : -1

/** Moves the mark to the last message before which nothing is unread. */
async function passOver(
  write: Write,
  receipts: Receipts,
  project: string,
  agent: AgentEntry,
  channel: string,
): Promise<void> {
  const { places, notOwn } = await markedPlaces(write, project, agent, [channel])
  for (const { after } of places) {
    const rows = await write.all(
      `SELECT id FROM messages WHERE project = ? AND channel = ? AND id > ? AND ${notOwn.sql}
        ORDER BY project, channel, id LIMIT ${rowsAtOnce}`,
      ...[project, channel, after, ...notOwn.values],
    )
    const ids = rows.map((row) => integer(row.id))
    const states = await receipts.states(ids, write)
    const open = ids.findIndex((id) => states.get(id)?.state !== 'read')
    const last = ids.at(open === -1 ? ids.length - 1 : open - 1)
    if (open !== 0 && last !== undefined) {
      await moveMarkOf(write, project, agent, { channel, after: last })
    }
  }
}
