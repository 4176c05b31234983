/** SQLite through the node:sqlite API: one connection writes, another reads; a commit survives a power cut. */
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite'
import { tellsOfChanges } from '../system/folder.ts'
import { log } from '../system/log.ts'
import { again } from './again.ts'
import { LogWatch } from './log-watch.ts'
import { at, OpenFiles } from './open-files.ts'
import { checkDefinitions, checkKinds } from './own-definitions.ts'
import { sqliteDriver } from './sqlite-driver.ts'
import {
  integer,
  type OtherWriters,
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

/** @param options.isCache what is in it may be thrown away at any time, so nobody looks after its file. */
export async function openSqlite(
  path: string,
  options: { isCache?: boolean } = {},
): Promise<Store> {
  const { DatabaseSync } = await sqliteDriver()
  return again(async () => {
    const before = at(path)
    let writer: Connection | undefined
    let reader: Connection | undefined
    try {
      const connection = new Connection(new DatabaseSync(path, { timeout: busyMs }))
      writer = connection
      const version = await again(() => connection.version()) // another process may be creating it
      if (!options.isCache) await again(() => checkDefinitions(connection.definitions()))
      connection.exec('PRAGMA synchronous = FULL')
      connection.exec('PRAGMA temp_store = MEMORY') // a statement of many rows keeps a journal of its own
      await again(() => connection.useWriteAheadLog())
      reader = new Connection(new DatabaseSync(path, { readOnly: true, timeout: 5000 }))
      reader.definitions() // so that its log is open, too
      const files = options.isCache ? undefined : OpenFiles.of(path, before)
      return new SqliteStore(version, { path, writer, reader, files })
    } catch (error) {
      writer?.close() // first, since the other one removes nothing
      reader?.close()
      throw storeError(error)
    }
  })
}

/** Only to be read: its file must be there, and nothing is changed in it. */
export async function viewSqlite(path: string): Promise<View> {
  const { DatabaseSync } = await sqliteDriver()
  let reader: Connection | undefined
  try {
    const connection = new Connection(new DatabaseSync(path, { readOnly: true, timeout: 5000 }))
    reader = connection
    const version = await again(() => connection.version())
    await again(() => checkKinds(connection.definitions()))
    return new SqliteView(version, connection)
  } catch (error) {
    reader?.close()
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
    this.#reader.close()
  }
}

interface Connections {
  path: string
  writer: Connection
  reader: Connection
  files: OpenFiles | undefined
}

class SqliteStore extends SqliteView implements Store {
  readonly textKeys = 'any'
  readonly file: OpenFiles | undefined
  readonly others?: OtherWriters
  readonly #writer: Connection
  readonly #reader: Connection
  #isOpen = true

  constructor(version: string, { path, writer, reader, files }: Connections) {
    super(version, reader)
    if (files && tellsOfChanges(path)) {
      this.others = { watch: (...told) => this.#watchOthers(`${path}-wal`, ...told) }
    }
    this.file = files
    this.#writer = writer
    this.#reader = reader
    files?.lost.addEventListener('abort', () => this.#letGo())
  }

  override async all(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    this.file?.check()
    return super.all(sql, ...values)
  }

  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const writer = this.#writer
    this.file?.checkNow()
    writer.exec('BEGIN IMMEDIATE')
    try {
      const result = await work({
        all: async (sql, ...values) => writer.all(sql, values),
        run: async (sql, ...values) => writer.run(sql, values),
      })
      writer.exec('COMMIT')
      this.file?.checkNow() // what went into a file that is gone is not acknowledged
      return result
    } catch (error) {
      if (this.#isOpen && writer.database.isTransaction) writer.exec('ROLLBACK')
      if (this.file?.lost.aborted) this.#letGo()
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
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#reader.close()
    try {
      this.#writer.exec('PRAGMA wal_checkpoint(TRUNCATE)') // so that one file holds it all
    } catch {} // another process still reads: it will do it
    this.#writer.close()
  }

  /** Of a connection that writes: what it commits itself is no news to it. */
  #watchOthers(
    ...[log, onForeignWrite, onFailure]: [string, ...Parameters<OtherWriters['watch']>]
  ) {
    const version = () => {
      this.file?.check()
      return integer(this.#writer.all('PRAGMA data_version', [])[0]?.data_version)
    }
    const watching = new LogWatch({ log, version, onForeignWrite, onFailure })
    return () => watching.end()
  }

  /** Once nothing is under way in it, a lost database is left as it is: to close it would remove by name what is another's now. */
  #letGo(): void {
    const { file } = this
    if (!file || !this.#isOpen || this.#writer.database.isTransaction) return
    this.#isOpen = false
    abandoned.push(this)
    try {
      if (file.isOnlyLogGone) this.#writer.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      file.setAside()
    } catch (error) {
      log(`what is left of the database: ${error instanceof Error ? error.message : error}`)
    }
  }
}

/** Held for ever, since whatever is collected is closed. */
const abandoned: SqliteStore[] = []

/** A connection that keeps what it has prepared. */
class Connection {
  readonly database: DatabaseSyncInstance
  readonly #statements = new Map<string, StatementSyncInstance>()

  constructor(database: DatabaseSyncInstance) {
    this.database = database
    this.exec('PRAGMA trusted_schema = OFF') // the file may come with a repository
  }

  close(): void {
    this.database.close()
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

  definitions(): Row[] {
    return this.all('SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL', [])
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
