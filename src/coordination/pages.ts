/** Reads a page at a time. Messages and changes come oldest first: after a cursor, or the newest. */
import { integer, type Reader, type Row, type SqlValue } from '../store/store.ts'
import { parseTime } from './time.ts'

/** A reply carries a page twice, as JSON and as text of that JSON, and some clients take no event over 1 MiB. */
const maxPageBytes = 512 << 10
const maxReplyBytes = (1 << 20) - (16 << 10)
/** One more than most ask for, which tells whether there are more. */
const rowsAtOnce = 51
/** Of what has no ids: claims and agents. */
export const entriesAPage = 500

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
  const start = after ?? Number.MAX_SAFE_INTEGER
  const page = await fillPage(
    request.limit ?? 50,
    rowsAtOnce,
    (last) => {
      const cursor = last ? integer(last.id) : start
      return readRows(reader, stream, project, request.only, isForward, cursor)
    },
    entryOf,
  )
  return isForward ? page : { ...page, entries: page.entries.reverse() }
}

/** @param read gives so many rows after the last one, or fewer if there are no more. */
export async function fillPage<T>(
  limit: number,
  atOnce: number,
  read: (last: Row | undefined) => Promise<Row[]>,
  entryOf: (row: Row) => T,
): Promise<Page<T>> {
  const page = new PageFiller<T>(limit)
  for (let last: Row | undefined; ; ) {
    const rows = await read(last)
    for (const row of rows) {
      if (!page.add(entryOf(row))) return { entries: page.entries, has_more: true }
    }
    last = rows.at(-1)
    if (!last || rows.length < atOnce) return { entries: page.entries, has_more: false }
  }
}

async function cursorOf(
  reader: Reader,
  stream: Stream,
  project: string,
  { since, after_id }: PageRequest,
): Promise<number | undefined> {
  if (since === undefined) return after_id
  return Math.max(await lastIdBy(reader, stream, project, since), after_id ?? 0)
}

/** Ids and times rise together, so a time stands for the last id that is not after it. */
export async function lastIdBy(
  reader: Reader,
  { table, time }: Stream,
  project: string,
  since: string,
): Promise<number> {
  const [row] = await reader.all(
    `SELECT id FROM ${table} WHERE project = ? AND ${time} <= ? ORDER BY project DESC, ${time} DESC LIMIT 1`,
    project,
    parseTime(since),
  )
  return row ? integer(row.id) : 0
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
  readonly entries: T[] = []
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
      this.entries.length < this.#limit &&
      this.#pageBytes + bytes <= maxPageBytes &&
      this.#replyBytes + replyBytes <= maxReplyBytes
    if (!hasRoom && this.entries.length > 0) return false
    this.entries.push(entry)
    this.#pageBytes += bytes
    this.#replyBytes += replyBytes
    return true
  }
}
