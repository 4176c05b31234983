/** One attempt to write what several calls want in one transaction: rows together, what they look up by one statement. */
import { log } from '../system/log.ts'
import { insertAll } from './insert.ts'
import { type Row, type SqlValue, StoreError, type Transaction } from './store.ts'

/** What one call may do in the transaction that it shares. It may be run again, so it must change nothing else. */
export interface Write extends Transaction {
  /** Adds a row, together with the other rows of the batch; a later statement that names the table sees it. */
  append(table: string, row: Row): void
  /** A row that several calls of a batch read and change: loaded by the first, saved once before the commit. */
  shared<T>(key: string, load: (write: Write) => Promise<Shared<T>>): Promise<T>
  /** The same row for who may still be refused, and does not change it: that costs the others of the batch nothing. */
  glance<T>(key: string, load: (write: Write) => Promise<Shared<T>>): Promise<T>
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

export interface QueuedCall {
  needs: Need[]
  work(write: Write): Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** A call that had written when it failed: the batch starts over without it. */
export class CallFailed extends Error {
  readonly call: QueuedCall
  constructor(call: QueuedCall, cause: unknown) {
    super('A call failed after it had written', { cause })
    this.call = call
  }
}

/** One attempt at one transaction. */
export class Batch {
  readonly #calls: QueuedCall[]
  /** What was got of each supply, by key. */
  readonly #got = new Map<Supply<unknown>, Map<string, unknown>>()
  readonly #pending = new Map<string, Row[]>()
  readonly #shared = new Map<string, Promise<Shared<unknown>>>()
  readonly #failures = new Map<QueuedCall, unknown>()
  #afterCommit: (() => void)[] = []

  constructor(calls: QueuedCall[]) {
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

  shared<T>(key: string, load: (write: Write) => Promise<Shared<T>>): Promise<T> {
    this.hasWritten = true
    return this.glance(key, load)
  }

  glance<T>(key: string, load: (write: Write) => Promise<Shared<T>>): Promise<T> {
    // With hands of its own: what loading it writes is the whole batch's.
    return this.#batch.shared(key, () => load(new CallWrite(this.#batch, this.#transaction)))
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
