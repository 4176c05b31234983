/** Walks through a whole table in the order of its key, page by page, and never holds more than a page of it. */
import { createHash } from 'node:crypto'
import { rowsOrNone } from './identity.ts'
import { charactersOf } from './insert.ts'
import type { Table } from './schema.ts'
import { integer, type Reader, type Row, type SqlValue } from './store.ts'

const maxRows = 500
const maxCharacters = 2 << 20

export interface Fingerprint {
  rows: number
  /** Over all rows in the order of their key, the same in every engine. */
  sha256: string
}

/** None, where there is no such table. */
export async function countRows(reader: Reader, table: string): Promise<number> {
  const [row] = await rowsOrNone(reader.all(`SELECT COUNT(*) AS times FROM ${table}`))
  return row ? integer(row.times) : 0
}

/** @param pass hears of the rows that were passed. */
export async function fingerprint(
  reader: Reader,
  table: Table,
  pass: (rows: number) => void = () => {},
): Promise<Fingerprint> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const page of pagesOf(reader, table)) {
    const columns = Object.keys(page[0] ?? {}).sort()
    for (const row of page) hash.update(`${JSON.stringify(columns.map((name) => row[name]))}\n`)
    rows += page.length
    pass(page.length)
  }
  return { rows, sha256: hash.digest('hex') }
}

export async function* rowsOf(reader: Reader, table: Table): AsyncGenerator<Row, undefined> {
  for await (const page of pagesOf(reader, table)) yield* page
  return undefined
}

/** @param after where it begins, if not at the first row: a key, whether there is a row of it or not. */
export async function* pagesOf(reader: Reader, table: Table, after?: Row): AsyncGenerator<Row[]> {
  let limit = maxRows
  let last = after
  do {
    // A store that answers at once would leave no turn to what waits for the network.
    await new Promise((resolve) => setImmediate(resolve))
    const page = await pageAfter(reader, table, last, limit)
    if (page.length > 0) yield page
    last = page.length < limit ? undefined : page.at(-1)
    limit = rowsLike(page)
  } while (last)
}

/** From the last column of the key to the first, so that each part is one stretch of it, which every engine finds at once. */
async function pageAfter(
  reader: Reader,
  { name, key }: Table,
  last: Row | undefined,
  limit: number,
): Promise<Row[]> {
  const order = `ORDER BY ${key.join(', ')} LIMIT ?`
  if (!last) return reader.all(`SELECT * FROM ${name} ${order}`, limit)
  const page: Row[] = []
  for (let depth = key.length; depth > 0 && page.length < limit; depth--) {
    const part = key.slice(0, depth)
    const conditions = part.map((column, at) => `${column} ${at === depth - 1 ? '>' : '='} ?`)
    const rows = await reader.all(
      `SELECT * FROM ${name} WHERE ${conditions.join(' AND ')} ${order}`,
      ...part.map((column) => last[column] ?? null),
      limit - page.length,
    )
    page.push(...rows)
  }
  return page
}

/** How many rows make a page if they are as long as these. */
function rowsLike(page: Row[]): number {
  const characters = page.reduce((sum, row) => sum + charactersOf(row), 0)
  const fitting = Math.floor((maxCharacters * page.length) / Math.max(1, characters))
  return Math.min(maxRows, Math.max(1, fitting))
}

/** As engines order it: texts by their code points, which is not how JavaScript compares them. */
export function compareKeys({ key }: Table, one: Row, other: Row): number {
  for (const column of key) {
    const order = compareValues(one[column], other[column])
    if (order !== 0) return order
  }
  return 0
}

function compareValues(one: SqlValue | undefined, other: SqlValue | undefined): number {
  if (one === other) return 0
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}
