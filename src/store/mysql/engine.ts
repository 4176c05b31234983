/** What a server that speaks MySQL's protocol can do, how its database is found or made, and how a session with it is set up. */
import { again, isAgain } from '../again.ts'
import { StoreError } from '../store.ts'
import type { MysqlAddress } from './address.ts'
import { MysqlConnection } from './connection.ts'
import { doltVersion } from './dolt.ts'

const lockSeconds = 5
const idleSeconds = 60
const startMs = 1_000

/** What an engine can do, found by asking it. */
export interface Capabilities {
  engine: string
  isDolt: boolean
  isCluster: boolean
  /** Tells texts apart by their characters alone, those at the end too where the engine can. */
  collation: string
}

/** To one that may just be starting. */
const connect = (address: MysqlAddress): Promise<MysqlConnection> =>
  again(() => MysqlConnection.open(address, { database: false }), startMs)

/** On the database, which is made if it is not there yet. */
export async function connectToMade(address: MysqlAddress): Promise<MysqlConnection> {
  const server = await connect(address)
  try {
    const name = `\`${address.database}\``
    const used = await server.query(`USE ${name}`).catch((error) => {
      if (isAgain(error)) throw error
    })
    if (used) return server
    const create = `CREATE DATABASE IF NOT EXISTS ${name} CHARACTER SET utf8mb4`
    await again(() => server.query(create)).catch((error) => {
      if (isAgain(error)) throw error
      throw new StoreError(
        'unreadable',
        'it does not exist, and this user may not create it',
        `Create it as its server's administrator: CREATE DATABASE ${address.database}; and give the user its rights on it.`,
      )
    })
    await server.query(`USE ${name}`)
    return server
  } catch (error) {
    server.destroy()
    throw error
  }
}

/** On the database; nothing, where it is not there. */
export async function connectToExisting(
  address: MysqlAddress,
): Promise<MysqlConnection | undefined> {
  const server = await connect(address)
  try {
    const known = await server.query(
      'SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?',
      address.database,
    )
    if (known.rows.length === 0) {
      await server.close()
      return undefined
    }
    await server.query(`USE \`${address.database}\``)
    return server
  } catch (error) {
    server.destroy()
    throw error
  }
}

export async function capabilitiesOf(connection: MysqlConnection): Promise<Capabilities> {
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

export async function prepareSession(
  connection: MysqlConnection,
  able: Capabilities,
): Promise<void> {
  await connection.query(`SET NAMES utf8mb4 COLLATE ${able.collation}`)
  // Strict, and with backslashes that escape: values are written into the statements.
  await connection.query("SET SESSION sql_mode = 'STRICT_ALL_TABLES'")
  // A clock in local time repeats an hour each autumn.
  await connection.query("SET SESSION time_zone = '+00:00'")
  // A batch must see what others committed while it waited for a row of theirs.
  await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
  // A machine that dies in a transaction must not keep its locks for hours.
  await connection.query(`SET SESSION wait_timeout = ${idleSeconds}`)
  // What it sorts it compares by this many bytes, and a path may have more than it does by itself.
  await connection.query('SET SESSION max_sort_length = 8192')
  if (!able.isDolt) await connection.query(`SET SESSION innodb_lock_wait_timeout = ${lockSeconds}`)
  if (able.isCluster) await connection.query('SET SESSION wsrep_sync_wait = 1') // what a node said, every node says
}
