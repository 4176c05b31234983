/** Wakes whoever waits for messages or changes when there are any, whichever process stored them. */
import { AgentMailError } from '../errors.ts'
import { integer, type OtherWriters, type Reader, type Row, text } from '../store/store.ts'
import { log } from '../system/log.ts'

/** How often the counters are read for news of other processes while somebody waits, where the store does not tell of them. */
const pollMs = 300
/** Whoever waits in vain waits again soon. */
const lingerMs = 1000
const wokenAtOnce = 50

export interface NewsItem {
  project: string
  stream: 'messages' | 'changes'
  /** The channel of a message; nothing if it was stored elsewhere. */
  channel?: string
}

/** What is told to whoever watches all projects. */
export type Tidings =
  /** The last entry of a project's journal is this one now. */
  | { about: 'journal'; project: string; last: number }
  /** What has no entry there. */
  | { about: 'agents' | 'receipts' | 'conflicts'; project: string }
  | { about: 'projects' }
  /** These agents have called. */
  | { about: 'seen'; project: string; agents: string[]; us: number }
  /** Another process has written something, nobody knows what. */
  | { about: 'others' }

type Listener = (item: NewsItem) => void
type Watcher = (tidings: Tidings) => void

export interface Wait {
  ended: Promise<void>
  cancel(): void
}

interface Patience {
  wanted: (item: NewsItem) => boolean
  waitMs: number
  signal: AbortSignal | undefined
}

export class News {
  readonly #store: Reader
  readonly #others: OtherWriters | undefined
  readonly #listeners = new Set<Listener>()
  readonly #watchers = new Set<Watcher>()
  readonly #lastIds = new Map<string, number>()
  #poll: NodeJS.Timeout | undefined
  #unwatch: (() => void) | undefined
  #hasFailed = false
  #ending: NodeJS.Timeout | undefined
  #isLooking = false
  #isLate = false
  #isClosed = false

  /** @param others tells of what other processes write; without it the counters are read again and again. */
  constructor(store: Reader, others?: OtherWriters) {
    this.#store = store
    this.#others = others
  }

  /** What this process stored, id by id: the next look at the counters has nothing new to tell of it. */
  stored(item: NewsItem, id: number): void {
    this.#know(`${item.stream} ${item.project}`, id - 1, id)
    this.publish(item)
  }

  /** The same of entries of a journal, of which `first` was the last before. */
  recorded(project: string, first: number, last: number): void {
    this.#know(`journal ${project}`, first, last)
    this.tell({ about: 'journal', project, last })
  }

  #know(key: string, before: number, last: number): void {
    if (this.#lastIds.get(key) === before) this.#lastIds.set(key, last)
  }

  /** Wakes whoever wants it, some at a time, so that a crowd of readers does not hold up who wrote. */
  publish(item: NewsItem): void {
    const wake = (listeners: Listener[]) => {
      for (const listener of listeners.slice(0, wokenAtOnce)) listener(item)
      if (listeners.length > wokenAtOnce) setImmediate(wake, listeners.slice(wokenAtOnce))
    }
    if (this.#listeners.size > 0) setImmediate(wake, [...this.#listeners])
  }

  tell(tidings: Tidings): void {
    for (const watcher of this.#watchers) watcher(tidings)
  }

  /** Is told everything from now on, until the function that this gives is called. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    this.#begin()
    return () => {
      this.#watchers.delete(watcher)
      this.#endIfAlone()
    }
  }

  /** Listens from now on: the first item that `wanted` accepts ends the wait, as do the time, `cancel`, and `close`. */
  wait(wanted: (item: NewsItem) => boolean, ms: number): Wait {
    let cancel = () => {}
    const ended = new Promise<void>((resolve) => {
      const listener = (item: NewsItem) => {
        if (this.#isClosed || wanted(item)) cancel()
      }
      const timer = setTimeout(() => cancel(), ms)
      cancel = () => {
        clearTimeout(timer)
        this.#listeners.delete(listener)
        this.#endIfAlone()
        resolve()
      }
      this.#listeners.add(listener)
      this.#begin()
      if (this.#isClosed) cancel()
    })
    return { ended, cancel }
  }

  /** Looks until there is something, whenever there is news, for as long as it may. */
  async until<T>(
    look: () => Promise<T>,
    isSomething: (found: T) => boolean,
    { wanted, waitMs, signal }: Patience,
  ): Promise<T> {
    const endsAt = performance.now() + waitMs
    for (;;) {
      const remaining = endsAt - performance.now()
      // Listening starts before the look, so that nothing is stored unnoticed in between.
      const wait = remaining > 0 && !signal?.aborted ? this.wait(wanted, remaining) : undefined
      if (wait) signal?.addEventListener('abort', wait.cancel)
      try {
        const found = await look()
        if (isSomething(found) || !wait || this.#isClosed) return found
        await wait.ended
      } finally {
        if (wait) signal?.removeEventListener('abort', wait.cancel)
        wait?.cancel()
      }
    }
  }

  /** Ends every wait, and those to come. */
  close(): void {
    this.#isClosed = true
    this.publish({ project: '', stream: 'messages' }) // whatever it says, it ends every wait now
    this.#end()
  }

  /** Hears of other processes from now on. */
  #begin(): void {
    clearTimeout(this.#ending)
    this.#ending = undefined
    if (this.#isClosed || this.#unwatch || this.#poll) return
    if (!this.#others || this.#hasFailed) {
      this.#lookLater()
      return
    }
    try {
      this.#unwatch = this.#others.watch(
        () => void this.#look(true),
        (error) => this.#fail(error),
      )
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#unwatch = undefined
    this.#hasFailed = true
    if (this.#isClosed || AgentMailError.is(error, 'database_lost')) return
    const why = error instanceof Error ? error.message : error
    log(`the database cannot be watched, and is looked at every ${pollMs} ms instead: ${why}`)
    this.#lookLater()
  }

  #lookLater(): void {
    clearTimeout(this.#poll)
    this.#poll = setTimeout(() => this.#look(false), pollMs)
  }

  /** @param isTold whether it is known that another process has written. */
  async #look(isTold: boolean): Promise<void> {
    if (this.#isLooking) {
      this.#isLate ||= isTold
      return
    }
    this.#isLooking = true
    let isAgain = !this.#unwatch
    try {
      const rows = await this.#store.all(
        'SELECT project, last_message, last_change, last_entry FROM projects',
      )
      const isOthers = rows.map((row) => this.#compare(row)).includes(true)
      if (isTold || isOthers) this.tell({ about: 'others' })
    } catch {
      isAgain = true // it was logged, and the next look comes
    }
    this.#isLooking = false
    if (this.#isLate) {
      this.#isLate = false
      return this.#look(true)
    }
    const isHeard = this.#listeners.size + this.#watchers.size > 0 && !this.#isClosed
    if (isAgain && isHeard) this.#lookLater()
    else this.#poll = undefined
  }

  /** Whether anything is other than it was known. The first look knows nothing: those who wait may have missed something before. */
  #compare(row: Row): boolean {
    const project = text(row.project)
    const isNew = (stream: string, lastId: number) => {
      const key = `${stream} ${project}`
      const isNews = this.#lastIds.get(key) !== lastId
      this.#lastIds.set(key, lastId)
      return isNews
    }
    const last = integer(row.last_entry)
    const hasMessages = isNew('messages', integer(row.last_message))
    const hasChanges = isNew('changes', integer(row.last_change))
    const hasEntries = isNew('journal', last)
    if (hasMessages) this.publish({ project, stream: 'messages' })
    if (hasChanges) this.publish({ project, stream: 'changes' })
    if (hasEntries) this.tell({ about: 'journal', project, last })
    return hasEntries
  }

  #endIfAlone(): void {
    if (this.#listeners.size + this.#watchers.size > 0 || this.#ending) return
    if (this.#unwatch) this.#ending = setTimeout(() => this.#end(), lingerMs).unref()
    else this.#end()
  }

  #end(): void {
    clearTimeout(this.#ending)
    this.#ending = undefined
    clearTimeout(this.#poll)
    this.#poll = undefined
    this.#unwatch?.()
    this.#unwatch = undefined
  }
}
