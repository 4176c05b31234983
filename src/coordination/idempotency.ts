/** A key that a caller gives to a write, so that a retry gets the first answer instead of a second write. */
import { AgentMailError } from '../errors.ts'
import type { Need, Supply, Write } from '../store/batch.ts'
import { integer, type Transaction, text } from '../store/store.ts'
import { sha256 } from '../system/text.ts'
import type { AgentName, Agents } from './agents.ts'
import type { Desk } from './desk.ts'

interface KeyedCall {
  agent_id: string
  tool: 'send_message' | 'announce_change'
  /** Nothing: the call is not keyed. */
  key: string | undefined
  /** What must be the same for the key to mean the same call. */
  content: string[]
}

interface Answer {
  content_hash: string
  result_id: number
}

/** The writes of a project's agents that may carry a key. */
export class KeyedWrites {
  readonly #desk: Desk
  readonly #agents: Agents
  readonly #answers: Supply<Answer>

  constructor(desk: Desk, agents: Agents) {
    this.#desk = desk
    this.#agents = agents
    this.#answers = {
      table: 'idempotency_keys',
      get: (transaction, names) => readAnswers(transaction, desk.project, names),
    }
  }

  /** Gives the id of what `work` writes; with a key that came before, the id that the first call was given. */
  async once(
    call: KeyedCall,
    work: (write: Write, agent: AgentName) => Promise<number>,
  ): Promise<number> {
    const needs = [...this.#needs(call), this.#agents.alive(call.agent_id)]
    return this.#desk.queue.writeWith(needs, async (write) => {
      const before = await this.#answeredBefore(write, call)
      const agent = await this.#agents.touch(write, call.agent_id)
      if (before !== undefined) return before
      const id = await work(write, agent)
      this.#rememberAnswer(write, call, id)
      return id
    })
  }

  #needs(call: KeyedCall): Need[] {
    return call.key ? [{ supply: this.#answers, key: nameOf(call, call.key) }] : []
  }

  async #answeredBefore(write: Write, call: KeyedCall): Promise<number | undefined> {
    if (!call.key) return undefined
    const before = await write.need(this.#answers, nameOf(call, call.key))
    if (!before || before.content_hash === contentHash(call)) return before?.result_id
    throw new AgentMailError(
      'invalid_request',
      'idempotency_key was used before with other content',
      'Take a new key for new content; repeat a key only to repeat the very same call.',
    )
  }

  #rememberAnswer(write: Write, call: KeyedCall, result_id: number): void {
    if (!call.key) return
    const { agent_id, tool } = call
    const answer = { content_hash: contentHash(call), result_id }
    const key_hash = sha256(call.key)
    write.append('idempotency_keys', {
      project: this.#desk.project,
      agent_id,
      tool,
      key_hash,
      ...answer,
      used_us: this.#desk.clock.now() * 1000,
    })
    write.provide(this.#answers, nameOf(call, call.key), answer)
  }
}

/** The agent stands last, since only that may hold a space. */
const nameOf = ({ agent_id, tool }: KeyedCall, key: string) => `${tool} ${sha256(key)} ${agent_id}`

async function readAnswers(
  transaction: Transaction,
  project: string,
  names: string[],
): Promise<Map<string, Answer>> {
  const parts = names.map((name) => {
    const [tool = '', hash = '', ...agent] = name.split(' ')
    return [project, tool, hash, agent.join(' ')]
  })
  // The whole key in each part: Dolt looks through the project otherwise.
  const one = '(project = ? AND tool = ? AND key_hash = ? AND agent_id = ?)'
  const rows = await transaction.all(
    `SELECT tool, key_hash, agent_id, content_hash, result_id FROM idempotency_keys WHERE ${parts.map(() => one).join(' OR ')}`,
    ...parts.flat(),
  )
  return new Map(
    rows.map((row) => [
      `${text(row.tool)} ${text(row.key_hash)} ${text(row.agent_id)}`,
      { content_hash: text(row.content_hash), result_id: integer(row.result_id) },
    ]),
  )
}

const contentHash = ({ content }: KeyedCall) => sha256(JSON.stringify(content))
