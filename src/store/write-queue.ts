/** The one way to write: calls that wait at the same moment share one durable transaction, and each hears of it after the commit. */
import { AgentMailError } from '../errors.ts'
import { log } from '../system/log.ts'
import { growingPause } from '../system/retry.ts'
import { isAgain } from './again.ts'
import { Batch, CallFailed, type Need, type QueuedCall, type Write } from './batch.ts'
import { type Store, StoreError } from './store.ts'

const maxCalls = 128
/** A database that is busy for longer than this has failed. */
const deadlineMs = 15_000

export class WriteQueue {
  readonly #store: Store
  #waiting: QueuedCall[] = []
  #working: Promise<void> | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Runs `work` in a transaction and resolves when it is durable. If `work` throws, it fails alone
   * and leaves nothing behind; the others of its batch go on.
   */
  write<T>(work: (write: Write) => Promise<T>): Promise<T> {
    return this.writeWith([], work)
  }

  /** The same; what it says it will need is got together with what the others of its batch need. */
  writeWith<T>(needs: Need[], work: (write: Write) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T
      this.#waiting.push({
        needs,
        work: async (write) => {
          result = await work(write)
        },
        resolve: () => resolve(result),
        reject,
      })
      this.#working ??= this.#work()
    })
  }

  /** Settled when everything that was asked for is done. */
  async drained(): Promise<void> {
    while (this.#working) await this.#working
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      // After whatever has arrived in this turn has joined.
      await new Promise((resolve) => setImmediate(resolve))
      const giveUpAt = performance.now() + deadlineMs
      await this.#commit(this.#waiting.splice(0, maxCalls), giveUpAt)
    }
    this.#working = undefined
  }

  async #commit(calls: QueuedCall[], giveUpAt: number): Promise<void> {
    let rest = calls
    for (let attempt = 1; rest.length > 0; attempt++) {
      const batch = new Batch(rest)
      try {
        await this.#store.transaction((transaction) => batch.run(transaction))
      } catch (error) {
        if (error instanceof CallFailed) {
          const { call, cause } = error
          call.reject(cause)
          rest = rest.filter((one) => one !== call)
        } else if (isAgain(error) && performance.now() < giveUpAt) {
          await growingPause(attempt)
        } else if (AgentMailError.is(error, 'database_lost')) {
          for (const call of rest) call.reject(error)
          return
        } else if (rest.length > 1 && !(StoreError.is(error) && isOfEverybody(error))) {
          for (const call of rest) await this.#commit([call], giveUpAt) // so that one call's data fails that call alone
          return
        } else {
          // That a server is away was logged once.
          if (!StoreError.is(error) || error.trouble !== 'unreachable') {
            log(
              `the database could not be written: ${error instanceof Error ? error.message : error}`,
            )
          }
          for (const call of rest) call.reject(unwritable(error))
          return
        }
        continue
      }
      batch.settle()
      return
    }
  }
}

const isOfEverybody = ({ trouble }: StoreError) => trouble !== 'failed'

function unwritable(cause: unknown): AgentMailError {
  const trouble = StoreError.is(cause) ? cause.trouble : 'failed'
  if (trouble === 'unknown') {
    return new AgentMailError(
      'storage',
      'the database did not say whether it stored this',
      'Perhaps it did, perhaps not. Repeat the call with the same idempotency_key, or look before you repeat it.',
      { cause },
    )
  }
  const next = {
    full: 'The disk is full: free some space and try again.',
    again: 'Another process holds it, or its connection failed: try again.',
    locked: 'Another process holds it: try again.',
    unreadable: 'Check the file, its permissions and its disk, then try again.',
    unreachable: 'Its server cannot be reached: try again when it is back.',
    failed: 'The server has logged the reason. Try again.',
  }[trouble]
  return new AgentMailError(
    'storage',
    'the database could not be written',
    `Nothing of this call was stored. ${next}`,
    { cause },
  )
}
