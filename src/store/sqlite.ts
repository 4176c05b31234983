/** SQLite through the node:sqlite API: one connection writes, another reads; a commit survives a power cut. */
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite'
import { again } from './again.ts'
import {
  type Row,
  type SqlValue,
  type Store,
  StoreError,
  type StoreTrouble,
  type Transaction,
  type View,
} from './store.ts'

/** Older ones can lose committed data when several connections checkpoint one file. */
const oldestSafeVersion = [3, 51, 3]
/** The driver waits on the thread that answers everybody, so it waits briefly; the write queue tries again. */
const busyMs = 20
const maxStatements = 500

export async function openSqlite(path: string): Promise<Store> {
  const { DatabaseSync } = await import('@photostructure/sqlite')
  let writer: Connection | undefined
  try {
    const connection = new Connection(new DatabaseSync(path, { timeout: busyMs }))
    writer = connection
    const version = await again(() => connection.version()) // another process may be creating it
    connection.exec('PRAGMA synchronous = FULL')
    connection.exec('PRAGMA temp_store = MEMORY') // a statement of many rows keeps a journal of its own
    connection.exec('PRAGMA trusted_schema = OFF') // the file may come with a repository
    await again(() => connection.useWriteAheadLog())
    return new SqliteStore(
      version,
      connection,
      new Connection(new DatabaseSync(path, { readOnly: true, timeout: 5000 })),
    )
  } catch (error) {
    writer?.database.close()
    throw storeError(error)
  }
}

/** Only to be read: its file must be there, and nothing is changed in it. */
export async function viewSqlite(path: string): Promise<View> {
  const { DatabaseSync } = await import('@photostructure/sqlite')
  let reader: Connection | undefined
  try {
    const connection = new Connection(new DatabaseSync(path, { readOnly: true, timeout: 5000 }))
    reader = connection
    const version = await again(() => connection.version())
    await again(() => connection.all('SELECT name FROM sqlite_master LIMIT 1', [])) // that it is one
    return new SqliteView(version, connection)
  } catch (error) {
    reader?.database.close()
    throw storeError(error)
  }
}

class SqliteView implements View {
  readonly engine: string
  readonly #reader: Connection

  constructor(version: string, reader: Connection) {
    this.engine = `SQLite ${version}`
    this.#reader = reader
  }

  async all(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    return this.#reader.all(sql, values)
  }

  async close(): Promise<void> {
    this.#reader.database.close()
  }
}

class SqliteStore extends SqliteView implements Store {
  readonly #writer: Connection

  constructor(version: string, writer: Connection, reader: Connection) {
    super(version, reader)
    this.#writer = writer
  }

  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const writer = this.#writer
    writer.exec('BEGIN IMMEDIATE')
    try {
      const result = await work({
        all: async (sql, ...values) => writer.all(sql, values),
        run: async (sql, ...values) => writer.run(sql, values),
      })
      writer.exec('COMMIT')
      return result
    } catch (error) {
      if (writer.database.isTransaction) writer.exec('ROLLBACK')
      throw error
    }
  }

  /** Definitions are part of a transaction here: recorded first, so that of two processes one does it. */
  async define(
    statements: string[],
    record: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    await this.transaction(async (transaction) => {
      await record(transaction)
      for (const statement of statements) await transaction.run(statement)
    })
  }

  override async close(): Promise<void> {
    await super.close()
    try {
      this.#writer.exec('PRAGMA wal_checkpoint(TRUNCATE)') // so that one file holds it all
    } catch {} // another process still reads: it will do it
    this.#writer.database.close()
  }
}

/** A connection that keeps what it has prepared. */
class Connection {
  readonly database: DatabaseSyncInstance
  readonly #statements = new Map<string, StatementSyncInstance>()

  constructor(database: DatabaseSyncInstance) {
    this.database = database
  }

  exec(sql: string): void {
    try {
      this.database.exec(sql)
    } catch (error) {
      throw storeError(error)
    }
  }

  all(sql: string, values: SqlValue[]): Row[] {
    try {
      return this.#prepare(sql).all(...values)
    } catch (error) {
      throw storeError(error)
    }
  }

  run(sql: string, values: SqlValue[]): number {
    try {
      return this.#prepare(sql).run(...values).changes
    } catch (error) {
      throw storeError(error)
    }
  }

  version(): string {
    const version = String(this.all('SELECT sqlite_version() AS version', [])[0]?.version)
    const parts = version.split('.').map(Number)
    const isSafe = oldestSafeVersion.reduceRight(
      (safe, wanted, index) =>
        (parts[index] ?? 0) > wanted || ((parts[index] ?? 0) === wanted && safe),
      true,
    )
    if (isSafe) return version
    throw new StoreError(
      'unreadable',
      `SQLite ${version} is older than ${oldestSafeVersion.join('.')}`,
    )
  }

  useWriteAheadLog(): void {
    this.exec('PRAGMA journal_mode = WAL')
    const [row] = this.all('PRAGMA journal_mode', [])
    if (row?.journal_mode === 'wal') return
    throw new StoreError('unreadable', 'its file system does not support a write-ahead log')
  }

  #prepare(sql: string): StatementSyncInstance {
    const known = this.#statements.get(sql)
    if (known) return known
    if (this.#statements.size >= maxStatements) this.#statements.clear()
    const statement = this.database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/** By the primary result codes of SQLite. */
const troubles: Record<number, StoreTrouble> = {
  3: 'unreadable', // PERM
  5: 'again', // BUSY
  6: 'again', // LOCKED
  8: 'unreadable', // READONLY
  10: 'unreadable', // IOERR
  11: 'unreadable', // CORRUPT
  13: 'full', // FULL
  14: 'unreadable', // CANTOPEN
  15: 'again', // PROTOCOL
  26: 'unreadable', // NOTADB
}

function troubleOf(error: unknown): StoreTrouble {
  if (!(error instanceof Error)) return 'failed'
  if ('errcode' in error) return troubles[Number(error.errcode) & 0xff] ?? 'failed'
  // The driver gives no code for what fails while a statement is prepared.
  return error.message === 'database is locked' ? 'again' : 'failed'
}

/** SQLite names tables and columns in its texts, never values. */
function storeError(error: unknown): StoreError {
  if (StoreError.is(error)) return error
  return new StoreError(troubleOf(error), error instanceof Error ? error.message : String(error))
}
