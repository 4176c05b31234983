/** Definitions of tables and indexes, where each is committed at once: what is there already counts as done. */

import { StoreError } from '../store.ts'
import { ConnectionLost, type MysqlConnection } from './connection.ts'

/** @param collation of the table's texts. */
export async function defineOnce(
  connection: MysqlConnection,
  statement: string,
  collation: string,
): Promise<void> {
  const [, kind = '', name = '', table = name] =
    /^CREATE (TABLE|INDEX) (?:IF NOT EXISTS )?(\w+)(?: ON (\w+))?/.exec(statement) ?? []
  const isThere = async () => {
    if (kind === 'TABLE') return isTable(connection, name, statement)
    return kind === 'INDEX' && isIndex(connection, name, table)
  }
  if (await isThere()) return
  const ending = kind === 'TABLE' ? ` CHARACTER SET utf8mb4 COLLATE ${collation}` : ''
  try {
    await connection.query(`${statement}${ending}`)
  } catch (error) {
    if (error instanceof ConnectionLost || !(await isThere())) throw error // else another was first
  }
}

async function isIndex(connection: MysqlConnection, name: string, table: string): Promise<boolean> {
  const { rows } = await connection.query(`SHOW INDEX FROM ${table} WHERE Key_name = ?`, name)
  return rows.length > 0
}

/** A table of the same name with other columns is somebody else's. */
async function isTable(
  connection: MysqlConnection,
  name: string,
  statement: string,
): Promise<boolean> {
  const tables = await connection.query('SHOW TABLES LIKE ?', name)
  if (!tables.rows.some((row) => Object.values(row).includes(name))) return false
  const { rows } = await connection.query(`SHOW COLUMNS FROM ${name}`)
  const there = new Set(rows.map((row) => row.Field))
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
