/** Many rows in few statements, none of them too long for an engine. */
import type { Table } from './schema.ts'
import { marks, type Row, type SqlValue, type Transaction } from './store.ts'

const maxRows = 200
const maxCharacters = 1 << 20
const keysAStatement = 100

/** The rows have the same columns. */
export async function insertAll(
  transaction: Transaction,
  table: string,
  rows: Row[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const one = `(${marks(columns.length)})`
  for (const chunk of chunksOf(rows)) {
    const values = chunk.flatMap((row) => columns.map((column) => row[column] ?? null))
    const all = chunk.map(() => one).join(', ')
    await transaction.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${all}`, ...values)
  }
}

/**
 * Removes these rows, by their keys, and gives how many there were.
 * @param further columns that must still be as they were read.
 */
export async function removeAll(
  transaction: Transaction,
  { name, key }: Table,
  rows: Row[],
  further: string[] = [],
): Promise<number> {
  const columns = [...key, ...further]
  const one = `(${columns.map((column) => `${column} = ?`).join(' AND ')})`
  let removed = 0
  for (let start = 0; start < rows.length; start += keysAStatement) {
    const some = rows.slice(start, start + keysAStatement)
    const values = some.flatMap((row) => columns.map((column): SqlValue => row[column] ?? null))
    const these = some.map(() => one).join(' OR ')
    removed += await transaction.run(`DELETE FROM ${name} WHERE ${these}`, ...values)
  }
  return removed
}

export const charactersOf = (row: Row): number =>
  Object.values(row).reduce<number>((sum, value) => sum + String(value).length, 0)

function* chunksOf(rows: Row[]): Generator<Row[]> {
  let chunk: Row[] = []
  let characters = 0
  for (const row of rows) {
    const length = charactersOf(row)
    if (chunk.length === maxRows || (chunk.length > 0 && characters + length > maxCharacters)) {
      yield chunk
      chunk = []
      characters = 0
    }
    chunk.push(row)
    characters += length
  }
  if (chunk.length > 0) yield chunk
}
