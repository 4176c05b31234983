/** Who else is there: what a newcomer is told, and what whoever writes to a name is warned of. */
import { AgentMailError } from '../../errors.ts'
import { integer, type Reader, type Row, text } from '../../store/store.ts'
import { timeSpan } from '../../system/clock.ts'
import type { AgentName } from '../agents.ts'
import type { Desk } from '../desk.ts'
import { countUnread } from './marks.ts'

/** So many of the others a newcomer is told of. */
const told = 50
/** So many of the same name a note names. */
const named = 3

export interface Namesake {
  agent_id: string
  role: string
  silentMs: number
}

const living = 'p.project = ? AND p.last_seen_us >= ?'

const sinceOf = ({ clock, presence }: Desk): number => (clock.now() - presence.staleMs) * 1000

/** The agents of a name that live, the one that was silent longest first. */
export async function livingOf(reader: Reader, desk: Desk, name: string): Promise<Namesake[]> {
  const rows = await reader.all(
    `SELECT a.agent_id, a.role, p.last_seen_us FROM agents a
      JOIN presence p ON p.project = a.project AND p.agent_id = a.agent_id
      WHERE a.project = ? AND a.name = ? AND ${living}`,
    ...[desk.project, name, desk.project, sinceOf(desk)],
  )
  const now = desk.clock.now()
  return rows
    .map((row) => ({
      agent_id: text(row.agent_id),
      role: text(row.role),
      silentMs: Math.max(0, now - integer(row.last_seen_us) / 1000),
    }))
    .sort((one, other) => other.silentMs - one.silentMs)
}

/** What whoever registers is told of the others. */
export interface Welcome {
  agents: { name: string; role: string }[]
  /** How many messages wait for it; nothing where that could not be found out. */
  unread?: number
  /** That another living agent has its name. */
  note?: string
}

export async function welcome(
  desk: Desk,
  agent: AgentName,
  namesakes: Namesake[],
): Promise<Welcome> {
  const agents = await othersThan(desk, agent.agent_id).catch(unlessUnreadable([]))
  const note = noteOf(agent, namesakes)
  return { agents, ...(await waiting(desk, agent)), ...(note && { note }) }
}

/** How many messages wait for an agent. */
export async function waiting(desk: Desk, agent: AgentName): Promise<{ unread?: number }> {
  const unread = await countUnread(desk, agent).catch(unlessUnreadable(undefined))
  return unread === undefined ? {} : { unread }
}

/** What was written is written: that the database cannot be read just now must not be told in its place. */
const unlessUnreadable =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (AgentMailError.is(error, 'storage')) return instead
    throw error
  }

/** The others that live, in the order of their names; at most fifty. */
async function othersThan(desk: Desk, agentId: string): Promise<{ name: string; role: string }[]> {
  const rows = await desk.store.all(
    `SELECT a.name, a.role FROM presence p
      JOIN agents a ON a.project = p.project AND a.agent_id = p.agent_id
      WHERE ${living} AND p.agent_id <> ? ORDER BY p.project, p.agent_id LIMIT ${told}`,
    ...[desk.project, sinceOf(desk), agentId],
  )
  const entry = (row: Row) => ({ name: text(row.name), role: text(row.role) })
  return rows.map(entry).sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Nothing where there is no other of the name. */
function noteOf({ name }: AgentName, others: Namesake[]): string | undefined {
  const [first] = others
  if (!first) return undefined
  const each = others
    .slice(0, named)
    .map(
      ({ agent_id, role, silentMs }) => `${agent_id} (${role}), silent for ${timeSpan(silentMs)}`,
    )
  const more = others.length > named ? ` and ${others.length - named} more` : ''
  const called = `called "${name}": ${each.join('; ')}${more}.`
  return others.length === 1
    ? `another living agent is ${called} If that was you, register again with agent_id "${first.agent_id}" to resume it. If not, @${name} reaches you both: take another name.`
    : `${others.length} other living agents are ${called} If one of them was you, register again with its agent_id to resume it. If not, @${name} reaches all of you: take another name.`
}

/** Why one who is written to may not read it soon: nobody of the name lives, though somebody was known by it. */
export async function silenceOf(desk: Desk, name: string): Promise<string | undefined> {
  const { project, store } = desk
  if ((await livingOf(store, desk, name)).length > 0) return undefined
  const [known] = await store.all(
    'SELECT agent_id FROM agents WHERE project = ? AND name = ? LIMIT 1',
    ...[project, name],
  )
  return known && `${name} is not registered at present, and reads this when it is again`
}
