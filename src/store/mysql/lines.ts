/** Connections that come back: each is opened when it is needed and again when it was lost, and all of them know when the server is gone. */
import { sleep, systemClock } from '../../system/clock.ts'
import { log } from '../../system/log.ts'
import { randomFraction } from '../../system/random.ts'
import { StoreError } from '../store.ts'
import { ConnectionLost, type MysqlConnection } from './connection.ts'

/** Whoever asks while the server is gone for less than this waits for it; after that nobody waits. */
const patienceMs = 10_000
const pauseMs = 200
const probeMs = 1_000

/** Whether a server can be reached, for all the lines to it: a circuit breaker. */
export class Reach {
  readonly #connect: () => Promise<MysqlConnection>
  #downSince: number | undefined
  #probe: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(connect: () => Promise<MysqlConnection>) {
    this.#connect = connect
  }

  /** Unix time in milliseconds; nothing while the server can be reached. */
  get downSince(): number | undefined {
    return this.#downSince
  }

  async open(): Promise<MysqlConnection> {
    for (;;) {
      if (this.#probe || this.#isClosed) throw unreachable
      try {
        const connection = await this.#connect()
        this.#isUp()
        return connection
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error
        this.#isDown(error)
        if (systemClock.now() - (this.#downSince ?? 0) > patienceMs) this.#probeSoon()
      }
      await sleep(pauseMs * (0.5 + randomFraction()))
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#probe)
  }

  #probeSoon(): void {
    this.#probe ??= setTimeout(async () => {
      const connection = await this.#connect().catch(() => undefined)
      connection?.destroy()
      this.#probe = undefined
      if (this.#isClosed) return
      if (connection) this.#isUp()
      else this.#probeSoon()
    }, probeMs).unref()
  }

  #isDown(error: StoreError): void {
    if (this.#downSince !== undefined) return
    this.#downSince = systemClock.now()
    log(`${error.message}; trying again until it can`)
  }

  #isUp(): void {
    if (this.#downSince === undefined) return
    this.#downSince = undefined
    log('the database can be reached again')
  }
}

const unreachable = new StoreError('unreachable', 'the database cannot be reached')

/** One connection at a time. */
export class Line {
  readonly #reach: Reach
  #opening: Promise<MysqlConnection> | undefined
  #connection: MysqlConnection | undefined
  /** Statements that are under way. */
  busy = 0

  constructor(reach: Reach) {
    this.#reach = reach
  }

  async get(): Promise<MysqlConnection> {
    if (this.#connection && !this.#connection.isLost) return this.#connection
    this.#opening ??= this.#reach.open().finally(() => {
      this.#opening = undefined
    })
    this.#connection = await this.#opening
    return this.#connection
  }

  async close(): Promise<void> {
    await this.#connection?.close()
  }
}
