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
  /** How many newer ones than the first row were here before. */
  dropped = 0
  /** How many were put before what is looked at since the beginning: by so much the list has moved. */
  added = 0
  hasOlder = false
  isLoaded = false
  error: string | undefined
  /** What is on the screen. */
  #looked = { first: 0, last: 0 }
  #turn: Promise<void> = Promise.resolve()
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

  /** What has come since, and what became of what is there. */
  refresh(): Promise<void> {
    return this.#inTurn(() => {
      if (!this.isLoaded) return this.#start()
      // The newest are not here: they are fetched when they are looked at.
      return this.dropped > 0 ? Promise.resolve() : this.#renew()
    })
  }

  /** Fetches what is looked at and not there. */
  see(first: number, last: number): void {
    this.#looked = { first, last }
    this.#fetch()
  }

  #fetch(): void {
    if (this.#isBusy) return // it is looked at again afterwards
    const { first, last } = this.#looked
    const isNearEnd = this.hasOlder && last > this.length - atOnce / 2
    const isNearStart = this.dropped > 0 && first < this.dropped + atOnce / 4
    if (first + atOnce < this.dropped) void this.#inTurn(() => this.#start())
    else if (isNearStart) void this.#inTurn(() => this.#loadNewer())
    else if (isNearEnd) void this.#inTurn(() => this.#loadOlder())
  }

  async #start(): Promise<void> {
    const { messages, has_more } = await this.#ask({})
    Object.assign(this, { rows: messages, hasOlder: has_more, dropped: 0, isLoaded: true })
  }

  /** From the newest down to what is known: some may have come late, behind newer ones. */
  async #renew(): Promise<void> {
    const places = new Map(this.rows.map(({ cursor }, index) => [cursor, index]))
    const found: MessageHead[] = []
    let known = -1
    let hasMore = true
    while (hasMore && known < 0 && found.length < most) {
      const page = await this.#ask({ before: found.at(-1)?.cursor })
      found.push(...page.messages)
      known = Math.max(known, ...page.messages.map(({ cursor }) => places.get(cursor) ?? -1))
      hasMore = page.has_more && page.messages.length > 0
    }
    const rest = hasMore && known >= 0 ? this.rows.slice(known + 1) : []
    if (rest.length === 0) this.hasOlder = hasMore
    const anchor = this.at(this.#looked.first)?.cursor
    this.rows = [...found, ...rest]
    this.#move(this.rows.findIndex(({ cursor }) => cursor === anchor) - this.#looked.first)
    this.#trim()
  }

  async #loadOlder(): Promise<void> {
    const { messages, has_more } = await this.#ask({ before: this.rows.at(-1)?.cursor })
    this.rows = [...this.rows, ...messages]
    this.hasOlder = has_more
    this.#trim()
  }

  async #loadNewer(): Promise<void> {
    const { messages, has_more } = await this.#ask({ after: this.rows[0]?.cursor })
    const before = this.dropped
    this.dropped = has_more ? Math.max(1, before - messages.length) : 0
    this.rows = [...messages, ...this.rows]
    this.#move(this.dropped + messages.length - before)
    this.#trim()
  }

  /** What was looked at is so much further down now. */
  #move(by: number): void {
    const { first, last } = this.#looked
    if (first + by < 0) return // what was looked at is gone
    this.added += by
    this.#looked = { first: first + by, last: last + by }
  }

  /** What is farther from where one looks goes. */
  #trim(): void {
    const over = this.rows.length - most
    if (over <= 0) return
    const middle = this.dropped + this.rows.length / 2
    if (this.#looked.first < middle) {
      this.rows = this.rows.slice(0, most)
      this.hasOlder = true
    } else {
      this.rows = this.rows.slice(over)
      this.dropped += over
    }
  }

  #ask(query: Query): Promise<MessagesPage> {
    return get('/messages', { ...this.#query, ...query, limit: atOnce })
  }

  /** One after the other: each goes on from what the one before has left. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#isBusy = true
    const own = this.#turn.then(async () => {
      if (this.#isEnded) return
      try {
        await work()
        this.error = undefined
      } catch (error) {
        this.error = error instanceof Error ? error.message : String(error)
      }
      if (this.#turn === own) this.#isBusy = false
      if (this.#isEnded) return
      this.#onChange()
      if (this.error === undefined) this.#fetch()
    })
    this.#turn = own
    return own
  }
}
