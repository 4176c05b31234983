/** Gives out ids and times in the transaction that stores them: no gaps, no repeats, in the order of commits. */

import type { Shared, Write } from '../store/batch.ts'
import { integer, StoreError, type Transaction } from '../store/store.ts'
import type { Clock } from '../system/clock.ts'
import { uuid } from '../system/random.ts'
import type { AgentName } from './agents.ts'
import type { Desk } from './desk.ts'
import type { News } from './news.ts'

/** What the journal tells of a project. */
export const journalEvents = [
  'registered',
  'said',
  'claimed',
  'released',
  'announced',
  'left',
  'went stale',
] as const
export type JournalEvent = (typeof journalEvents)[number]

interface Counters {
  message: number
  change: number
  entry: number
  us: number
  /** No more claims than this are held. It is not stored: see `claimsAtMost`. */
  claims: number
}

/** The counters of one project, while one batch is written, and the journal that grows with them. */
export class Ledger {
  readonly #project: string
  readonly #write: Write
  readonly #clock: Clock
  readonly #counters: Counters

  private constructor(project: string, write: Write, clock: Clock, counters: Counters) {
    this.#project = project
    this.#write = write
    this.#clock = clock
    this.#counters = counters
  }

  /** Whoever opens it will write: check what can be refused before. */
  static async open(write: Write, { project, clock, counters }: Desk): Promise<Ledger> {
    const shared = await write.shared(keyOf(project), (own) => counters.load(own))
    return new Ledger(project, write, clock, shared)
  }

  /** For a check that no other server may come between: from here on, whichever writes later starts over. */
  static async lookedAt(write: Write, { project, clock, counters }: Desk): Promise<Ledger> {
    const shared = await write.glance(keyOf(project), (own) => counters.load(own))
    return new Ledger(project, write, clock, shared)
  }

  nextMessageId(): number {
    return ++this.#counters.message
  }

  get lastMessageId(): number {
    return this.#counters.message
  }

  nextChangeId(): number {
    return ++this.#counters.change
  }

  /**
   * No more claims than this are held in the project; unknown until somebody has counted. Every claim
   * is an entry of the journal, whichever server took it, so what was counted once holds on.
   */
  get claimsAtMost(): number {
    return this.#counters.claims
  }

  set claimsAtMost(counted: number) {
    this.#counters.claims = counted
  }

  /** Microseconds, later than every time given out before in this project. */
  nextTime(): number {
    this.#counters.us = Math.max(this.#counters.us + 1, this.#clock.now() * 1000)
    return this.#counters.us
  }

  /** Adds an entry to the journal; what a message or a change says stays in its own table. */
  record(
    agent: AgentName,
    event: JournalEvent,
    about: {
      at?: number
      file_path?: string
      message_id?: number
      change_id?: number
      note?: string
    } = {},
  ): void {
    if (event === 'claimed') this.#counters.claims++
    if (event === 'released') this.#counters.claims--
    this.#write.append('journal', {
      project: this.#project,
      entry: ++this.#counters.entry,
      at_us: about.at ?? this.nextTime(),
      agent_id: agent.agent_id,
      agent_name: agent.name,
      event,
      file_path: about.file_path ?? null,
      message_id: about.message_id ?? null,
      change_id: about.change_id ?? null,
      note: about.note ?? null,
    })
  }
}

const keyOf = (project: string): string => `counters of ${project}`

/** After another process was met, so many batches are written with care. */
const carefulBatches = 50

/**
 * The counters of one project, which the process that wrote last still knows. Every batch gives
 * their row a new token, and changes it only where it finds the token that it expects: so two
 * batches never give out one id.
 */
export class ProjectCounters {
  readonly #project: string
  readonly #news: News
  #known: { token: string; counters: Counters } | undefined
  /** As this process left them, also when another has taken them since. */
  #last: Counters | undefined
  #careful = 0

  constructor(project: string, news: News) {
    this.#project = project
    this.#news = news
  }

  async load(write: Write): Promise<Shared<Counters>> {
    const token = uuid()
    const known = this.#careful > 0 ? undefined : this.#known
    this.#known = undefined // until it is committed: whatever fails, the next attempt looks
    const value = known ? { ...known.counters } : await this.#take(write, token)
    if (this.#careful > 0) this.#careful--
    const { entry } = value
    write.afterCommit(() => {
      this.#known = { token, counters: value }
      this.#last = value
      if (value.entry > entry) this.#news.recorded(this.#project, entry, value.entry)
    })
    return {
      value,
      save: (transaction) => this.#save(transaction, value, known?.token ?? token, token),
    }
  }

  /**
   * The token is new before the counters are read: engines that lock rows lock it there, and those
   * that merge at the commit refuse the second of two tokens.
   */
  async #take(write: Write, token: string): Promise<Counters> {
    const project = this.#project
    const found = await write.run('UPDATE projects SET token = ? WHERE project = ?', token, project)
    if (found === 0) {
      await write.run(
        'INSERT INTO projects (project, last_message, last_change, last_entry, last_us, token) VALUES (?, 0, 0, 0, 0, ?)',
        project,
        token,
      )
    }
    const [row] = await write.all(
      'SELECT last_message, last_change, last_entry, last_us FROM projects WHERE project = ?',
      project,
    )
    const entry = integer(row?.last_entry)
    return {
      message: integer(row?.last_message),
      change: integer(row?.last_change),
      entry,
      us: integer(row?.last_us),
      claims: this.#claimsAtMost(entry),
    }
  }

  /** Each entry of another process since may be one more. */
  #claimsAtMost(entry: number): number {
    const last = this.#last
    return last && entry >= last.entry ? last.claims + entry - last.entry : Number.POSITIVE_INFINITY
  }

  async #save(
    transaction: Transaction,
    { message, change, entry, us }: Counters,
    expected: string,
    token: string,
  ): Promise<void> {
    const saved = await transaction.run(
      'UPDATE projects SET last_message = ?, last_change = ?, last_entry = ?, last_us = ?, token = ? WHERE project = ? AND token = ?',
      ...[message, change, entry, us, token, this.#project, expected],
    )
    if (saved === 1) return
    this.#careful = carefulBatches
    throw new StoreError('again', 'another process took the counters')
  }
}
