/** Posts notices for as long as a server runs: what its processes and all others of the user tell. */
import { closeSync } from 'node:fs'
import type { Config } from '../config.ts'
import { logSeldom } from '../system/log.ts'
import { type Destination, destinationOf } from './destination.ts'
import { Poster, type ProjectOf } from './poster.ts'
import { Spool } from './spool.ts'
import { seeToPosting } from './tell-person.ts'

/** How often it looks whether something waits, or whether who posted before is gone. */
const lookMs = 500

export class Posting {
  readonly #config: Config
  readonly #destination: Destination
  readonly #page: string
  readonly #projectOf: ProjectOf
  readonly #spool: Spool
  readonly #running: Promise<void>
  #held: number | undefined
  #poster: Poster | undefined
  #isEnding = false
  #wake = () => {}

  /** Nothing where nobody is to be told. */
  static start(config: Config, page: string, projectOf: ProjectOf): Posting | undefined {
    const destination = destinationOf(config)
    return destination && new Posting(config, destination, page, projectOf)
  }

  private constructor(
    config: Config,
    destination: Destination,
    page: string,
    projectOf: ProjectOf,
  ) {
    this.#projectOf = projectOf
    this.#config = config
    this.#destination = destination
    this.#page = page
    this.#spool = new Spool(config, destination.url)
    this.#running = this.#run()
  }

  /** After the post that is under way. What waits still is left to a process of its own. */
  async stop(): Promise<void> {
    this.#isEnding = true
    this.#wake()
    await this.#running
    if (this.#held !== undefined) closeSync(this.#held)
    await this.#unlessItFails(async () => {
      if (this.#spool.waiting().length > 0) await seeToPosting(this.#config, this.#spool)
    })
  }

  async #run(): Promise<void> {
    while (!this.#isEnding) {
      const restMs = await this.#unlessItFails(() => this.#step())
      if (!this.#isEnding) await this.#rest(restMs ?? lookMs)
    }
  }

  async #step(): Promise<number | undefined> {
    this.#held ??= await this.#spool.hold()
    if (this.#held === undefined) return undefined
    const destination = this.#destination
    const [page, projectOf] = [async () => this.#page, this.#projectOf]
    this.#poster ??= new Poster({ spool: this.#spool, destination, page, projectOf })
    return this.#spool.isEmpty ? undefined : this.#poster.step()
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #unlessItFails<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      logSeldom('troubles with notices', `notices cannot be posted: ${why}`)
      return undefined
    }
  }
}
