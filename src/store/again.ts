/** Tries work again while a database is busy with somebody else's. */
import { untilDone } from '../system/retry.ts'
import { StoreError } from './store.ts'

/** Gives up with the error itself when the time is over. */
export const again = <T>(work: () => T | Promise<T>, patienceMs = 8000): Promise<T> =>
  untilDone({ patienceMs }, work, isAgain)

export const isAgain = (error: unknown): boolean =>
  StoreError.is(error) && error.trouble === 'again'
