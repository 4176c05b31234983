/** A walk back through the journal between two moments: the newest first, in short pieces, and no further than is allowed. */
import { chunksOf, integer, marks, type Row, text } from '../../store/store.ts'
import type { Desk } from '../desk.ts'
import { pathsAround } from '../history.ts'

export interface JournalRange {
  /** Later than this, in microseconds. */
  sinceUs?: number | undefined
  /** Not later than this. */
  untilUs?: number | undefined
  /** A name or an id. */
  agent?: string | undefined
  /** Also what happened to the folders above it. */
  file?: string | undefined
  /** So many entries are looked at, whether they are wanted or not. */
  mostLooked: number
}

const entriesAPiece = 1000
const idsAStatement = 200
const shownOfBody = 1000
const shownOfSummary = 2000

export class JournalWalk {
  readonly #desk: Desk
  readonly #isWanted: (row: Row) => boolean
  readonly #bottom: number
  readonly #mostLooked: number
  #cursor: number
  #looked = 0
  #piece: Row[] = []
  #isOver = false
  /** Where it was ended though there may be more: the time of the last that was looked at, in microseconds. */
  endedUs: number | undefined

  private constructor(
    desk: Desk,
    range: { top: number; bottom: number; mostLooked: number; isWanted: (row: Row) => boolean },
  ) {
    this.#desk = desk
    this.#isWanted = range.isWanted
    this.#bottom = range.bottom
    this.#mostLooked = range.mostLooked
    this.#cursor = range.top + 1
  }

  static async open(desk: Desk, range: JournalRange): Promise<JournalWalk> {
    const { sinceUs, untilUs, agent, file, mostLooked } = range
    const paths = file === undefined ? undefined : new Set(await pathsAround(desk, file))
    const last = await lastEntry(desk)
    const top = untilUs === undefined ? last : await lastEntryAt(desk, last, untilUs)
    const bottom = sinceUs === undefined ? 0 : await lastEntryAt(desk, last, sinceUs)
    const isWanted = (row: Row) =>
      (agent === undefined || row.agent_id === agent || row.agent_name === agent) &&
      (paths === undefined || (row.file_path !== null && paths.has(text(row.file_path))))
    return new JournalWalk(desk, { top, bottom, mostLooked, isWanted })
  }

  /** The next older entry, with the columns of `readJournal`; nothing where there is none, or no more may be looked at. */
  async next(): Promise<Row | undefined> {
    while (this.#piece.length === 0 && !this.#isOver) await this.#read()
    return this.#piece.shift()
  }

  async #read(): Promise<void> {
    const { store, project } = this.#desk
    const most = Math.min(entriesAPiece, this.#mostLooked - this.#looked)
    const rows = await store.all(
      `SELECT entry, at_us, agent_id, agent_name, event, file_path, note, message_id, change_id FROM journal
        WHERE project = ? AND entry > ? AND entry < ? ORDER BY project DESC, entry DESC LIMIT ${most}`,
      ...[project, this.#bottom, this.#cursor],
    )
    this.#looked += rows.length
    const last = rows.at(-1)
    const isShort = rows.length < most
    if (last) this.#cursor = integer(last.entry)
    if (!isShort && this.#looked >= this.#mostLooked) this.endedUs = last && integer(last.at_us)
    this.#isOver = isShort || this.endedUs !== undefined
    this.#piece = await withTexts(this.#desk, rows.filter(this.#isWanted))
    await new Promise((resolve) => setImmediate(resolve)) // others have their turn
  }
}

/** With the beginning of what messages and changes say. */
async function withTexts({ store, project }: Desk, rows: Row[]): Promise<Row[]> {
  const read = async (column: 'message_id' | 'change_id', what: string, table: string) => {
    const ids = rows.flatMap(({ [column]: id }) => (id === null ? [] : [integer(id)]))
    const found = new Map<number, Row>()
    for (const some of chunksOf(ids, idsAStatement)) {
      const texts = await store.all(
        `SELECT id, ${what} FROM ${table} WHERE project = ? AND id IN (${marks(some.length)})`,
        ...[project, ...some],
      )
      for (const row of texts) found.set(integer(row.id), row)
    }
    return found
  }
  const messages = await read(
    'message_id',
    `channel, subject, SUBSTR(body, 1, ${shownOfBody}) AS body`,
    'messages',
  )
  const changes = await read(
    'change_id',
    `SUBSTR(summary, 1, ${shownOfSummary}) AS summary`,
    'changes',
  )
  return rows.map((row) => {
    const {
      channel = null,
      subject = null,
      body = null,
    } = messages.get(Number(row.message_id)) ?? {}
    const { summary = null } = changes.get(Number(row.change_id)) ?? {}
    return { ...row, channel, subject, body, summary }
  })
}

async function lastEntry({ store, project }: Desk): Promise<number> {
  const [row] = await store.all(
    'SELECT entry FROM journal WHERE project = ? ORDER BY project DESC, entry DESC LIMIT 1',
    project,
  )
  return row ? integer(row.entry) : 0
}

/** The last entry of at most this time. Times rise with entries and no index has them, so it is halved towards. */
async function lastEntryAt({ store, project }: Desk, last: number, us: number): Promise<number> {
  let [low, high] = [0, last]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const [row] = await store.all(
      'SELECT entry, at_us FROM journal WHERE project = ? AND entry <= ? ORDER BY project DESC, entry DESC LIMIT 1',
      ...[project, middle],
    )
    if (!row) low = middle
    else if (integer(row.at_us) <= us) low = middle
    else high = integer(row.entry) - 1
  }
  return low
}
