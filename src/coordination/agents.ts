/** The agents of a project: who is registered, and that they are alive. */
import { AgentMailError } from '../errors.ts'
import type { Need, Supply, Write } from '../store/batch.ts'
import {
  chunksOf,
  integer,
  marks,
  type Reader,
  type Row,
  type Transaction,
  text,
} from '../store/store.ts'
import { uuid } from '../system/random.ts'
import type { Desk } from './desk.ts'
import { livingOf, type Welcome, waiting, welcome } from './inbox/company.ts'
import { takeOver } from './inbox/marks.ts'
import { sayGoodbye, stays } from './leaving.ts'
import { Ledger } from './ledger.ts'
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

const maxKnownNames = 10_000
const livingAProject = 5_000
const agentsAStatement = 250

export class Agents {
  readonly #desk: Desk
  /** Names by id: an id never changes its name. */
  readonly #names = new Map<string, string>()
  /** Whether an agent is registered; looking is a sign of its life. */
  readonly #presence: Supply<true>

  constructor(desk: Desk) {
    this.#desk = desk
    this.#presence = {
      table: 'presence',
      get: async (transaction, ids) =>
        new Map((await touchAll(transaction, desk, ids)).map((id) => [id, true])),
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
    const { project, queue, clock } = this.#desk
    const { agent, namesakes } = await queue.write(async (write) => {
      const known = input.agent_id && (await nameOf(write, project, input.agent_id))
      const agent_id = input.agent_id && known === input.name ? input.agent_id : uuid()
      const agent = { agent_id, name: input.name }
      await this.#checkRoom(write, agent_id)
      const ledger = await Ledger.open(write, this.#desk)
      const living = await livingOf(write, this.#desk, input.name)
      const namesakes = living.filter((other) => other.agent_id !== agent_id)
      const others = namesakes.map((other) => other.agent_id)
      await takeOver(write, this.#desk, ledger, { agent, others, isBack: known === input.name })
      const at = ledger.nextTime()
      await write.run('DELETE FROM presence WHERE project = ? AND agent_id = ?', project, agent_id)
      write.append('presence', {
        project,
        agent_id,
        last_seen_us: clock.now() * 1000,
        token: uuid(),
        leaving: input.isGuest ? stays.asGuest : null,
      })
      if (known === input.name) {
        await write.run(
          'UPDATE agents SET role = ? WHERE project = ? AND agent_id = ?',
          input.role,
          project,
          agent_id,
        )
      } else {
        write.append('agents', { project, ...agent, role: input.role, registered_us: at })
      }
      ledger.record(agent, 'registered', { at, note: input.role })
      return { agent, namesakes }
    })
    return { agent_id: agent.agent_id, ...(await welcome(this.#desk, agent, namesakes)) }
  }

  /** Refuses one more than may live; who lives already may come again. */
  async #checkRoom(write: Write, agentId: string): Promise<void> {
    const { project, clock, presence } = this.#desk
    await Ledger.lookedAt(write, this.#desk)
    const living = 'FROM presence WHERE project = ? AND last_seen_us >= ?'
    const since = (clock.now() - presence.staleMs) * 1000
    const [counted] = await write.all(`SELECT COUNT(*) AS agents ${living}`, project, since)
    if (integer(counted?.agents) < livingAProject) return
    const own = await write.all(
      `SELECT agent_id ${living} AND agent_id = ?`,
      ...[project, since, agentId],
    )
    if (own.length > 0) return
    throw new AgentMailError(
      'invalid_request',
      `too many agents: the project has ${integer(counted?.agents)} living ones of at most ${livingAProject}`,
      `Nobody was registered. Resume as one of yours with its agent_id, or wait: an agent that is silent for ${presence.staleMs / 1000} s counts no more.`,
    )
  }

  async heartbeat({ agent_id }: { agent_id: string }): Promise<{ ok: true; unread?: number }> {
    const agent = await this.#desk.queue.writeWith([this.alive(agent_id)], (write) =>
      this.touch(write, agent_id, 'heartbeat: '),
    )
    return { ok: true, ...(await waiting(this.#desk, agent)) }
  }

  /** Every write of an agent begins here: it counts as a sign of life, and only a registered agent may write. */
  async touch(write: Write, agent_id: string, prefix = ''): Promise<AgentName> {
    const isThere = await write.need(this.#presence, agent_id)
    const name = await this.#nameOf(write, agent_id)
    if (!isThere || name === undefined) throw notRegistered(agent_id, name !== undefined, prefix)
    return { agent_id, name }
  }

  async #nameOf(reader: Reader, agent_id: string): Promise<string | undefined> {
    const name = this.#names.get(agent_id) ?? (await nameOf(reader, this.#desk.project, agent_id))
    if (name === undefined) return undefined
    if (this.#names.size >= maxKnownNames) this.#names.clear()
    this.#names.set(agent_id, name)
    return name
  }

  /** How whoever has this id is called. */
  async nameOf(agent_id: string): Promise<string | undefined> {
    const { project, store } = this.#desk
    return this.#names.get(agent_id) ?? nameOf(store, project, agent_id)
  }

  /** What a write of this agent needs. */
  alive(agent_id: string): Need {
    return { supply: this.#presence, key: agent_id }
  }

  /** A reader must be registered too; its sign of life is written with the next flush, unless that is too late. */
  async checkRegistered(agent_id: string): Promise<AgentName> {
    const { project, store, presence, queue } = this.#desk
    const found = await store.all(
      'SELECT last_seen_us FROM presence WHERE project = ? AND agent_id = ?',
      project,
      agent_id,
    )
    const name = await this.#nameOf(store, agent_id)
    if (!found[0] || name === undefined) throw notRegistered(agent_id, name !== undefined)
    presence.seen(project, agent_id)
    if (presence.isOverdue(integer(found[0].last_seen_us))) {
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

/** Signs of life of these agents, and who of them is registered. */
async function touchAll(
  transaction: Transaction,
  { project, clock }: Desk,
  ids: string[],
): Promise<string[]> {
  const which = `WHERE project = ? AND agent_id IN (${marks(ids.length)})`
  const found = await transaction.run(
    `UPDATE presence SET last_seen_us = ?, token = ? ${which}`,
    clock.now() * 1000,
    uuid(),
    project,
    ...ids,
  )
  if (found === ids.length) return ids
  const rows = await transaction.all(`SELECT agent_id FROM presence ${which}`, project, ...ids)
  return rows.map((row) => text(row.agent_id))
}

const entryOf = (row: Row): Omit<AgentEntry, 'claims'> => ({
  agent_id: text(row.agent_id),
  name: text(row.name),
  role: text(row.role),
  registered_at: timeText(integer(row.registered_us)),
  last_seen: row.last_seen_us ? timeText(integer(row.last_seen_us)) : null,
  ...(row.leaving !== null && { is_guest: true }),
})

async function nameOf(
  reader: Reader,
  project: string,
  agentId: string,
): Promise<string | undefined> {
  const [row] = await reader.all(
    'SELECT name FROM agents WHERE project = ? AND agent_id = ?',
    project,
    agentId,
  )
  return row && text(row.name)
}

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
