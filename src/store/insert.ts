/** Many rows in few statements, none of them too long for an engine. */
import { marks, type Row, type Transaction } from './store.ts'

const maxRows = 200
const maxCharacters = 1 << 20

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
