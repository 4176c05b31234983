/** The ledger of mails, opened once for all who need it; where that fails, the next who asks tries again. */
import { log } from '../system/log.ts'

interface Closable {
  close(): Promise<void>
}

export class SharedLedger<Ledger extends Closable> {
  readonly #open: () => Promise<Ledger>
  #opened: Promise<Ledger> | undefined

  constructor(open: () => Promise<Ledger>) {
    this.#open = open
  }

  get(): Promise<Ledger> {
    this.#opened ??= this.#open().catch((error) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  /** Also of one that turned out to be of no use: the next is opened anew. */
  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    const ledger = await opened?.catch(() => undefined)
    await ledger?.close().catch((error) => log(`closing the ledger: ${error}`))
  }
}
