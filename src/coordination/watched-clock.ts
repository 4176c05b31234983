/** A clock that notices when it was set, since whoever reads it compares it with the steady time. */
import type { Clock } from '../system/clock.ts'

/** How far the two may drift apart between two looks. */
const toleranceMs = 5000

/** One that is looked up elsewhere is looked up again by `set`. */
export type SettableClock = Clock & { set?(): Promise<void> }

export class WatchedClock implements Clock {
  readonly #clock: SettableClock
  readonly #toleranceMs: number
  #last: { wall: number; steady: number }
  #timesSet = 0

  /** @param staleMs what would harm an agent is noticed, however short its time is. */
  constructor(clock: SettableClock, staleMs: number) {
    this.#clock = clock
    this.#toleranceMs = Math.min(toleranceMs, staleMs / 4)
    this.#last = { wall: clock.now(), steady: performance.now() }
  }

  now(): number {
    const [wall, steady] = [this.#clock.now(), performance.now()]
    const drift = wall - this.#last.wall - (steady - this.#last.steady)
    if (Math.abs(drift) > this.#toleranceMs) this.#timesSet++
    this.#last = { wall, steady }
    return wall
  }

  /** How often it was set while somebody looked. */
  get timesSet(): number {
    return this.#timesSet
  }

  async set(): Promise<void> {
    await this.#clock.set?.()
  }
}
