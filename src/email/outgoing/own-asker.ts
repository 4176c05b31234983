/** In whose name this process sends: its agent, and that agent's project, which no mail waits for. */
import type { Config } from '../../config.ts'
import { proposerOf } from '../drafts/proposer.ts'
import type { Asker } from './mail-request.ts'

/** How both are found; each ends in time. */
export interface AskerSearch {
  agent(): Promise<string | undefined>
  project(): Promise<string | undefined>
}

/** Where nobody knows of projects. */
export const nameAlone = (config: Config): AskerSearch => ({
  agent: () => proposerOf(config),
  project: async () => undefined,
})

export class OwnAsker {
  readonly #search: AskerSearch
  /** A process is in one project for as long as it lives; its agent may get another name. */
  #project: Promise<string | undefined> | undefined
  #found: string | undefined

  constructor(search: AskerSearch) {
    this.#search = search
  }

  /** Nothing where no agent sends; the project where it is known by now. */
  async now(): Promise<Asker | undefined> {
    const agent = await this.#search.agent()
    if (agent === undefined) return undefined
    void this.project()
    return { agent, project: this.#found }
  }

  async whole(): Promise<Asker | undefined> {
    const asker = await this.now()
    return asker && { ...asker, project: await this.project() }
  }

  project(): Promise<string | undefined> {
    this.#project ??= this.#search.project().then(
      (found) => {
        this.#found = found
        return found
      },
      () => undefined,
    )
    return this.#project
  }
}
