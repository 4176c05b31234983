/** Which messages somebody who lives has not been handed: those are never pruned. */
import { integer, type Row, text } from '../../store/store.ts'
import type { Desk } from '../desk.ts'
import { markedPlaces } from '../inbox/marks.ts'
import { broadcast, directChannel } from '../messages.ts'

/** How far an agent was handed a channel. */
interface Handed {
  agentId: string
  upTo: number
}

/**
 * Tells it of a message by its id, channel and sender. In the channel of its name an agent counts
 * as living until it is swept; elsewhere, while it gives signs of life.
 */
export async function unreadByLiving(
  desk: Desk,
  person: string | undefined,
): Promise<(message: Row) => boolean> {
  const { project, store, clock, presence } = desk
  const living = await store.all(
    `SELECT a.agent_id, a.name, p.last_seen_us FROM presence p
      JOIN agents a ON a.project = p.project AND a.agent_id = p.agent_id WHERE p.project = ?`,
    project,
  )
  const marked = await store.all(
    `SELECT m.agent_id, m.channel, m.last_id FROM presence p
      JOIN marks m ON m.project = p.project AND m.agent_id = p.agent_id WHERE p.project = ?`,
    project,
  )
  const marks = new Map<string, Map<string, number>>()
  for (const row of marked) {
    const of = marks.get(text(row.agent_id)) ?? new Map<string, number>()
    marks.set(text(row.agent_id), of.set(text(row.channel), integer(row.last_id)))
  }
  const lowest = new Map<string, Handed[]>()
  const since = (clock.now() - presence.staleMs) * 1000
  for (const row of living) {
    const agent = { agent_id: text(row.agent_id), name: text(row.name) }
    const own = directChannel(agent.name)
    const handed = new Map([[own, 0], ...(marks.get(agent.agent_id) ?? [])])
    if (!handed.has(broadcast)) {
      const { places } = await markedPlaces(store, project, agent, [broadcast])
      handed.set(broadcast, places[0]?.after ?? 0)
    }
    const isHeard = integer(row.last_seen_us) >= since
    for (const [channel, upTo] of handed) {
      if (isHeard || channel === own) keepLowest(lowest, channel, { agentId: agent.agent_id, upTo })
    }
  }
  const forPerson = person === undefined ? undefined : await unreadBy(desk, person)
  return (message) => {
    if (forPerson?.has(integer(message.id))) return true
    const sender = text(message.sender_id)
    const other = lowest.get(text(message.channel))?.find(({ agentId }) => agentId !== sender)
    return other !== undefined && integer(message.id) > other.upTo
  }
}

/** The person lives without being registered: what was not read in their channel waits for them. */
async function unreadBy({ project, store }: Desk, person: string): Promise<Set<number>> {
  const rows = await store.all(
    `SELECT m.id FROM messages m
      LEFT JOIN receipts r ON r.project = m.project AND r.message_id = m.id
      WHERE m.project = ? AND m.channel = ? AND m.by_mailbox IS NULL AND r.read_us IS NULL`,
    ...[project, directChannel(person)],
  )
  return new Set(rows.map((row) => integer(row.id)))
}

/** Two a channel: one's own messages are not unread, and then the next counts. */
function keepLowest(lowest: Map<string, Handed[]>, channel: string, handed: Handed): void {
  const both = [...(lowest.get(channel) ?? []), handed].sort((one, other) => one.upTo - other.upTo)
  lowest.set(channel, both.slice(0, 2))
}
