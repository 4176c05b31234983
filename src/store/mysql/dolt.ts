/** Dolt's versions: a commit of the tables every so often, which `AS OF` and Dolt's own tools look at. */

import {
  marks,
  type Reader,
  StoreError,
  text,
  type Version,
  type VersionMessage,
  type Versions,
} from '../store.ts'
import type { MysqlConnection } from './connection.ts'
import type { Line } from './lines.ts'
import { NamedLock } from './lock.ts'

const collectMs = 600_000

/** Nothing, if it is not Dolt. */
export async function doltVersion(connection: MysqlConnection): Promise<string | undefined> {
  try {
    const { rows } = await connection.query('SELECT dolt_version() AS version')
    return String(rows[0]?.version)
  } catch (error) {
    if (StoreError.is(error) && error.trouble === 'failed') return undefined
    throw error
  }
}

export class DoltVersions implements Versions {
  /** A connection of its own: a commit ends whatever transaction is open on it. */
  readonly #line: Line
  readonly #collector: Line
  readonly #reader: Reader
  readonly #lock: NamedLock

  /** @param collector for what keeps a connection for minutes. */
  constructor(line: Line, collector: Line, reader: Reader, database: string) {
    this.#line = line
    this.#collector = collector
    this.#reader = reader
    this.#lock = new NamedLock(line, `agentmail-keeper ${database}`)
  }

  async leaveOut(tables: string[]): Promise<void> {
    const known = await this.#reader.all('SELECT pattern FROM dolt_ignore WHERE ignored = 1')
    const names = new Set(known.map((row) => row.pattern))
    for (const table of tables.filter((name) => !names.has(name))) {
      const connection = await this.#line.get()
      await connection.query(
        'INSERT INTO dolt_ignore VALUES (?, true) ON DUPLICATE KEY UPDATE ignored = true',
        table,
      )
    }
  }

  /** If two thought so, the second would find nothing to keep. */
  isKeeper(): Promise<boolean> {
    return this.#lock.take()
  }

  /** Of our tables alone: what somebody else does in the same database is theirs to commit. */
  async keep(
    tables: string[],
    message: VersionMessage,
    author: string,
  ): Promise<string | undefined> {
    const connection = await this.#line.get()
    const own = [...tables, 'dolt_ignore']
    const call = (procedure: string, names: string[]) =>
      connection.query(`CALL ${procedure}(${marks(names.length)})`, ...names)
    const staged = async () => {
      const { rows } = await connection.query('SELECT table_name FROM dolt_status WHERE staged = 1')
      return rows.map((row) => text(row.table_name))
    }
    // A commit takes all that is staged, and these wait for one of somebody else.
    const others = (await staged()).filter((table) => !own.includes(table))
    if (others.length > 0) await call('DOLT_RESET', others)
    try {
      await call('DOLT_ADD', own)
      if ((await staged()).length === 0) return undefined
      const { rows } = await connection.query(
        "CALL DOLT_COMMIT('--skip-empty', '-m', ?, '--author', ?)",
        await message(
          (table) => `${table} AS OF 'STAGED'`,
          (table) => `${table} AS OF 'HEAD'`,
        ),
        author,
      )
      return rows[0] && text(rows[0].hash)
    } finally {
      if (others.length > 0) await call('DOLT_ADD', others).catch(() => {}) // one may be gone by now
    }
  }

  async list(): Promise<Version[]> {
    const rows = await this.#reader.all('SELECT commit_hash, message FROM dolt_log')
    return rows.map((row) => ({ id: text(row.commit_hash), message: text(row.message) })).reverse()
  }

  async find(name: string): Promise<string | undefined> {
    try {
      const rows = await this.#reader.all('SELECT DOLT_HASHOF(?) AS id', name)
      return rows[0] && text(rows[0].id)
    } catch (error) {
      if (StoreError.is(error) && error.trouble === 'failed') return undefined
      throw error
    }
  }

  async collect(): Promise<void> {
    const connection = await this.#collector.get()
    try {
      await connection.queryFor(collectMs, 'CALL DOLT_GC()')
    } finally {
      connection.destroy() // some versions of Dolt leave it unusable
    }
  }

  table(name: string, id: string): string {
    if (!/^[0-9a-v]{32}$/.test(id)) throw new TypeError('That is no id of a version')
    return `${name} AS OF '${id}'`
  }

  async close(): Promise<void> {
    await this.#line.close()
  }
}
