/** Wakes whoever waits for messages or changes when there are any, whichever process stored them. */
import { integer, type Reader, text } from '../store/store.ts'

/** How often the counters are read for news of other processes, while somebody waits. */
const pollMs = 300
const wokenAtOnce = 50

export interface NewsItem {
  project: string
  stream: 'messages' | 'changes'
  /** The channel of a message; nothing if it was stored elsewhere. */
  channel?: string
}

type Listener = (item: NewsItem) => void

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
  readonly #listeners = new Set<Listener>()
  readonly #lastIds = new Map<string, number>()
  #poll: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(store: Reader) {
    this.#store = store
  }

  /** What this process stored, id by id: the next look at the counters has nothing new to tell of it. */
  stored(item: NewsItem, id: number): void {
    const key = keyOf(item)
    if (this.#lastIds.get(key) === id - 1) this.#lastIds.set(key, id)
    this.publish(item)
  }

  /** Wakes whoever wants it, some at a time, so that a crowd of readers does not hold up who wrote. */
  publish(item: NewsItem): void {
    const wake = (listeners: Listener[]) => {
      for (const listener of listeners.slice(0, wokenAtOnce)) listener(item)
      if (listeners.length > wokenAtOnce) setImmediate(wake, listeners.slice(wokenAtOnce))
    }
    if (this.#listeners.size > 0) setImmediate(wake, [...this.#listeners])
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
        if (this.#listeners.size === 0) this.#stopPolling()
        resolve()
      }
      this.#listeners.add(listener)
      this.#poll ??= setTimeout(() => this.#look(), pollMs)
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
    this.#stopPolling()
  }

  async #look(): Promise<void> {
    try {
      const rows = await this.#store.all('SELECT project, last_message, last_change FROM projects')
      for (const row of rows) {
        this.#compare({ project: text(row.project), stream: 'messages' }, integer(row.last_message))
        this.#compare({ project: text(row.project), stream: 'changes' }, integer(row.last_change))
      }
    } catch {} // it was logged, and the next look comes
    if (this.#listeners.size === 0) return
    clearTimeout(this.#poll)
    this.#poll = setTimeout(() => this.#look(), pollMs)
  }

  #compare(item: NewsItem, lastId: number): void {
    const key = keyOf(item)
    const known = this.#lastIds.get(key)
    this.#lastIds.set(key, lastId)
    // The first look knows no earlier one: those who wait may have missed something in between.
    if (known !== lastId) this.publish(item)
  }

  #stopPolling(): void {
    clearTimeout(this.#poll)
    this.#poll = undefined
  }
}

const keyOf = ({ stream, project }: NewsItem): string => `${stream} ${project}`
