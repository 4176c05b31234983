/** Prunes one project: what is old goes, oldest first; what is held, unread or still explains something stays. */
import { removeAll } from '../../store/insert.ts'
import { type Removal, rowsAPiece } from '../../store/removal.ts'
import { tableNamed } from '../../store/schema.ts'
import { integer, marks, type Reader, type Row, text } from '../../store/store.ts'
import type { Desk } from '../desk.ts'
import { isGoing, standingEvents, standingKey } from '../difference.ts'
import { moveHorizon } from '../horizon.ts'
import { Ledger } from '../ledger.ts'
import { removeSessionsOf } from '../sessions/session-rows.ts'
import { pruneKeys } from './prune-keys.ts'
import { unreadByLiving } from './unread-messages.ts'

/** How many rows went, or would go. */
export interface PrunedRows {
  messages: number
  changes: number
  journal_entries: number
  agents: number
  idempotency_keys: number
}

export interface PruneLimits {
  /** What is older goes, in microseconds; nothing goes but keys where it is not said. */
  beforeUs: number | undefined
  /** Keys that were used before. */
  keysBeforeUs: number
  /** How the person is called. */
  person?: string | undefined
}

/** Entries that are looked through at once for who was heard of. */
const entriesAtOnce = 5000

export async function pruneProject(
  desk: Desk,
  removal: Removal,
  { beforeUs, keysBeforeUs, person }: PruneLimits,
): Promise<PrunedRows> {
  const pruning = new ProjectPruning(desk, removal)
  // While the messages are there that tell how old the keys of earlier versions are.
  const idempotency_keys = await pruneKeys(desk, removal, keysBeforeUs)
  const none = { messages: 0, changes: 0, journal_entries: 0, agents: 0, idempotency_keys }
  if (beforeUs === undefined) return none
  const lastEntry = await lastEntryBefore(desk, beforeUs)
  return {
    ...none,
    journal_entries: await pruning.journal(beforeUs, lastEntry),
    messages: await pruning.messages(beforeUs, person),
    changes: await pruning.changes(beforeUs),
    // After what they were handed: while that is there, their marks tell that they were.
    agents: await pruning.agents(beforeUs, lastEntry),
  }
}

class ProjectPruning {
  readonly #desk: Desk
  readonly #removal: Removal

  constructor(desk: Desk, removal: Removal) {
    this.#desk = desk
    this.#removal = removal
  }

  /** Those who went before: nobody has heard of them since, and they hold nothing. */
  async agents(beforeUs: number, lastEntry: number): Promise<number> {
    const { project, store } = this.#desk
    let removed = 0
    let heardOf: Set<string> | undefined
    let cursor = ''
    for (;;) {
      const page = await store.all(
        `SELECT a.agent_id FROM agents a
          LEFT JOIN presence p ON p.project = a.project AND p.agent_id = a.agent_id
          WHERE a.project = ? AND a.agent_id > ? AND a.registered_us < ? AND p.agent_id IS NULL
          ORDER BY a.project, a.agent_id LIMIT ${rowsAPiece}`,
        ...[project, cursor, beforeUs],
      )
      if (page.length === 0 || this.#removal.isEnding) return removed
      heardOf ??= await this.#heardOfAfter(lastEntry)
      const ids = page.map((row) => text(row.agent_id))
      cursor = ids.at(-1) ?? ''
      const silent = ids.filter((id) => !heardOf?.has(id))
      const held = await idsIn(store, 'file_claims', project, silent)
      removed += await this.#removeAgents(silent.filter((id) => !held.has(id)))
    }
  }

  /** One that registers again at this moment stays: both take the counters of the project, so one of them is first. */
  #removeAgents(ids: string[]): Promise<number> {
    const { project } = this.#desk
    return this.#removal.piece(ids.length, async (write) => {
      await Ledger.open(write, this.#desk)
      const back = await idsIn(write, 'presence', project, ids)
      const gone = ids.filter((id) => !back.has(id))
      if (gone.length === 0) return 0
      const these = `WHERE project = ? AND agent_id IN (${marks(gone.length)})`
      await write.run(`DELETE FROM marks ${these}`, project, ...gone)
      await removeSessionsOf(write, project, gone)
      return write.run(`DELETE FROM agents ${these}`, project, ...gone)
    })
  }

  /** Who did something after this entry. */
  async #heardOfAfter(lastEntry: number): Promise<Set<string>> {
    const { project, store } = this.#desk
    const heardOf = new Set<string>()
    const newest = await newestEntry(this.#desk)
    for (let first = lastEntry; first < newest; first += entriesAtOnce) {
      const rows = await store.all(
        'SELECT DISTINCT agent_id FROM journal WHERE project = ? AND entry > ? AND entry <= ?',
        ...[project, first, first + entriesAtOnce],
      )
      for (const row of rows) heardOf.add(text(row.agent_id))
      await turn()
    }
    return heardOf
  }

  /**
   * All but the entries by which an agent or a claim still stood at that time, so that every later
   * moment is told as it was. In order, so that what is left of a run that was killed never says
   * that something stands which does not.
   */
  async journal(beforeUs: number, lastEntry: number): Promise<number> {
    const standing = await this.#standingAt(lastEntry)
    return this.#oldest('journal', 'entry', lastEntry, beforeUs, '', (row) =>
      standing.has(integer(row.entry)),
    )
  }

  async #standingAt(lastEntry: number): Promise<Set<number>> {
    const standing = new Map<string, number>()
    const columns = 'agent_id, file_path, event'
    const only = `AND event IN (${standingEvents})`
    for await (const rows of this.#pages('journal', 'entry', lastEntry, columns, only)) {
      for (const row of rows) {
        const file = row.file_path === null ? null : text(row.file_path)
        const key = standingKey({ agent_id: text(row.agent_id), file })
        if (isGoing(text(row.event))) standing.delete(key)
        else if (!standing.has(key)) standing.set(key, integer(row.entry))
      }
    }
    return new Set(standing.values())
  }

  async messages(beforeUs: number, person: string | undefined): Promise<number> {
    const isUnread = await unreadByLiving(this.#desk, person)
    const last = await this.#lastBefore('messages', 'created_us', beforeUs)
    return this.#oldest('messages', 'id', last, beforeUs, 'channel, sender_id', isUnread)
  }

  async changes(beforeUs: number): Promise<number> {
    const last = await this.#lastBefore('changes', 'announced_us', beforeUs)
    return this.#oldest('changes', 'id', last, beforeUs)
  }

  /** Ids and times rise together. */
  async #lastBefore(table: string, time: string, us: number): Promise<number> {
    const { project, store } = this.#desk
    const [row] = await store.all(
      `SELECT id FROM ${table} WHERE project = ? AND ${time} < ? ORDER BY project DESC, ${time} DESC LIMIT 1`,
      ...[project, us],
    )
    return row ? integer(row.id) : 0
  }

  /** Removes the rows of a table up to the last, but for those that are kept. */
  async #oldest(
    name: 'journal' | 'messages' | 'changes',
    id: 'entry' | 'id',
    last: number,
    beforeUs: number,
    columns = '',
    isKept: (row: Row) => boolean = () => false,
  ): Promise<number> {
    const { project, queue } = this.#desk
    let removed = 0
    let isTold = this.#removal.isDryRun
    for await (const page of this.#pages(name, id, last, columns)) {
      if (this.#removal.isEnding) break
      const rows = page.filter((row) => !isKept(row)).map((row) => ({ ...row, project }))
      if (rows.length > 0 && !isTold) {
        await queue.write((write) => moveHorizon(write, project, beforeUs))
        isTold = true
      }
      removed +=
        name === 'messages'
          ? await this.#removeMessages(rows)
          : await this.#removal.rows(tableNamed(name), rows)
    }
    return removed
  }

  /** With their receipts, so that none is told as it was before. */
  #removeMessages(rows: Row[]): Promise<number> {
    return this.#removal.piece(rows.length, async (write) => {
      const { project } = this.#desk
      const [first, last] = [rows[0], rows.at(-1)]
      const found = await write.all(
        'SELECT project, message_id FROM receipts WHERE project = ? AND message_id >= ? AND message_id <= ?',
        ...[project, integer(first?.id), integer(last?.id)],
      )
      const ids = new Set(rows.map((row) => row.id))
      const receipts = found.filter((row) => ids.has(row.message_id ?? null))
      await removeAll(write, tableNamed('receipts'), receipts)
      return removeAll(write, tableNamed('messages'), rows)
    })
  }

  async *#pages(
    table: string,
    id: 'entry' | 'id',
    last: number,
    columns = '',
    only = '',
  ): AsyncGenerator<Row[]> {
    const { project, store } = this.#desk
    for (let cursor = 0; cursor < last; ) {
      const rows = await store.all(
        `SELECT ${columns === '' ? id : `${id}, ${columns}`} FROM ${table}
          WHERE project = ? AND ${id} > ? AND ${id} <= ? ${only} ORDER BY project, ${id} LIMIT ${rowsAPiece}`,
        ...[project, cursor, last],
      )
      if (rows.length > 0) yield rows
      if (rows.length < rowsAPiece) return
      cursor = integer(rows.at(-1)?.[id])
      await turn()
    }
  }
}

/** A store that answers at once would leave no turn to others. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

async function newestEntry({ project, store }: Desk): Promise<number> {
  const [row] = await store.all('SELECT last_entry FROM projects WHERE project = ?', project)
  return row ? integer(row.last_entry) : 0
}

/** The last entry that is older, found by bisecting: entries and their times rise together, and no index is needed that every write would pay for. */
async function lastEntryBefore(desk: Desk, us: number): Promise<number> {
  const { project, store } = desk
  let older = 0
  let younger = await newestEntry(desk)
  while (older < younger) {
    const middle = Math.floor((older + younger) / 2)
    const [row] = await store.all(
      'SELECT entry, at_us FROM journal WHERE project = ? AND entry > ? ORDER BY project, entry LIMIT 1',
      ...[project, middle],
    )
    if (row && integer(row.at_us) < us) older = integer(row.entry)
    else younger = middle
  }
  return older
}

/** Which of these agents the table has rows of. */
async function idsIn(
  reader: Reader,
  table: string,
  project: string,
  ids: string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await reader.all(
    `SELECT DISTINCT agent_id FROM ${table} WHERE project = ? AND agent_id IN (${marks(ids.length)})`,
    project,
    ...ids,
  )
  return new Set(rows.map((row) => text(row.agent_id)))
}
