/** The time by the database's clock: where several machines share one, their own clocks need not agree. */
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
