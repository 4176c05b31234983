/** The clocks of a coordination: the database's, where several machines share one, and one that notices when it was set. */
import type { Clock } from '../system/clock.ts'

/** Goes on by itself between two looks at the database, whatever is done to this machine's clock. */
export class SharedClock implements Clock {
  readonly #look: () => Promise<number>
  /** The database's time when this process's steady time was 0. */
  #base = 0

  private constructor(look: () => Promise<number>) {
    this.#look = look
  }

  static async open(look: () => Promise<number>): Promise<SharedClock> {
    const clock = new SharedClock(look)
    await clock.set()
    return clock
  }

  now(): number {
    return Math.floor(this.#base + performance.now())
  }

  async set(): Promise<void> {
    const before = performance.now()
    const time = await this.#look()
    const after = performance.now()
    this.#base = time - (before + after) / 2
  }
}

/** How far the two may drift apart between two looks. */
const toleranceMs = 5000

/** One that is looked up elsewhere is looked up again by `set`. */
export type SettableClock = Clock & { set?(): Promise<void> }

/** Compares itself with the steady time whenever it is read. */
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
