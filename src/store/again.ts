/** Tries work again while a database is busy with somebody else's. */
import { sleep } from '../system/clock.ts'
import { randomFraction } from '../system/random.ts'
import { StoreError } from './store.ts'

/** Gives up with the error itself when the time is over. */
export async function again<T>(work: () => T | Promise<T>, patienceMs = 8000): Promise<T> {
  const giveUpAt = performance.now() + patienceMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isAgain(error) || performance.now() > giveUpAt) throw error
      await pause(attempt)
    }
  }
}

export const isAgain = (error: unknown): boolean =>
  StoreError.is(error) && error.trouble === 'again'

/** Longer from attempt to attempt, and never two alike. */
export const pause = (attempt: number): Promise<void> =>
  sleep(randomFraction() * Math.min(2 ** attempt, 50))
