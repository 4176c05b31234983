/** Definitions of tables and indexes, where each is committed at once: what is there already counts as done. */

import { untilAnswered } from '../../system/retry.ts'
import { foreignDefinition, isOwnTable } from '../own-definitions.ts'
import { type Reader, StoreError } from '../store.ts'
import { ConnectionLost, type MysqlConnection } from './connection.ts'

/** The nodes of a cluster do it together, and each finishes first what it is at: a minute was seen. */
const definitionMs = 60_000

/** @param collation of the table's texts. */
export async function defineOnce(
  connection: MysqlConnection,
  statement: string,
  collation: string,
): Promise<void> {
  const [, kind = '', name = '', table = name] =
    /^CREATE (TABLE|INDEX) (?:IF NOT EXISTS )?(\w+)(?: ON (\w+))?/.exec(statement) ?? []
  const [, altered, column] = /^ALTER TABLE (\w+) ADD COLUMN (\w+)/.exec(statement) ?? []
  const look = async () => {
    if (altered && column) return (await columnsOf(connection, altered)).has(column)
    if (kind === 'TABLE') return isTable(connection, name, statement)
    return kind === 'INDEX' && isIndex(connection, name, table)
  }
  // Dolt may not be able to say it while another process defines something.
  const isThere = () =>
    look().catch((error) => {
      const isPassing = StoreError.is(error) && error.trouble === 'failed'
      throw isPassing ? new StoreError('again', error.message) : error
    })
  if (await isThere()) return
  const ending = kind === 'TABLE' ? ` CHARACTER SET utf8mb4 COLLATE ${collation}` : ''
  try {
    await connection.queryFor(definitionMs, `${statement}${ending}`)
  } catch (error) {
    if (error instanceof ConnectionLost || !(await isThere())) throw error // else another was first
  }
}

/** A team's own views and triggers may stand beside our tables, but not on them or in their place. Who may not see triggers sees none. */
export async function checkTriggers(reader: Reader): Promise<void> {
  const found = await reader.all(
    `SELECT 'trigger' AS kind, TRIGGER_NAME AS name, EVENT_OBJECT_TABLE AS place
      FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = DATABASE()
    UNION ALL SELECT 'view', TABLE_NAME, TABLE_NAME
      FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE()`,
  )
  const ours = found.find(({ place }) => isOwnTable(String(place)))
  if (ours) throw foreignDefinition(String(ours.kind), String(ours.name))
}

const turnTable = 'definition_turn'
/** Longer than it takes; of one that was killed in its turn, nobody waits for ever. */
const turnMs = 20_000

/**
 * Definitions and transactions at different nodes of a cluster can end in a node that waits for itself (seen with
 * MariaDB 10.11, once in a hundred new databases). A table that one of them makes, and takes away again, lets the
 * others wait: the nodes agree on the order of definitions, if on nothing else.
 */
export async function inDefinitionTurn<T>(
  connect: () => Promise<MysqlConnection>,
  work: () => Promise<T>,
): Promise<T> {
  await untilAnswered({ patienceMs: turnMs, firstMs: 20, longestMs: 200 }, async () => {
    const connection = await connect()
    if (await isNamed(connection, turnTable)) return undefined
    return connection.query(`CREATE TABLE ${turnTable} (n INT PRIMARY KEY)`).catch((error) => {
      if (StoreError.is(error)) return undefined // another was first
      throw error
    })
  })
  try {
    return await work()
  } finally {
    const drop = `DROP TABLE IF EXISTS ${turnTable}`
    await connect()
      .then((connection) => connection.query(drop))
      .catch(() => {}) // then the others wait in vain for a while
  }
}

async function isNamed(connection: MysqlConnection, table: string): Promise<boolean> {
  const { rows } = await connection.query('SHOW TABLES LIKE ?', table)
  return rows.some((row) => Object.values(row).includes(table))
}

async function columnsOf(connection: MysqlConnection, table: string): Promise<Set<unknown>> {
  const { rows } = await connection.query(`SHOW COLUMNS FROM ${table}`)
  return new Set(rows.map((row) => row.Field))
}

async function isIndex(connection: MysqlConnection, name: string, table: string): Promise<boolean> {
  const { rows } = await connection.query(`SHOW INDEX FROM ${table}`) // Dolt heeds no WHERE here
  return rows.some((row) => row.Key_name === name)
}

/** A table of the same name with other columns is somebody else's. */
async function isTable(
  connection: MysqlConnection,
  name: string,
  statement: string,
): Promise<boolean> {
  if (!(await isNamed(connection, name))) return false
  const there = await columnsOf(connection, name)
  const wanted = [...statement.matchAll(/[(,]\s+(\w+) [A-Z]+\b/g)].map(([, column]) => column)
  const isOurs = wanted
    .filter((column) => column !== 'PRIMARY')
    .every((column) => there.has(column ?? ''))
  if (isOurs) return true
  throw new StoreError(
    'unreadable',
    `it has a table "${name}" of something else`,
    'AgentMail has one of that name: give it a database of its own with --db or AGENTMAIL_DB.',
  )
}
