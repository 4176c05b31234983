/** Searches the messages and changes of a project, newest first, in short pieces: neither readers nor writers wait for it. */
import { integer, type Row, text } from '../../store/store.ts'
import { pauses } from '../../system/clock.ts'
import { changeStream } from '../changes.ts'
import type { Desk } from '../desk.ts'
import type { Condition } from '../history.ts'
import { messageStream } from '../messages.ts'
import { lastIdBy, type Stream } from '../pages.ts'
import { timeText } from '../time.ts'
import { coarseFilter } from './coarse-filter.ts'
import { SearchWords } from './words.ts'

export interface SearchRequest {
  words: string[]
  /** Only messages have one. */
  channel?: string | undefined
  /** A name or an id. */
  agent?: string | undefined
  since?: string | undefined
  limit: number
}

export interface FoundEntry {
  id: number
  kind: 'message' | 'change'
  at: string
  /** The name of who said it. */
  agent: string
  channel: string | null
  /** Subject and body, or path and summary, a line between them: what the words are in. */
  text: string
}

export interface SearchPage<T> {
  results: T[]
  has_more: boolean
}

/** An answer is held in memory on both sides. */
const maxPageLetters = 8 << 20
/** So many ids are searched at once, fewer where that takes long. */
const firstPiece = 512
const maxPiece = 4096
const minPiece = 16
const pieceMs = 5
const rowsAtOnce = 100

/** Where something can be found, and how a row of it is told. */
interface Source {
  kind: FoundEntry['kind']
  stream: Stream
  columns: [string, string]
  agent: [id: string, name: string]
}

const sources: Source[] = [
  {
    kind: 'message',
    stream: messageStream,
    columns: ['subject', 'body'],
    agent: ['sender_id', 'sender_name'],
  },
  {
    kind: 'change',
    stream: changeStream,
    columns: ['file_path', 'summary'],
    agent: ['agent_id', 'agent_name'],
  },
]

/** @param signal ends it early, with what it has. */
export async function searchProject(
  desk: Desk,
  request: SearchRequest,
  signal?: AbortSignal,
): Promise<SearchPage<FoundEntry>> {
  const words = new SearchWords(request.words)
  const asked = sources.filter(({ kind }) => kind === 'message' || request.channel === undefined)
  const found = newestOf(asked.map((source) => search(desk, source, words, request, signal)))
  const results: FoundEntry[] = []
  let letters = 0
  for await (const one of found) {
    letters += one.text.length
    const isFull = results.length === request.limit || letters > maxPageLetters
    if (isFull && results.length > 0) return { results, has_more: true }
    results.push(one)
  }
  return { results, has_more: false }
}

/** What comes newest first from each, as one. */
async function* newestOf(parts: AsyncGenerator<FoundEntry>[]): AsyncGenerator<FoundEntry> {
  const heads = await Promise.all(parts.map(async (part) => ({ part, next: await part.next() })))
  for (;;) {
    const [newest] = heads
      .flatMap((head) => (head.next.done ? [] : [{ head, found: head.next.value }]))
      .sort((one, other) => (one.found.at < other.found.at ? 1 : -1))
    if (!newest) return
    yield newest.found
    newest.head.next = await newest.head.part.next()
  }
}

async function* search(
  { project, store }: Desk,
  source: Source,
  words: SearchWords,
  { channel, agent, since }: SearchRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<FoundEntry> {
  const { columns, stream } = source
  const narrow: Condition[] = channel === undefined ? [] : [['channel = ?', channel]]
  const [id, name] = source.agent
  const others: Condition[] = [
    ...(agent === undefined ? [] : [[`(${id} = ? OR ${name} = ?)`, agent, agent] as Condition]),
    ...coarseFilter(words.compared, columns),
  ]
  const key = channel === undefined ? ['project', 'id'] : ['project', 'channel', 'id']
  const oldestFirst = `ORDER BY ${key.join(', ')}`
  const newestFirst = `ORDER BY ${key.map((column) => `${column} DESC`).join(', ')}`
  const read = (conditions: Condition[], order: string, limit: number) => {
    const all: Condition[] = [['project = ?', project], ...narrow, ...conditions]
    const where = all.map(([sql]) => sql).join(' AND ')
    const what = conditions.length > 0 ? '*' : 'id'
    return store.all(
      `SELECT ${what} FROM ${stream.table} WHERE ${where} ${order} LIMIT ${limit}`,
      ...all.flatMap(([, ...values]) => values),
    )
  }
  const [newest] = await read([], newestFirst, 1)
  const [oldest] = await read([], oldestFirst, 1)
  if (!newest || !oldest) return
  const after = since === undefined ? 0 : await lastIdBy(store, stream, project, since)
  const end = Math.max(integer(oldest.id), after + 1)
  const pause = pauses()
  let piece = firstPiece
  for (let above = integer(newest.id) + 1; above > end && !signal?.aborted; ) {
    const from = Math.max(end, above - piece)
    const range: Condition[] = [['id >= ?', from], ['id < ?', above], ...others]
    const { rows, ms } = await inTurn(async () => {
      const few = await read(range, oldestFirst, rowsAtOnce) // a third faster than the other way round
      return few.length < rowsAtOnce ? few.reverse() : read(range, newestFirst, rowsAtOnce)
    })
    for (const row of rows) {
      if (words.areIn(...columns.map((column) => text(row[column])))) yield foundIn(row, source)
      await pause()
    }
    const last = rows.length < rowsAtOnce ? undefined : rows.at(-1)
    above = last ? integer(last.id) : from
    piece = Math.round(Math.min(maxPiece, piece * 2, Math.max(minPiece, (piece * pieceMs) / ms)))
  }
}

const foundIn = (row: Row, { kind, stream, columns, agent: [, name] }: Source): FoundEntry => ({
  id: integer(row.id),
  kind,
  at: timeText(integer(row[stream.time])),
  agent: text(row[name]),
  channel: kind === 'message' ? text(row.channel) : null,
  text: columns.map((column) => text(row[column])).join('\n'),
})

/** Everything else has its turn between any two pieces, however many search at once. */
async function inTurn(read: () => Promise<Row[]>): Promise<{ rows: Row[]; ms: number }> {
  const piece = turn.then(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    const start = performance.now()
    const rows = await read()
    return { rows, ms: Math.max(0.01, performance.now() - start) }
  })
  turn = piece.catch(() => {})
  return piece
}

let turn: Promise<unknown> = Promise.resolve()
