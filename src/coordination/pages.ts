/** Reads messages and changes a page at a time, oldest first: after a cursor, or the newest. */
import { integer, type Reader, type Row, type SqlValue } from '../store/store.ts'
import { parseTime } from './time.ts'

/** A reply carries a page twice, as JSON and as text of that JSON, and some clients take no event over 1 MiB. */
const maxPageBytes = 512 << 10
const maxReplyBytes = (1 << 20) - (16 << 10)
/** One more than most ask for, which tells whether there are more. */
const rowsAtOnce = 51

export interface Stream {
  table: 'messages' | 'changes'
  time: 'created_us' | 'announced_us'
  filter: 'channel' | 'agent_id'
}

export interface PageRequest {
  since?: string | undefined
  after_id?: number | undefined
  limit?: number | undefined
  /** What the stream's filter column must hold. */
  only?: string | undefined
}

export interface Page<T> {
  entries: T[]
  has_more: boolean
}

export async function readPage<T>(
  reader: Reader,
  stream: Stream,
  project: string,
  request: PageRequest,
  entryOf: (row: Row) => T,
): Promise<Page<T>> {
  const after = await cursorOf(reader, stream, project, request)
  const isForward = after !== undefined
  const page = new PageFiller<T>(request.limit ?? 50)
  let cursor = after ?? Number.MAX_SAFE_INTEGER
  for (;;) {
    const rows = await readRows(reader, stream, project, request.only, isForward, cursor)
    for (const row of rows) {
      if (!page.add(entryOf(row))) return page.done(isForward, true)
    }
    const last = rows.at(-1)
    if (!last || rows.length < rowsAtOnce) return page.done(isForward, false)
    cursor = integer(last.id)
  }
}

/** Ids and times rise together, so a time stands for the last id that is not after it. */
async function cursorOf(
  reader: Reader,
  { table, time }: Stream,
  project: string,
  { since, after_id }: PageRequest,
): Promise<number | undefined> {
  if (since === undefined) return after_id
  const [row] = await reader.all(
    `SELECT id FROM ${table} WHERE project = ? AND ${time} <= ? ORDER BY project DESC, ${time} DESC LIMIT 1`,
    project,
    parseTime(since),
  )
  return Math.max(row ? integer(row.id) : 0, after_id ?? 0)
}

function readRows(
  reader: Reader,
  { table, filter }: Stream,
  project: string,
  only: string | undefined,
  isForward: boolean,
  cursor: number,
): Promise<Row[]> {
  const isFiltered = only !== undefined
  const key = isFiltered ? ['project', filter, 'id'] : ['project', 'id']
  const order = key.map((column) => (isForward ? column : `${column} DESC`)).join(', ')
  const values: SqlValue[] = isFiltered ? [project, only, cursor] : [project, cursor]
  return reader.all(
    `SELECT * FROM ${table} WHERE project = ? ${isFiltered ? `AND ${filter} = ?` : ''} AND id ${isForward ? '>' : '<'} ? ORDER BY ${order} LIMIT ${rowsAtOnce}`,
    ...values,
  )
}

class PageFiller<T> {
  readonly #limit: number
  readonly #entries: T[] = []
  #pageBytes = 0
  #replyBytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether it found room; a first entry always does. */
  add(entry: T): boolean {
    const json = JSON.stringify(entry)
    const bytes = Buffer.byteLength(json) + 1
    const replyBytes = bytes + Buffer.byteLength(JSON.stringify(json))
    const hasRoom =
      this.#entries.length < this.#limit &&
      this.#pageBytes + bytes <= maxPageBytes &&
      this.#replyBytes + replyBytes <= maxReplyBytes
    if (!hasRoom && this.#entries.length > 0) return false
    this.#entries.push(entry)
    this.#pageBytes += bytes
    this.#replyBytes += replyBytes
    return true
  }

  done(isForward: boolean, has_more: boolean): Page<T> {
    return { entries: isForward ? this.#entries : this.#entries.reverse(), has_more }
  }
}
