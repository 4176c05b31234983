/** The messages of a list, newest first, of which a stretch is in memory: older and newer ones are fetched where one looks. */
import type { MessageHead } from '../../person/shapes.ts'
import { get, type Query } from './api.ts'

interface MessagesPage {
  messages: MessageHead[]
  has_more: boolean
}

const atOnce = 200
/** No more are kept; what is far away is fetched again. */
const most = 2000

export class Feed {
  readonly #query: Query
  readonly #onChange: () => void
  rows: MessageHead[] = []
  /** How many newer ones than the first row were here before, or came meanwhile. */
  dropped = 0
  /** How many were put before the first row since the beginning: by so much the list has moved. */
  added = 0
  hasOlder = false
  isLoaded = false
  error: string | undefined
  #isBusy = false
  #isEnded = false

  constructor(query: Query, onChange: () => void) {
    this.#query = query
    this.#onChange = onChange
  }

  end(): void {
    this.#isEnded = true
  }

  /** How long the list is, as far as it is known. */
  get length(): number {
    return this.dropped + this.rows.length
  }

  at(index: number): MessageHead | undefined {
    return this.rows[index - this.dropped]
  }

  start(): Promise<void> {
    return this.#once(async () => {
      const { messages, has_more } = await this.#ask({})
      Object.assign(this, { rows: messages, hasOlder: has_more, dropped: 0, isLoaded: true })
    })
  }

  /** What has come since, and what became of what is there. */
  refresh(): Promise<void> {
    if (!this.isLoaded) return this.start()
    return this.#once(async () => {
      if (this.dropped > 0) return // the newest are not here: they are fetched when they are looked at
      const fresh = await this.#newerThan(this.rows[0]?.cursor)
      this.added += fresh.length
      this.rows = [...fresh, ...this.rows].slice(0, most)
      await this.#renew()
    })
  }

  /** Fetches what is looked at and not there. */
  see(first: number, last: number): void {
    const isNearEnd = this.hasOlder && last > this.length - atOnce / 2
    const isNearStart = this.dropped > 0 && first < this.dropped + atOnce / 4
    if (first + atOnce < this.dropped) void this.start()
    else if (isNearStart) void this.#loadNewer()
    else if (isNearEnd) void this.#loadOlder()
  }

  #loadOlder(): Promise<void> {
    return this.#once(async () => {
      const { messages, has_more } = await this.#ask({ before: this.rows.at(-1)?.cursor })
      this.rows = [...this.rows, ...messages]
      this.hasOlder = has_more
      const over = Math.max(0, this.rows.length - most)
      this.rows = this.rows.slice(over)
      this.dropped += over
    })
  }

  #loadNewer(): Promise<void> {
    return this.#once(async () => {
      const { messages, has_more } = await this.#ask({ after: this.rows[0]?.cursor })
      this.added += Math.max(0, messages.length - this.dropped)
      this.dropped = has_more ? Math.max(1, this.dropped - messages.length) : 0
      this.hasOlder ||= this.rows.length + messages.length > most
      this.rows = [...messages, ...this.rows].slice(0, most)
    })
  }

  async #newerThan(cursor: string | undefined): Promise<MessageHead[]> {
    if (cursor === undefined) return (await this.#ask({})).messages
    const found: MessageHead[] = []
    for (let after = cursor; found.length < most; ) {
      const { messages, has_more } = await this.#ask({ after })
      found.unshift(...messages)
      if (!has_more || !messages[0]) break
      after = messages[0].cursor
    }
    return found
  }

  /** What became of the newest, since that is what changes. */
  async #renew(): Promise<void> {
    const isOpen = this.rows
      .slice(0, atOnce)
      .some(({ state }) => state === 'queued' || state === 'notified')
    if (!isOpen) return
    const { messages } = await this.#ask({})
    const states = new Map(messages.map((head) => [head.cursor, head]))
    this.rows = this.rows.map((head) => states.get(head.cursor) ?? head)
  }

  #ask(query: Query): Promise<MessagesPage> {
    return get('/messages', { ...this.#query, ...query, limit: atOnce })
  }

  async #once(work: () => Promise<void>): Promise<void> {
    if (this.#isBusy || this.#isEnded) return
    this.#isBusy = true
    try {
      await work()
      this.error = undefined
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error)
    }
    this.#isBusy = false
    if (!this.#isEnded) this.#onChange()
  }
}
