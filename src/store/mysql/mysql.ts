/** Databases that speak MySQL's protocol (MariaDB, Galera, MySQL, Dolt): one connection writes, a few read. */
import { again } from '../again.ts'
import {
  type Row,
  type ServerDescription,
  type SqlValue,
  type Store,
  StoreError,
  type TextKeys,
  type Transaction,
  type View,
} from '../store.ts'
import type { MysqlAddress } from './address.ts'
import { Committer, rollBack, writersTable } from './commit.ts'
import { MysqlConnection } from './connection.ts'
import { checkTriggers, defineOnce, inDefinitionTurn } from './definition.ts'
import { describeServer } from './description.ts'
import { DoltVersions } from './dolt.ts'
import {
  type Capabilities,
  capabilitiesOf,
  connectToExisting,
  connectToMade,
  prepareSession,
} from './engine.ts'
import { Line, Reach } from './lines.ts'
import { NamedLock } from './lock.ts'

const readers = 3
const readPatienceMs = 5_000
const politeBatches = 50
/** Of those that define the same at once, Dolt lets few come to an end: each waits for its turn. */
const definitionsMs = 60_000

/** @param options.create makes the database if it is not there yet. */
export async function openMysql(
  address: MysqlAddress,
  options: { create?: boolean } = {},
): Promise<MysqlStore> {
  const first = options.create ? await connectToMade(address) : await connectToExisting(address)
  if (!first) {
    throw new StoreError(
      'unreadable',
      'it does not exist',
      'agentmail serve makes it; or correct its name in AGENTMAIL_DB or --db.',
    )
  }
  const store = await storeOn(first, address)
  try {
    await checkTriggers(store)
    await store.versions?.leaveOut(['writers'])
    const defining = () => again(() => store.define([writersTable], async () => {}))
    const isThere = (await store.all("SHOW TABLES LIKE 'writers'")).length > 0
    await (isThere || !store.alone ? defining() : store.alone(defining))
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}

/** Only to be read: nothing is made. Nothing, where the database is not there. */
export async function viewMysql(address: MysqlAddress): Promise<View | undefined> {
  const first = await connectToExisting(address)
  if (!first) return undefined
  const store = await storeOn(first, address)
  try {
    await checkTriggers(store)
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}

/** @param first a connection to the database, which is asked what it can do, and closed. */
async function storeOn(first: MysqlConnection, address: MysqlAddress): Promise<MysqlStore> {
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
  return new MysqlStore(able, reach, address)
}

export class MysqlStore implements Store {
  readonly engine: string
  readonly textKeys: TextKeys
  readonly versions?: DoltVersions
  readonly alone?: NonNullable<Store['alone']>
  readonly capabilities: Capabilities
  readonly describe: () => Promise<ServerDescription>
  readonly #reach: Reach
  readonly #writer: Line
  readonly #readers: Line[]
  readonly #committer: Committer
  readonly #attendance: NamedLock
  readonly #lockName: string
  /** For so many transactions it asks other processes to wait, since it has met one of them. */
  #polite = 0
  /** One transaction after the other. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(capabilities: Capabilities, reach: Reach, { database, tls }: MysqlAddress) {
    this.engine = capabilities.engine
    this.capabilities = capabilities
    this.#reach = reach
    this.#writer = new Line(reach)
    this.#committer = new Committer(this.#writer)
    this.#readers = Array.from({ length: readers }, () => new Line(reach))
    this.#attendance = new NamedLock(new Line(reach), `agentmail-server ${database}`)
    this.#lockName = `agentmail-writer ${database}`.slice(0, 64)
    this.describe = () => describeServer(this, capabilities, tls !== undefined)
    // Dolt takes the order of an index of beginnings for that of the texts (seen with 1.83.2).
    this.textKeys = capabilities.isDolt ? 'whole' : 'beginnings'
    if (capabilities.isDolt) {
      this.versions = new DoltVersions(new Line(reach), new Line(reach), this, database)
      const definitions = new NamedLock(new Line(reach), `agentmail-definitions ${database}`)
      this.alone = (work) => definitions.during(definitionsMs, work)
    }
    if (capabilities.isCluster) {
      this.alone = (work) => inDefinitionTurn(() => this.#writer.get(), work)
    }
  }

  get downSince(): number | undefined {
    return this.#reach.downSince
  }

  readonly clock = async (): Promise<number> => {
    const [row] = await this.all('SELECT UNIX_TIMESTAMP(NOW(6)) AS seconds')
    return Number(row?.seconds) * 1000
  }

  async attend(): Promise<void> {
    await this.#attendance.take()
  }

  isAttended(): Promise<boolean> {
    return this.#attendance.isTaken()
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
      const { collation } = this.capabilities
      for (const statement of statements) await defineOnce(connection, statement, collation)
      await this.#transact(record)
    })
  }

  async close(): Promise<void> {
    await this.#turn
    await this.#committer.close().catch(() => {}) // what it leaves harms nobody
    this.#reach.close()
    await this.versions?.close()
    await this.#attendance.close()
    for (const line of [this.#writer, ...this.#readers]) await line.close()
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => {})
    return mine
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
    if (rows[0]?.held === 1) return true
    this.#polite = 0 // its holder may be gone without a word
    return false
  }

  async #attempt<T>(
    connection: MysqlConnection,
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
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
    } catch (error) {
      await rollBack(connection)
      throw error
    }
    if (hasChanged) await this.#committer.commit(connection)
    else await rollBack(connection)
    return result
  }
}
