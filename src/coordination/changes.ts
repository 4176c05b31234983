/** Changes to files that agents announce to each other. */
import type { Write } from '../store/batch.ts'
import { integer, type Row, text } from '../store/store.ts'
import type { AgentName, Agents } from './agents.ts'
import type { Desk } from './desk.ts'
import { KeyedWrites } from './idempotency.ts'
import { Ledger } from './ledger.ts'
import { readPage, type Stream } from './pages.ts'
import { timeText } from './time.ts'

export interface ChangeEntry {
  id: number
  agent_id: string
  file_path: string
  summary: string
  announced_at: string
}

export const changeStream: Stream = { table: 'changes', time: 'announced_us', filter: 'agent_id' }

export class Changes {
  readonly #desk: Desk
  readonly #writes: KeyedWrites

  constructor(desk: Desk, agents: Agents) {
    this.#desk = desk
    this.#writes = new KeyedWrites(desk, agents)
  }

  async announce({
    agent_id,
    file_path: spelling,
    summary,
    idempotency_key,
  }: {
    agent_id: string
    file_path: string
    summary: string
    idempotency_key?: string | undefined
  }): Promise<{ change_id: number }> {
    const [file_path = ''] = await this.#desk.normalPaths([spelling])
    const call = {
      agent_id,
      tool: 'announce_change' as const,
      key: idempotency_key,
      content: [file_path, summary],
    }
    const change_id = await this.#writes.once(call, (write, agent) =>
      storeChange(write, this.#desk, agent, { file_path, summary }),
    )
    return { change_id }
  }

  async get({
    agent_id,
    ...request
  }: {
    since?: string | undefined
    agent_id?: string | undefined
    after_id?: number | undefined
    limit?: number | undefined
  }): Promise<{ changes: ChangeEntry[]; has_more: boolean }> {
    const { project, store } = this.#desk
    const page = await readPage(
      store,
      changeStream,
      project,
      { ...request, only: agent_id },
      entryOf,
    )
    return { changes: page.entries, has_more: page.has_more }
  }
}

/** Adds a change to what a transaction stores, and gives its id. */
export async function storeChange(
  write: Write,
  desk: Desk,
  agent: AgentName,
  { file_path, summary }: Pick<ChangeEntry, 'file_path' | 'summary'>,
): Promise<number> {
  const { project, news } = desk
  const ledger = await Ledger.open(write, desk)
  const id = ledger.nextChangeId()
  const at = ledger.nextTime()
  write.append('changes', {
    project,
    id,
    announced_us: at,
    agent_id: agent.agent_id,
    agent_name: agent.name,
    file_path,
    summary,
  })
  ledger.record(agent, 'announced', { at, file_path, change_id: id })
  write.afterCommit(() => news.stored({ project, stream: 'changes' }, id))
  return id
}

const entryOf = (row: Row): ChangeEntry => ({
  id: integer(row.id),
  agent_id: text(row.agent_id),
  file_path: text(row.file_path),
  summary: text(row.summary),
  announced_at: timeText(integer(row.announced_us)),
})
