/** Reading whose errors can be told to callers. */
import { AgentMailError } from '../errors.ts'
import { log } from '../system/log.ts'
import { type Reader, StoreError } from './store.ts'

/** Throws an error of the database in words; any other as it is. */
export function tell(error: unknown): never {
  if (!StoreError.is(error)) throw error
  const isAway = error.trouble === 'unreachable' // which was logged once
  if (!isAway) log(`the database could not be read: ${error.message}`)
  throw new AgentMailError(
    'storage',
    'the database could not be read',
    isAway
      ? 'Its server cannot be reached: try again when it is back.'
      : 'The server has logged the reason. Check the database and its disk, then try again.',
  )
}

export const withWords = (reader: Reader): Reader => ({
  all: (sql, ...values) => reader.all(sql, ...values).catch(tell),
})
