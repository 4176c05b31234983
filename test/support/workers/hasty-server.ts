/** A coordination server with its safeguard off, for control runs: it acknowledges a write before the commit. */
import { writeSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { Coordination } from '../../../src/coordination/coordination.ts'
import { HttpServer } from '../../../src/server/http-server.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import type { Store, Transaction } from '../../../src/store/store.ts'

const [path = ''] = process.argv.slice(2)

/** How long the commit comes after the word. */
const hasteMs = 20

class HastyStore implements Store {
  readonly engine = 'SQLite, hasty'
  readonly #store: Store
  #last: Promise<unknown> = Promise.resolve()

  constructor(store: Store) {
    this.#store = store
  }

  all: Store['all'] = (sql, ...values) => this.#store.all(sql, ...values)
  define: Store['define'] = async (statements, record) => {
    await this.#last
    await this.#store.define(statements, record)
  }

  close: Store['close'] = () => this.#store.close()

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const committed = this.#last.then(() =>
        this.#store.transaction(async (transaction) => {
          resolve(await work(transaction))
          await setTimeout(hasteMs)
        }),
      )
      this.#last = committed.catch(reject)
    })
  }
}

const store = new HastyStore(await openSqlite(path))
const coordination = await Coordination.open({ store, staleMs: 120_000 })
const { url } = await HttpServer.start({
  coordination,
  host: '127.0.0.1',
  port: 0,
  token: undefined,
  allowedHosts: [],
  requestsPerMinute: 1,
  instance: 'hasty',
  staleSeconds: 120,
})
writeSync(1, `${JSON.stringify({ url })}\n`)
