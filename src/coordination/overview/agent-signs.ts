/** What was heard of agents, what they said last and hold first, and who is gone. Many at a time. */
import { chunksOf, integer, marks, text } from '../../store/store.ts'
import type { Desk } from '../desk.ts'
import { type SessionState, sessionStateOf } from '../sessions/session-rows.ts'

/** Times in microseconds. */
export interface AgentSigns {
  session?: { client: string; state: SessionState; stateUs: number }
  /** When it last did or said something itself; an open connection alone tells nothing of that. 0: nobody knows. */
  heardUs: number
}

export interface Words {
  id: number
  us: number
  /** Of whoever had the name then. */
  sender_id: string
  subject: string
  body: string
}

export interface FileCount {
  agent_id: string
  claims: number
}

export interface GoneAgent {
  agent_id: string
  name: string
  /** Nothing where it was forgotten. */
  role: string | null
  us: number
}

const agentsAStatement = 200
/** So many of the newest entries tell when each agent was last at work. */
const entriesLooked = 20_000
const entriesLookedForGone = 50_000
const mostGone = 500
const filesNamed = 3
const claimsAtOnce = 5000
const shownOfBody = 500

export async function signsOf(desk: Desk, ids: string[]): Promise<Map<string, AgentSigns>> {
  const { store, project, presence } = desk
  const worked = await lastAtWork(desk)
  const signs = new Map<string, AgentSigns>()
  for (const some of chunksOf(ids, agentsAStatement)) {
    const these = `project = ? AND agent_id IN (${marks(some.length)})`
    const seen = await store.all(
      `SELECT agent_id, last_seen_us FROM presence WHERE ${these}`,
      ...[project, ...some],
    )
    const lastSeen = new Map(seen.map((row) => [text(row.agent_id), integer(row.last_seen_us)]))
    for (const id of some) {
      const alive = presence.isHeld(project, id) ? 0 : (lastSeen.get(id) ?? 0)
      const heardUs = Math.max(alive, worked.get(id) ?? 0, presence.calledUs(project, id))
      signs.set(id, { heardUs })
    }
    // Of several sessions, the one that was heard of last.
    const sessions = await store.all(
      `SELECT agent_id, client, state, state_us, heard_us FROM sessions
        WHERE ${these} AND state <> 'offline' ORDER BY heard_us, session_key`,
      ...[project, ...some],
    )
    for (const row of sessions) {
      const id = text(row.agent_id)
      const heardUs = Math.max(signs.get(id)?.heardUs ?? 0, integer(row.heard_us))
      const state = sessionStateOf(row.state)
      const session = { client: text(row.client), state, stateUs: integer(row.state_us) }
      signs.set(id, { session, heardUs })
    }
  }
  return signs
}

/** By the journal; what was released may have been taken from an agent, and tells nothing of it. */
async function lastAtWork({ store, project }: Desk): Promise<Map<string, number>> {
  const rows = await store.all(
    `SELECT agent_id, MAX(at_us) AS us FROM (SELECT agent_id, at_us, event FROM journal
      WHERE project = ? ORDER BY project DESC, entry DESC LIMIT ${entriesLooked}) AS newest_ones
      WHERE event <> 'released' GROUP BY agent_id`,
    project,
  )
  return new Map(rows.map((row) => [text(row.agent_id), integer(row.us)]))
}

export async function lastWords(
  { store, project }: Desk,
  ids: string[],
): Promise<Map<string, Words>> {
  const found = new Map<string, Words>()
  for (const some of chunksOf(ids, agentsAStatement)) {
    const newest = await store.all(
      `SELECT a.agent_id, (SELECT m.id FROM messages m WHERE m.project = a.project AND m.sender_name = a.name
          ORDER BY m.project DESC, m.sender_name DESC, m.id DESC LIMIT 1) AS id
        FROM agents a WHERE a.project = ? AND a.agent_id IN (${marks(some.length)})`,
      ...[project, ...some],
    )
    const said = newest.filter(({ id }) => id !== null)
    if (said.length === 0) continue
    const wanted = [...new Set(said.map((row) => integer(row.id)))]
    const rows = await store.all(
      `SELECT id, created_us, sender_id, subject, SUBSTR(body, 1, ${shownOfBody}) AS body
        FROM messages WHERE project = ? AND id IN (${marks(wanted.length)})`,
      ...[project, ...wanted],
    )
    const byId = new Map(rows.map((row) => [integer(row.id), row]))
    for (const { agent_id, id } of said) {
      const row = byId.get(integer(id))
      if (!row) continue
      found.set(text(agent_id), {
        id: integer(row.id),
        us: integer(row.created_us),
        sender_id: text(row.sender_id),
        subject: text(row.subject),
        body: text(row.body),
      })
    }
  }
  return found
}

export async function firstFiles(
  { store, project }: Desk,
  agents: FileCount[],
): Promise<Map<string, string[]>> {
  const files = new Map<string, string[]>()
  for (const some of withFewClaims(agents.filter(({ claims }) => claims > 0))) {
    const rows = await store.all(
      `SELECT agent_id, file_path FROM file_claims WHERE project = ? AND agent_id IN (${marks(some.length)})`,
      ...[project, ...some],
    )
    for (const row of rows) {
      const own = files.get(text(row.agent_id))
      if (own) own.push(text(row.file_path))
      else files.set(text(row.agent_id), [text(row.file_path)])
    }
    for (const id of some) files.set(id, (files.get(id) ?? []).sort().slice(0, filesNamed))
    await new Promise((resolve) => setImmediate(resolve)) // others have their turn
  }
  return files
}

/** Agents that are looked at together: one at least, and no more than have few claims between them. */
function* withFewClaims(agents: FileCount[]): Generator<string[]> {
  let some: string[] = []
  let claims = 0
  for (const agent of agents) {
    const isFull = some.length === agentsAStatement || claims + agent.claims > claimsAtOnce
    if (isFull && some.length > 0) {
      yield some
      some = []
      claims = 0
    }
    some.push(agent.agent_id)
    claims += agent.claims
  }
  if (some.length > 0) yield some
}

export async function goneAgents({ store, project }: Desk, sinceUs: number): Promise<GoneAgent[]> {
  const rows = await store.all(
    `SELECT g.agent_id, g.agent_name, g.at_us, a.role FROM (SELECT entry, at_us, agent_id, agent_name, event
        FROM journal WHERE project = ? ORDER BY project DESC, entry DESC LIMIT ${entriesLookedForGone}) AS g
      LEFT JOIN agents a ON a.project = ? AND a.agent_id = g.agent_id
      WHERE g.event IN ('left', 'went stale') AND g.at_us >= ? ORDER BY g.entry DESC LIMIT ${mostGone}`,
    ...[project, project, sinceUs],
  )
  return rows.map((row) => ({
    agent_id: text(row.agent_id),
    name: text(row.agent_name),
    role: typeof row.role === 'string' ? row.role : null,
    us: integer(row.at_us),
  }))
}
