/** The one way to write: calls that wait at the same moment share one durable transaction, and each hears of it after the commit. */
import { AgentMailError } from '../errors.ts'
import { log } from '../log.ts'
import { isAgain, pause } from './again.ts'
import { insertAll } from './insert.ts'
import { type Row, type SqlValue, type Store, StoreError, type Transaction } from './store.ts'

const maxCalls = 128
/** A database that is busy for longer than this has failed. */
const deadlineMs = 15_000

/** What one call may do in the transaction that it shares. It may be run again, so it must change nothing else. */
export interface Write extends Transaction {
  /** Adds a row, together with the other rows of the batch; a later statement that names the table sees it. */
  append(table: string, row: Row): void
  /** A row that several calls of a batch read and change: loaded by the first, saved once before the commit. */
  shared<T>(key: string, load: () => Promise<Shared<T>>): Promise<T>
  /** What the supply holds for this key. */
  need<Value>(supply: Supply<Value>, key: string): Promise<Value | undefined>
  /** What it holds from now on, since this call has appended it. */
  provide<Value>(supply: Supply<Value>, key: string, value: Value): void
  /** Is run when the transaction is durable and its callers have heard of it. */
  afterCommit(work: () => void): void
}

/** Something that many calls look up by a key: got for a whole batch by one statement. */
export interface Supply<Value> {
  /** Where it comes from: whoever changes that table makes what was got stale. */
  table: string
  /** What there is of these keys. */
  get(transaction: Transaction, keys: string[]): Promise<Map<string, Value>>
}

/** What a call says beforehand that it will look up. */
export interface Need {
  supply: Supply<unknown>
  key: string
}

export interface Shared<T> {
  value: T
  save(transaction: Transaction): Promise<void>
}

interface Call {
  needs: Need[]
  work(write: Write): Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

export class WriteQueue {
  readonly #store: Store
  #waiting: Call[] = []
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

  async #commit(calls: Call[], giveUpAt: number): Promise<void> {
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
          await pause(attempt)
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

/** A call that had written when it failed: the batch starts over without it. */
class CallFailed extends Error {
  readonly call: Call
  constructor(call: Call, cause: unknown) {
    super('A call failed after it had written', { cause })
    this.call = call
  }
}

/** One attempt at one transaction. */
class Batch {
  readonly #calls: Call[]
  /** What was got of each supply, by key. */
  readonly #got = new Map<Supply<unknown>, Map<string, unknown>>()
  readonly #pending = new Map<string, Row[]>()
  readonly #shared = new Map<string, Promise<Shared<unknown>>>()
  readonly #failures = new Map<Call, unknown>()
  #afterCommit: (() => void)[] = []

  constructor(calls: Call[]) {
    this.#calls = calls
  }

  async run(transaction: Transaction): Promise<void> {
    for (const call of this.#calls) {
      const write = new CallWrite(this, transaction)
      try {
        await call.work(write)
      } catch (error) {
        if (StoreError.is(error)) throw error
        if (write.hasWritten) throw new CallFailed(call, error)
        this.#failures.set(call, error)
      }
    }
    for (const shared of this.#shared.values()) await (await shared).save(transaction)
    for (const table of this.#pending.keys()) await this.#insert(transaction, table)
  }

  settle(): void {
    for (const call of this.#calls) {
      if (this.#failures.has(call)) call.reject(this.#failures.get(call))
      else call.resolve(undefined)
    }
    for (const work of this.#afterCommit) {
      try {
        work()
      } catch (error) {
        log(`news of a commit could not be told: ${error instanceof Error ? error.stack : error}`)
      }
    }
  }

  append(table: string, row: Row): void {
    const rows = this.#pending.get(table)
    if (rows) rows.push(row)
    else this.#pending.set(table, [row])
  }

  /** So that a statement sees the rows of its table that wait to be inserted. */
  async flush(transaction: Transaction, sql: string): Promise<void> {
    for (const table of this.#pending.keys()) {
      if (sql.includes(table)) await this.#insert(transaction, table)
    }
  }

  async shared<T>(key: string, load: () => Promise<Shared<T>>): Promise<T> {
    const known = this.#shared.get(key)
    // The key stands for its type: one place in the code uses it.
    if (known) return (await (known as Promise<Shared<T>>)).value
    const loading = load()
    this.#shared.set(key, loading)
    return (await loading).value
  }

  async need<Value>(
    transaction: Transaction,
    supply: Supply<Value>,
    key: string,
  ): Promise<Value | undefined> {
    const got = this.#got.get(supply) ?? new Map<string, unknown>()
    if (!got.has(key)) {
      const needs = this.#calls.flatMap((call) => call.needs)
      const keys = needs.filter((need) => need.supply === supply).map((need) => need.key)
      const wanted = [...new Set([key, ...keys])].filter((one) => !got.has(one))
      await this.flush(transaction, supply.table)
      const values = await supply.get(transaction, wanted)
      for (const one of wanted) got.set(one, values.get(one))
      this.#got.set(supply, got)
    }
    // What is kept for a supply came from it.
    return got.get(key) as Value | undefined
  }

  provide(supply: Supply<unknown>, key: string, value: unknown): void {
    this.#got.get(supply)?.set(key, value)
  }

  /** Forgets what a statement may have changed. */
  forget(sql: string): void {
    for (const supply of this.#got.keys()) {
      if (sql.includes(supply.table)) this.#got.delete(supply)
    }
  }

  afterCommit(work: () => void): void {
    this.#afterCommit.push(work)
  }

  async #insert(transaction: Transaction, table: string): Promise<void> {
    const rows = this.#pending.get(table) ?? []
    this.#pending.delete(table)
    await insertAll(transaction, table, rows)
  }
}

/** The hands of one call in a batch. */
class CallWrite implements Write {
  readonly #batch: Batch
  readonly #transaction: Transaction
  hasWritten = false

  constructor(batch: Batch, transaction: Transaction) {
    this.#batch = batch
    this.#transaction = transaction
  }

  async all(sql: string, ...values: SqlValue[]): Promise<Row[]> {
    await this.#batch.flush(this.#transaction, sql)
    return this.#transaction.all(sql, ...values)
  }

  async run(sql: string, ...values: SqlValue[]): Promise<number> {
    await this.#batch.flush(this.#transaction, sql)
    this.#batch.forget(sql)
    const changed = await this.#transaction.run(sql, ...values)
    if (changed > 0) this.hasWritten = true
    return changed
  }

  append(table: string, row: Row): void {
    this.hasWritten = true
    this.#batch.append(table, row)
  }

  shared<T>(key: string, load: () => Promise<Shared<T>>): Promise<T> {
    this.hasWritten = true
    return this.#batch.shared(key, load)
  }

  need<Value>(supply: Supply<Value>, key: string): Promise<Value | undefined> {
    return this.#batch.need(this.#transaction, supply, key)
  }

  provide<Value>(supply: Supply<Value>, key: string, value: Value): void {
    this.#batch.provide(supply, key, value)
  }

  afterCommit(work: () => void): void {
    this.#batch.afterCommit(work)
  }
}

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
