/** Databases that speak MySQL's protocol (MariaDB, Galera, MySQL, Dolt): one connection writes, a few read. */
import { uuid } from '../random.ts'
import { again } from './again.ts'
import { DoltVersions, doltVersion } from './dolt.ts'
import type { MysqlAddress } from './mysql-address.ts'
import { ConnectionLost, MysqlConnection } from './mysql-connection.ts'
import { Line, Reach } from './mysql-lines.ts'
import { type Row, type SqlValue, type Store, StoreError, type Transaction } from './store.ts'

const readers = 3
const readPatienceMs = 5_000
/** How long the outcome of a commit is looked for that nobody heard of. */
const outcomeMs = 15_000
const lockSeconds = 5
const politeBatches = 50

/** A transaction leaves its token here, so that a commit whose answer was lost can be told from none. */
const writersTable = `CREATE TABLE writers (
  writer CHAR(36) NOT NULL,
  token CHAR(36) NOT NULL,
  fence CHAR(36) NOT NULL,
  PRIMARY KEY (writer))`

/** What an engine can do, found by asking it. */
export interface Capabilities {
  engine: string
  isDolt: boolean
  isCluster: boolean
  /** Tells texts apart by their characters alone, those at the end too where the engine can. */
  collation: string
}

export async function openMysql(address: MysqlAddress): Promise<MysqlStore> {
  const first = await openFirst(address)
  let able: Capabilities
  try {
    able = await capabilitiesOf(first)
    await prepareSession(first, able)
  } finally {
    await first.close()
  }
  const reach = new Reach(async () => {
    const connection = await MysqlConnection.open(address)
    try {
      await prepareSession(connection, able)
    } catch (error) {
      connection.destroy()
      throw error
    }
    return connection
  })
  const store = new MysqlStore(able, reach, address.database)
  try {
    await store.versions?.leaveOut(['writers'])
    await again(() => store.define([writersTable], async () => {}))
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}

/** A database that is not there yet is made. */
async function openFirst(address: MysqlAddress): Promise<MysqlConnection> {
  const server = await MysqlConnection.open(address, { database: false })
  try {
    const name = `\`${address.database}\``
    const used = await server.query(`USE ${name}`).catch(() => undefined)
    if (used) return server
    await again(() => server.query(`CREATE DATABASE IF NOT EXISTS ${name} CHARACTER SET utf8mb4`))
    await server.query(`USE ${name}`)
    return server
  } catch (error) {
    server.destroy()
    throw error
  }
}

async function capabilitiesOf(connection: MysqlConnection): Promise<Capabilities> {
  const dolt = await doltVersion(connection)
  const { rows } = await connection.query('SELECT @@version AS version')
  const version = String(rows[0]?.version)
  const wsrep = await connection.query("SHOW STATUS LIKE 'wsrep_cluster_size'")
  const nodes = Number(wsrep.rows[0]?.Value ?? 0)
  const collations = ['utf8mb4_nopad_bin', 'utf8mb4_0900_bin', 'utf8mb4_bin']
  const known = await connection.query("SHOW COLLATION LIKE 'utf8mb4%bin'")
  const names = known.rows.flatMap((row) => Object.values(row))
  const server = /mariadb/i.test(version) ? `MariaDB ${version.split('-')[0]}` : `MySQL ${version}`
  return {
    engine: dolt ? `Dolt ${dolt}` : nodes > 0 ? `${server} Galera (${nodes} nodes)` : server,
    isDolt: dolt !== undefined,
    isCluster: nodes > 0,
    collation: collations.find((name) => names.includes(name)) ?? 'utf8mb4_bin',
  }
}

async function prepareSession(connection: MysqlConnection, able: Capabilities): Promise<void> {
  await connection.query(`SET NAMES utf8mb4 COLLATE ${able.collation}`)
  // Strict, and with backslashes that escape: values are written into the statements.
  await connection.query("SET SESSION sql_mode = 'STRICT_ALL_TABLES'")
  // A clock in local time repeats an hour each autumn.
  await connection.query("SET SESSION time_zone = '+00:00'")
  // A batch must see what others committed while it waited for a row of theirs.
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
  if (!able.isDolt) await connection.query(`SET SESSION innodb_lock_wait_timeout = ${lockSeconds}`)
  if (able.isCluster) await connection.query('SET SESSION wsrep_sync_wait = 1') // what a node said, every node says
}

export class MysqlStore implements Store {
  readonly engine: string
  readonly versions?: DoltVersions
  readonly capabilities: Capabilities
  readonly #reach: Reach
  readonly #writer: Line
  readonly #readers: Line[]
  readonly #id = uuid()
  readonly #lockName: string
  #isKnown = false
  /** For so many transactions it asks other processes to wait, since it has met one of them. */
  #polite = 0
  /** One transaction after the other. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(capabilities: Capabilities, reach: Reach, database: string) {
    this.engine = capabilities.engine
    this.capabilities = capabilities
    this.#reach = reach
    this.#writer = new Line(reach)
    this.#readers = Array.from({ length: readers }, () => new Line(reach))
    this.#lockName = `agentmail-writer ${database}`.slice(0, 64)
    if (capabilities.isDolt) this.versions = new DoltVersions(new Line(reach), this, database)
  }

  get downSince(): number | undefined {
    return this.#reach.downSince
  }

  readonly clock = async (): Promise<number> => {
    const [row] = await this.all('SELECT UNIX_TIMESTAMP(NOW(6)) AS seconds')
    return Number(row?.seconds) * 1000
  }

  async all(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    return again(async () => {
      const line = this.#readers.reduce((least, one) => (one.busy < least.busy ? one : least))
      line.busy++
      try {
        return (await (await line.get()).query(sql, ...values)).rows
      } finally {
        line.busy--
      }
    }, readPatienceMs)
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#transact(work))
  }

  /** These engines commit before and after each definition, so what is there already counts as done. */
  async define(
    statements: string[],
    record: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    await this.#inTurn(async () => {
      const connection = await this.#writer.get()
      for (const statement of statements) await this.#defineOnce(connection, statement)
      await this.#transact(record)
    })
  }

  async close(): Promise<void> {
    await this.#turn
    if (this.#isKnown) {
      await this.#writer
        .get()
        .then((line) => line.query('DELETE FROM writers WHERE writer = ?', this.#id))
        .catch(() => {}) // it harms nobody
    }
    this.#reach.close()
    await this.versions?.close()
    for (const line of [this.#writer, ...this.#readers]) await line.close()
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => {})
    return mine
  }

  async #defineOnce(connection: MysqlConnection, statement: string): Promise<void> {
    const [, kind = '', name = '', table = name] =
      /^CREATE (TABLE|INDEX) (?:IF NOT EXISTS )?(\w+)(?: ON (\w+))?/.exec(statement) ?? []
    const isThere = async () => {
      if (kind === '') return false
      const { rows } = await connection.query(
        kind === 'TABLE' ? 'SHOW TABLES LIKE ?' : `SHOW INDEX FROM ${table} WHERE Key_name = ?`,
        name,
      )
      return rows.length > 0
    }
    if (await isThere()) return
    const { collation } = this.capabilities
    const ending = kind === 'TABLE' ? ` CHARACTER SET utf8mb4 COLLATE ${collation}` : ''
    try {
      await connection.query(`${statement}${ending}`)
    } catch (error) {
      if (error instanceof ConnectionLost || !(await isThere())) throw error // else another was first
    }
  }

  async #transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const connection = await this.#writer.get()
    const isLocked = await this.#askOthersToWait(connection)
    try {
      return await this.#attempt(connection, work)
    } catch (error) {
      if (this.capabilities.isDolt && StoreError.is(error) && error.trouble === 'again') {
        this.#polite = politeBatches
      }
      throw error
    } finally {
      if (isLocked) await connection.query('SELECT RELEASE_LOCK(?)', this.#lockName).catch(() => {})
    }
  }

  /** Dolt merges what overlaps, and refuses much of it. This only saves it the trouble: nothing depends on the lock. */
  async #askOthersToWait(connection: MysqlConnection): Promise<boolean> {
    if (this.#polite === 0) return false
    this.#polite--
    const { rows } = await connection.query('SELECT GET_LOCK(?, 2) AS held', this.#lockName)
    return rows[0]?.held === 1
  }

  async #attempt<T>(
    connection: MysqlConnection,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const token = uuid()
    let hasChanged = false
    let failure: unknown
    const statement = async (sql: string, values: SqlValue[]) => {
      try {
        return await connection.query(sql, ...values)
      } catch (error) {
        failure ??= error
        throw error
      }
    }
    await connection.query('START TRANSACTION')
    let result: T
    try {
      result = await work({
        all: async (sql, ...values) => (await statement(sql, values)).rows,
        run: async (sql, ...values) => {
          const { changed } = await statement(sql, values)
          if (changed > 0) hasChanged = true
          return changed
        },
      })
      // After an error a commit can say yes and do nothing, also if the work went on.
      if (failure !== undefined) throw failure
      if (hasChanged) await this.#leaveToken(connection, token)
    } catch (error) {
      await rollBack(connection)
      throw error
    }
    if (hasChanged) await this.#commit(connection, token)
    else await rollBack(connection)
    return result
  }

  async #commit(connection: MysqlConnection, token: string): Promise<void> {
    try {
      await connection.query('COMMIT')
      this.#isKnown = true
    } catch (error) {
      const isLost = error instanceof ConnectionLost
      if (StoreError.is(error) && !isLost && error.trouble !== 'failed') {
        await rollBack(connection)
        throw error
      }
      // Lost, or an error that does not say whether others have it already.
      connection.destroy()
      if (await this.#isCommitted(token)) return
      throw isLost ? new StoreError('again', 'the connection was lost before the commit') : error
    }
  }

  async #leaveToken(connection: MysqlConnection, token: string): Promise<void> {
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

  /**
   * Whether a commit took effect whose answer was lost. The row of this writer is changed on the
   * way, so that the lost commit either came before or can come no more: engines that lock rows
   * wait for it here, the others refuse one of the two.
   */
  async #isCommitted(token: string): Promise<boolean> {
    try {
      return await again(() => this.#lookForOutcome(token), outcomeMs)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new StoreError('unknown', `the outcome of a commit is not known: ${why}`)
    }
  }

  async #lookForOutcome(token: string): Promise<boolean> {
    const connection = await this.#writer.get()
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
      if (mark.changed === 0) await this.#leaveToken(connection, fence)
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
async function rollBack(connection: MysqlConnection): Promise<void> {
  await connection.query('ROLLBACK').catch(() => connection.destroy())
}
