/** A lock with a name on the server of a database, held by a connection of its own. It is politeness only: in a cluster each node has its own. */
import { untilAnswered } from '../../system/retry.ts'
import type { Line } from './lines.ts'

export class NamedLock {
  readonly #line: Line
  readonly #name: string

  /** @param line nobody else's: the lock goes with its connection. */
  constructor(line: Line, name: string) {
    this.#line = line
    this.#name = name.slice(0, 64)
  }

  /** Whether it is ours, now or since before. */
  async take(): Promise<boolean> {
    const connection = await this.#line.get()
    const { rows } = await connection.query(
      'SELECT IS_USED_LOCK(?) = CONNECTION_ID() AS held',
      this.#name,
    )
    if (rows[0]?.held === 1) return true
    const taken = await connection.query('SELECT GET_LOCK(?, 0) AS held', this.#name)
    return taken.rows[0]?.held === 1
  }

  /** Whether anybody has it. */
  async isTaken(): Promise<boolean> {
    const connection = await this.#line.get()
    const { rows } = await connection.query('SELECT IS_USED_LOCK(?) AS holder', this.#name)
    return rows[0]?.holder != null
  }

  /** Does this while it is ours; where it cannot be had in time, all the same. */
  async during<T>(patienceMs: number, work: () => Promise<T>): Promise<T> {
    await untilAnswered({ patienceMs, firstMs: 20, longestMs: 200 }, async () =>
      (await this.take().catch(() => false)) ? true : undefined,
    )
    try {
      return await work()
    } finally {
      await this.close() // the lock goes with it
    }
  }

  async close(): Promise<void> {
    await this.#line.close()
  }
}
