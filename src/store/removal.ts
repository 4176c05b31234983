/** Removes many rows beside others who write: piece by piece, each a transaction of its own. */
import { sleep } from '../system/clock.ts'
import type { Write } from './batch.ts'
import { removeAll } from './insert.ts'
import type { Table } from './schema.ts'
import type { Row } from './store.ts'
import type { WriteQueue } from './write-queue.ts'

/** So few that whoever waits for a piece hardly notices. */
export const rowsAPiece = 500
const longestPauseMs = 200

export interface RemovalOptions {
  queue: WriteQueue
  /** Counts what it would remove, and changes nothing. */
  isDryRun: boolean
  /** Whether it is to stop after the piece that is under way; the next run goes on. */
  isEnding: () => boolean
  /** Is asked before each piece whether it may be removed. */
  mayGoOn?: () => Promise<boolean>
}

export class Removal {
  readonly #options: RemovalOptions

  constructor(options: RemovalOptions) {
    this.#options = options
  }

  get isDryRun(): boolean {
    return this.#options.isDryRun
  }

  get isEnding(): boolean {
    return this.#options.isEnding()
  }

  /** Gives how many of the rows it removed, or would. */
  rows(table: Table, rows: Row[], further: string[] = []): Promise<number> {
    return this.piece(rows.length, (write) => removeAll(write, table, rows, further))
  }

  /** Between two pieces others have as long as one took: a file has one writer at a time. */
  async piece(count: number, work: (write: Write) => Promise<number>): Promise<number> {
    const { queue, isDryRun, mayGoOn = async () => true } = this.#options
    if (count === 0 || isDryRun) return count
    if (!(await mayGoOn())) return 0
    const began = performance.now()
    const removed = await queue.write(work)
    await sleep(Math.min(longestPauseMs, performance.now() - began))
    return removed
  }
}
