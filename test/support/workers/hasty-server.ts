/** A coordination server with its safeguard off, for control runs: it acknowledges a write before the commit. */
import { setTimeout } from 'node:timers/promises'
import { openSqlite } from '../../../src/store/sqlite.ts'
import type { Store, Transaction } from '../../../src/store/store.ts'
import { serveStore } from '../server/serve-store.ts'

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

await serveStore(new HastyStore(await openSqlite(path)), 'hasty')
