/** What the orchestrator tells while it works: one line an event, for a person, as JSON, and in Logs/. */
import { type Clock, rfc3339 } from '../system/clock.ts'

export type EventName =
  | 'started'
  | 'ingested'
  | 'progress'
  | 'triaged'
  | 'undecided'
  | 'drafted'
  | 'sent'
  | 'delegated'
  | 'filed'
  | 'failed'
  | 'unknown'
  | 'blocked'
  | 'waiting'
  | 'trouble'
  | 'summary'
  | 'ended'

export interface Event {
  at: string
  event: EventName
  /** For a person; what came from outside is in it, so whoever shows it makes it harmless. */
  text: string
  [fact: string]: unknown
}

/** What is the same each time is told once, until it changes. */
export class Teller {
  readonly #clock: Clock
  readonly #write: (event: Event) => void
  readonly #counts = new Map<EventName, number>()
  readonly #told = new Map<string, string>()

  constructor(clock: Clock, write: (event: Event) => void) {
    this.#clock = clock
    this.#write = write
  }

  tell(event: EventName, text: string, facts: Record<string, unknown> = {}): void {
    this.#counts.set(event, this.count(event) + 1)
    this.#write({ at: rfc3339(this.#clock.now()), event, text, ...facts })
  }

  /** @param about what it is about, as the path of a note. */
  tellOnce(
    about: string,
    event: EventName,
    text: string,
    facts: Record<string, unknown> = {},
  ): void {
    if (this.#told.get(about) === text) return
    this.#told.set(about, text)
    this.tell(event, text, facts)
  }

  hasTold(about: string): boolean {
    return this.#told.has(about)
  }

  /** It is well again: if it fails once more, that is news. */
  forget(about: string): void {
    this.#told.delete(about)
  }

  count(event: EventName): number {
    return this.#counts.get(event) ?? 0
  }

  /** What was done since the start. */
  summary(): Record<'ingested' | 'triaged' | 'drafted' | 'sent' | 'delegated' | 'failed', number> {
    return {
      ingested: this.count('ingested'),
      triaged: this.count('triaged'),
      drafted: this.count('drafted'),
      sent: this.count('sent'),
      delegated: this.count('delegated'),
      failed: this.count('failed'),
    }
  }
}
