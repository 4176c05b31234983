/** What the orchestrator tells while it works: one line an event, for a person, as JSON, and in Logs/. */
import type { AgentMailError } from '../errors.ts'
import { type Clock, rfc3339 } from '../system/clock.ts'

export type EventName =
  | 'started'
  | 'ingested'
  | 'progress'
  | 'triaged'
  | 'undecided'
  | 'drafted'
  | 'returned'
  | 'sent'
  | 'delegated'
  | 'digest'
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

/** An error with its next step. */
export function inOneLine({ message, next }: AgentMailError): string {
  const line = (text: string) => text.replace(/\s*\n\s*/g, ' ').trim()
  return next ? `${line(message).replace(/[.:]+$/, '')}. ${line(next)}` : line(message)
}

/** @example counted(1, 'mail') // '1 mail' */
export const counted = (count: number, what: string, many = `${what}s`): string =>
  `${count} ${count === 1 ? what : many}`

const longest = 100

/** What others wrote, short enough for a line. */
export function inShort(text: string, otherwise: string): string {
  const characters = [...text.trim()]
  if (characters.length === 0) return otherwise
  return characters.length <= longest
    ? text.trim()
    : `${characters.slice(0, longest - 1).join('')}…`
}
