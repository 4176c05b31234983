/** Whether somebody is still at work on a note: editors save what was typed seconds later. */
import type { BigIntStats } from 'node:fs'
import type { Clock } from '../../system/clock.ts'

export class Quiet {
  readonly #clock: Clock
  readonly #quietMs: number
  readonly #seen = new Map<string, { etag: string; sinceMs: number }>()

  constructor(clock: Clock, quietMs: number) {
    this.#clock = clock
    this.#quietMs = quietMs
  }

  /** How long to wait until the note has been quiet long enough; 0 when it has. */
  leftMs(path: string, etag: string, { mtimeMs, ctimeMs }: BigIntStats): number {
    const now = this.#clock.now()
    const seen = this.#seen.get(path)
    if (seen?.etag !== etag) this.#seen.set(path, { etag, sinceMs: now })
    const changedMs = Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs)
    // A time in the future says nothing: then it counts how long it was seen unchanged.
    const sinceMs = changedMs <= now ? changedMs : (this.#seen.get(path)?.sinceMs ?? now)
    return Math.max(0, sinceMs + this.#quietMs - now)
  }
}
