/** Claims that were refused since another holds the place: whoever listens is told. */
import type { Write } from '../../store/batch.ts'
import { integer, type Row, text } from '../../store/store.ts'
import type { AgentName } from '../agents.ts'
import type { Desk } from '../desk.ts'

export interface RefusedClaim {
  /** The key of the project. */
  project: string
  /** What was wanted, in its normal form. */
  path: string
  wanted_id: string
  wanted_by: string
  /** What is in the way: the very path, or a folder above it, or something below it. */
  held_path: string
  held_by: string
  holder_name: string
  /** Since when it is held, and when it was refused; in microseconds. */
  claimed_us: number
  at_us: number
}

type RefusalListener = (claim: RefusedClaim) => void

/** So many of one call are told. */
const mostACall = 100

export class Refusals {
  readonly #listeners = new Set<RefusalListener>()

  /** From now on, until the function is called that this gives. */
  listen(listener: RefusalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  tell(claim: RefusedClaim): void {
    for (const listener of this.#listeners) listener(claim)
  }
}

/** Once the transaction is over in which somebody was refused. */
export function tellRefused(
  write: Write,
  { project, clock, refusals }: Desk,
  agent: AgentName,
  refused: { path: string; row: Row }[],
): void {
  for (const { path, row } of refused.slice(0, mostACall)) {
    const claim = {
      ...{ project, path, wanted_id: agent.agent_id, wanted_by: agent.name },
      held_path: text(row.file_path),
      held_by: text(row.agent_id),
      holder_name: text(row.agent_name),
      claimed_us: integer(row.claimed_us),
      at_us: clock.now() * 1000,
    }
    write.afterCommit(() => refusals.tell(claim))
  }
}
