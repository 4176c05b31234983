/** Commits whose answer may be lost with the connection: whether one took effect is found out, not guessed. */
import { uuid } from '../../system/random.ts'
import { again, isAgain } from '../again.ts'
import { StoreError } from '../store.ts'
import { ConnectionLost, type MysqlConnection } from './connection.ts'
import type { Line } from './lines.ts'

/** How long the outcome of a commit is looked for. */
const outcomeMs = 15_000

/** Every transaction leaves its token in the row of its writer. */
export const writersTable = `CREATE TABLE writers (
  writer CHAR(36) NOT NULL,
  token CHAR(36) NOT NULL,
  fence CHAR(36) NOT NULL,
  PRIMARY KEY (writer))`

/** One process that writes, on one connection after the other. */
export class Committer {
  readonly #line: Line
  readonly #id = uuid()
  #isKnown = false

  constructor(line: Line) {
    this.#line = line
  }

  /** Ends a transaction; an error means that it left nothing, or is `unknown`. */
  async commit(connection: MysqlConnection): Promise<void> {
    const token = uuid()
    try {
      await this.#leave(connection, token)
    } catch (error) {
      await rollBack(connection)
      throw error
    }
    try {
      await connection.query('COMMIT')
      this.#isKnown = true
    } catch (error) {
      if (isAgain(error) && !(error instanceof ConnectionLost)) {
        await rollBack(connection)
        throw error
      }
      connection.destroy() // whatever it said: a node that fails may have told the others before
      if (!(await this.#isCommitted(token))) throw error
    }
  }

  /** Takes its row away. */
  async close(): Promise<void> {
    if (!this.#isKnown) return
    const connection = await this.#line.get()
    await connection.query('DELETE FROM writers WHERE writer = ?', this.#id)
  }

  async #leave(connection: MysqlConnection, token: string): Promise<void> {
    const { changed } = await connection.query(
      'UPDATE writers SET token = ? WHERE writer = ?',
      token,
      this.#id,
    )
    if (changed > 0) return
    await connection.query(
      "INSERT INTO writers (writer, token, fence) VALUES (?, ?, '')",
      this.#id,
      token,
    )
  }

  async #isCommitted(token: string): Promise<boolean> {
    try {
      return await again(() => this.#look(token), outcomeMs)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new StoreError('unknown', `the outcome of a commit is not known: ${why}`)
    }
  }

  /**
   * The row of this writer is changed on the way, so that the lost commit either came before or can
   * come no more: engines that lock rows wait for it here, the others refuse one of the two.
   */
  async #look(token: string): Promise<boolean> {
    const connection = await this.#line.get()
    await connection.query('START TRANSACTION')
    try {
      const fence = uuid()
      const mark = await connection.query(
        'UPDATE writers SET fence = ? WHERE writer = ?',
        fence,
        this.#id,
      )
      const { rows } = await connection.query(
        'SELECT token FROM writers WHERE writer = ?',
        this.#id,
      )
      const isThere = rows[0]?.token === token
      if (mark.changed === 0) await this.#leave(connection, fence)
      else if (!isThere) {
        await connection.query('UPDATE writers SET token = ? WHERE writer = ?', fence, this.#id)
      }
      await connection.query('COMMIT')
      return isThere
    } catch (error) {
      await rollBack(connection)
      throw error
    }
  }
}

/** Its own error says nothing new: Galera repeats there what it said before. */
export async function rollBack(connection: MysqlConnection): Promise<void> {
  await connection.query('ROLLBACK').catch(() => connection.destroy())
}
