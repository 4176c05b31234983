/** What the projects are called, read when there may be others. */
import type { Coordination } from '../../coordination/coordination.ts'

export class WatchNames {
  readonly #projects: Coordination['projects']
  readonly #onNew: () => void
  #names: Promise<Map<string, string>>

  /** @param onNew is told that there is one which was not there before. */
  constructor(projects: Coordination['projects'], onNew: () => void) {
    this.#projects = projects
    this.#onNew = onNew
    this.#names = this.#read()
  }

  async nameOf(key: string): Promise<string> {
    const known = (await this.#names.catch(() => undefined))?.get(key)
    if (known !== undefined) return known
    if (await this.refresh()) this.#onNew()
    return (await this.#names).get(key) ?? this.#projects.nameOf(key)
  }

  /** Whether any is called otherwise than before. */
  async refresh(): Promise<boolean> {
    const before = await this.#names.catch(() => undefined)
    this.#names = this.#read()
    const now = await this.#names
    return before?.size !== now.size || [...now].some(([key, name]) => before.get(key) !== name)
  }

  async #read(): Promise<Map<string, string>> {
    const all = await this.#projects.names()
    return new Map(all.map(({ key, name }) => [key, name]))
  }
}
