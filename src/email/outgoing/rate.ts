/** So many mails a minute, counted in this process. */

import { notSent } from '../../errors.ts'
import type { Clock } from '../../system/clock.ts'

const minuteMs = 60_000

export class Rate {
  readonly #perMinute: number
  readonly #clock: Clock
  #taken: number[] = []

  /** @param perMinute 0 for no limit. */
  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute
    this.#clock = clock
  }

  take(): void {
    if (this.#perMinute === 0) return
    const now = this.#clock.now()
    // A clock that was set back must not lock anybody out.
    this.#taken = this.#taken.filter((at) => at <= now && now - at < minuteMs)
    const [oldest = now] = this.#taken
    if (this.#taken.length < this.#perMinute) {
      this.#taken.push(now)
      return
    }
    const seconds = Math.max(1, Math.ceil((oldest + minuteMs - now) / 1000))
    throw notSent(
      'rate_limited',
      `the limit of ${this.#perMinute} mails a minute is reached, try again in ${seconds} seconds`,
      'RATE_LIMIT_MAX_REQUESTS sets the limit.',
      { retry_after_seconds: seconds },
    )
  }
}
