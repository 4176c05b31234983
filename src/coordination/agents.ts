/** The agents of a project: who is registered, and that they are alive. */
import { AgentMailError } from '../errors.ts'
import type { Need, Supply, Write } from '../store/batch.ts'
import { chunksOf, integer, marks, type Row, type Transaction, text } from '../store/store.ts'
import { uuid } from '../system/random.ts'
import type { Desk } from './desk.ts'
import { enter, nameOfAgent } from './entering.ts'
import { type Welcome, waiting, welcome } from './inbox/company.ts'
import { sayGoodbye } from './leaving.ts'
import { entriesAPage, fillPage } from './pages.ts'
import { timeText } from './time.ts'

export interface AgentName {
  agent_id: string
  name: string
}

export interface AgentEntry extends AgentName {
  role: string
  registered_at: string
  /** Null for one that went stale or left. */
  last_seen: string | null
  /** How many files it holds. */
  claims: number
  /** It came for one thing, and reads no channel. */
  is_guest?: true
}

export interface AgentsRequest {
  /** Also those who went stale or left. */
  known?: boolean | undefined
  /** Only whoever has this name or id. */
  agent?: string | undefined
  limit?: number | undefined
  /** Only those whose id comes after this one. */
  after?: string | undefined
}

export interface AgentsPage {
  agents: AgentEntry[]
  has_more: boolean
}

const agentsAStatement = 250

export class Agents {
  readonly #desk: Desk
  /** The names of those who are registered; looking is a sign of their life. */
  readonly #presence: Supply<string>

  constructor(desk: Desk) {
    this.#desk = desk
    this.#presence = {
      table: 'presence',
      get: (transaction, ids) => touchAll(transaction, desk, ids),
    }
  }

  /**
   * Gives a new id, or the same again to whoever was known by it under this name.
   * @param input.isGuest it comes for one thing, and reads no channel.
   */
  async register(input: {
    name: string
    role: string
    agent_id?: string | undefined
    isGuest?: boolean
  }): Promise<{ agent_id: string } & Welcome> {
    const { agent, namesakes } = await this.#desk.queue.write((write) =>
      enter(write, this.#desk, input),
    )
    return { agent_id: agent.agent_id, ...(await welcome(this.#desk, agent, namesakes)) }
  }

  /** @param input.isKept a connection keeps it alive, and it does nothing itself. */
  async heartbeat({
    agent_id,
    isKept = false,
  }: {
    agent_id: string
    isKept?: boolean | undefined
  }): Promise<{ ok: true; unread?: number }> {
    const agent = await this.#desk.queue.writeWith([this.alive(agent_id)], (write) =>
      this.#touch(write, agent_id, 'heartbeat: '),
    )
    if (isKept) this.#desk.presence.keptAlive(this.#desk.project, agent_id)
    else this.#desk.presence.called(this.#desk.project, agent_id)
    return { ok: true, ...(await waiting(this.#desk, agent)) }
  }

  /** Every write of an agent begins here: it counts as a sign of life, and only a registered agent may write. */
  async touch(write: Write, agent_id: string): Promise<AgentName> {
    const { project, presence } = this.#desk
    const agent = await this.#touch(write, agent_id)
    write.afterCommit(() => presence.called(project, agent_id))
    return agent
  }

  async #touch(write: Write, agent_id: string, prefix = ''): Promise<AgentName> {
    const name = await write.need(this.#presence, agent_id)
    if (name !== undefined) return { agent_id, name }
    const wasKnown = (await nameOfAgent(write, this.#desk.project, agent_id)) !== undefined
    throw notRegistered(agent_id, wasKnown, prefix)
  }

  /** How whoever has this id is called. */
  async nameOf(agent_id: string): Promise<string | undefined> {
    return nameOfAgent(this.#desk.store, this.#desk.project, agent_id)
  }

  /** What a write of this agent needs. */
  alive(agent_id: string): Need {
    return { supply: this.#presence, key: agent_id }
  }

  /** A reader must be registered too; its sign of life is written with the next flush, unless that is too late. */
  async checkRegistered(agent_id: string): Promise<AgentName> {
    const { project, store, presence, queue } = this.#desk
    const [found] = await store.all(
      `SELECT a.name, p.last_seen_us FROM agents a
        LEFT JOIN presence p ON p.project = a.project AND p.agent_id = a.agent_id
        WHERE a.project = ? AND a.agent_id = ?`,
      ...[project, agent_id],
    )
    if (typeof found?.last_seen_us !== 'number') throw notRegistered(agent_id, found !== undefined)
    const name = text(found.name)
    presence.seen(project, agent_id)
    if (presence.isOverdue(found.last_seen_us)) {
      await queue
        .writeWith([this.alive(agent_id)], (write) => this.touch(write, agent_id))
        .catch((error) => {
          if (!AgentMailError.is(error, 'storage')) throw error // reading goes on
        })
    }
    return { agent_id, name }
  }

  /** Says goodbye without a notice: for callers that come for one thing. Whoever still holds files stays until they are released. */
  async leave(agent_id: string): Promise<void> {
    await this.#desk.queue.write(async (write) =>
      sayGoodbye(write, this.#desk, await this.touch(write, agent_id)),
    )
  }

  /** A page of those who are registered, in the order of their ids. */
  async list({
    known = false,
    agent,
    limit = entriesAPage,
    after = '',
  }: AgentsRequest = {}): Promise<AgentsPage> {
    const { project, store } = this.#desk
    const from = known ? 'agents a LEFT JOIN presence p' : 'presence p JOIN agents a'
    const key = known ? 'a' : 'p'
    const { entries, has_more } = await fillPage(
      limit,
      limit + 1,
      (last) =>
        store.all(
          `SELECT a.agent_id, a.name, a.role, a.registered_us, p.last_seen_us, p.leaving
            FROM ${from} ON p.project = a.project AND p.agent_id = a.agent_id
            WHERE ${key}.project = ? AND ${key}.agent_id > ?
              ${agent === undefined ? '' : 'AND (a.agent_id = ? OR a.name = ?)'}
            ORDER BY ${key}.project, ${key}.agent_id LIMIT ${limit + 1}`,
          ...[project, last ? text(last.agent_id) : after],
          ...(agent === undefined ? [] : [agent, agent]),
        ),
      entryOf,
    )
    const claims = new Map<string, number>()
    for (const some of chunksOf(entries, agentsAStatement)) {
      const rows = await store.all(
        `SELECT agent_id, COUNT(*) AS claims FROM file_claims
          WHERE project = ? AND agent_id IN (${marks(some.length)}) GROUP BY agent_id`,
        project,
        ...some.map(({ agent_id }) => agent_id),
      )
      for (const row of rows) claims.set(text(row.agent_id), integer(row.claims))
    }
    const agents = entries.map((entry) => ({ ...entry, claims: claims.get(entry.agent_id) ?? 0 }))
    return { agents, has_more }
  }
}

/** Signs of life of these agents, and the names of those who are registered. */
async function touchAll(
  transaction: Transaction,
  { project, clock }: Desk,
  ids: string[],
): Promise<Map<string, string>> {
  const these = `agent_id IN (${marks(ids.length)})`
  await transaction.run(
    `UPDATE presence SET last_seen_us = ?, token = ? WHERE project = ? AND ${these}`,
    ...[clock.now() * 1000, uuid(), project, ...ids],
  )
  const rows = await transaction.all(
    `SELECT p.agent_id, a.name FROM presence p
      JOIN agents a ON a.project = p.project AND a.agent_id = p.agent_id
      WHERE p.project = ? AND p.${these}`,
    ...[project, ...ids],
  )
  return new Map(rows.map((row) => [text(row.agent_id), text(row.name)]))
}

const entryOf = (row: Row): Omit<AgentEntry, 'claims'> => ({
  agent_id: text(row.agent_id),
  name: text(row.name),
  role: text(row.role),
  registered_at: timeText(integer(row.registered_us)),
  last_seen: row.last_seen_us ? timeText(integer(row.last_seen_us)) : null,
  ...(row.leaving !== null && { is_guest: true }),
})

function notRegistered(agentId: string, wasKnown: boolean, prefix = ''): AgentMailError {
  const next = wasKnown
    ? 'It was removed, most likely because nothing was heard of it for too long. Register again, with the same name and this agent_id to keep the id; claims must be made anew.'
    : 'Register first: register gives you the agent_id to use.'
  return new AgentMailError(
    'not_registered',
    `${prefix}agent "${agentId.slice(0, 100)}" is not registered`,
    next,
  )
}
