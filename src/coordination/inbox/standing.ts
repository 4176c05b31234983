/** Where the registered agents stand, and how much waits for each of them. */
import { chunksOf, integer, marks as placeholders, type Reader, text } from '../../store/store.ts'
import { uuid } from '../../system/random.ts'
import type { AgentEntry, AgentName, Agents, AgentsRequest } from '../agents.ts'
import type { Desk } from '../desk.ts'
import { directChannel } from '../messages.ts'
import { type SessionState, sessionsOfAgents } from '../sessions/session-rows.ts'
import { markedPlaces } from './marks.ts'

export interface AgentStanding extends AgentEntry {
  /** As the process told that registered it; nothing where none did, as by HTTP. */
  place: string | null
  /** How many messages in `@name` were not read, of the newest thousand. */
  unread: number
  /** That of a coding client, where it is one. */
  session?: { client: string; state: SessionState }
}

export interface StandingsPage {
  agents: AgentStanding[]
  has_more: boolean
}

const agentsAStatement = 200
const newest = 1000

/** Whoever registers again, from wherever, has told nothing yet. */
export async function standAt(desk: Desk, agentId: string, place: string): Promise<void> {
  await desk.queue.write((write) =>
    write.run(
      'UPDATE presence SET place = ?, token = ? WHERE project = ? AND agent_id = ?',
      ...[place, uuid(), desk.project, agentId],
    ),
  )
}

/** A page of those who are registered, in the order of their ids. */
export async function standingsOf(
  desk: Desk,
  agents: Agents,
  request: AgentsRequest,
): Promise<StandingsPage> {
  const page = await agents.list(request)
  const standings: AgentStanding[] = []
  for (const some of chunksOf(page.agents, agentsAStatement)) {
    const told = await toldPlaces(desk, some)
    const sessions = await sessionsOfAgents(
      desk,
      some.map(({ agent_id }) => agent_id),
    )
    for (const agent of some) {
      const unread = await countNotRead(desk, agent)
      const session = sessions.get(agent.agent_id)
      const place = told.get(agent.agent_id) ?? null
      standings.push({ ...agent, place, unread, ...(session && { session }) })
      await new Promise((resolve) => setImmediate(resolve)) // others have their turn
    }
  }
  return { agents: standings, has_more: page.has_more }
}

/** Where those of a name stand who were heard of since. */
export async function placesByName(
  reader: Reader,
  project: string,
  { name, sinceUs }: { name: string; sinceUs: number },
): Promise<Pick<AgentStanding, 'place'>[]> {
  const rows = await reader.all(
    `SELECT p.place FROM presence p JOIN agents a
      ON p.project = a.project AND p.agent_id = a.agent_id
      WHERE p.project = ? AND a.name = ? AND p.last_seen_us >= ?`,
    ...[project, name, sinceUs],
  )
  return rows.map(({ place }) => ({ place: place === null ? null : text(place) }))
}

async function toldPlaces({ store, project }: Desk, agents: AgentEntry[]) {
  const rows = await store.all(
    `SELECT agent_id, place FROM presence
      WHERE project = ? AND place IS NOT NULL AND agent_id IN (${placeholders(agents.length)})`,
    ...[project, ...agents.map(({ agent_id }) => agent_id)],
  )
  return new Map(rows.map((row) => [text(row.agent_id), text(row.place)]))
}

/** Neither handed to this agent nor read by a cursor. */
async function countNotRead({ store, project }: Desk, agent: AgentName): Promise<number> {
  const channel = directChannel(agent.name)
  const { places, notOwn } = await markedPlaces(store, project, agent, [channel])
  const [row] = await store.all(
    `SELECT COUNT(*) AS unread
      FROM (SELECT id, sender_id, sender_name, by_mailbox FROM messages
        WHERE project = ? AND channel = ? AND id > ?
        ORDER BY project DESC, channel DESC, id DESC LIMIT ${newest}) AS newest_ones
      LEFT JOIN receipts r ON r.project = ? AND r.message_id = newest_ones.id
      WHERE r.read_us IS NULL AND ${notOwn.sql}`,
    ...[project, channel, places[0]?.after ?? 0, project, ...notOwn.values],
  )
  return integer(row?.unread)
}
