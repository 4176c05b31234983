/** Which version of the database was the first to hold something, found by bisecting: what a project counts only rises. */

import { tell } from '../../store/reading.ts'
import { integer, type Store, StoreError, type Version, type Versions } from '../../store/store.ts'
import { horizonOf } from '../horizon.ts'

/** How far a project had come. */
export interface Progress {
  entry: number
  us: number
}

export class VersionFinder {
  readonly #store: Store
  readonly #versions: Versions
  readonly #project: string
  readonly #list: Version[]
  readonly #known = new Map<string, Progress>()

  private constructor(store: Store, versions: Versions, project: string, list: Version[]) {
    this.#store = store
    this.#versions = versions
    this.#project = project
    this.#list = list
  }

  /** Knows the versions that are there now. */
  static async open(store: Store, versions: Versions, project: string): Promise<VersionFinder> {
    return new VersionFinder(store, versions, project, await versions.list())
  }

  /** The place of the first version, from `start` on, in which the project had come so far; of none, the end. */
  async first(isFar: (progress: Progress) => boolean, start = 0): Promise<number> {
    const isReached = async (place: number) => {
      const version = this.#list[place]
      return version === undefined || isFar(await this.at(version.id))
    }
    let low = start
    let high = start
    for (let step = 1; !(await isReached(high)); step *= 2) {
      low = high + 1
      high += step
    }
    high = Math.min(high, this.#list.length)
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (await isReached(middle)) high = middle
      else low = middle + 1
    }
    return low
  }

  /** The id of the version at a place; nothing at the end: no version holds it yet. */
  idAt(place: number): string | undefined {
    return this.#list[place]?.id
  }

  /** The id that begins like this, as people copy it from a list; nothing if several do. */
  withPrefix(beginning: string): string | undefined {
    if (!/^[0-9a-v]{7,32}$/.test(beginning)) return undefined
    const [one, ...others] = this.#list.filter(({ id }) => id.startsWith(beginning))
    return others.length === 0 ? one?.id : undefined
  }

  /** How far the project had come in a version. */
  async at(id: string): Promise<Progress> {
    const known = this.#known.get(id)
    if (known) return known
    const progress = await this.#read(id)
    this.#known.set(id, progress)
    return progress
  }

  /** Up to when the journal was pruned in a version. */
  async prunedIn(id: string): Promise<number> {
    try {
      return await horizonOf(this.#store, this.#project, this.#versions.table('horizons', id))
    } catch (error) {
      if (StoreError.is(error) && error.trouble === 'failed') return 0 // from before there was pruning
      return tell(error)
    }
  }

  async #read(id: string): Promise<Progress> {
    try {
      const [row] = await this.#store.all(
        `SELECT last_entry, last_us FROM ${this.#versions.table('projects', id)} WHERE project = ?`,
        this.#project,
      )
      return row
        ? { entry: integer(row.last_entry), us: integer(row.last_us) }
        : { entry: 0, us: 0 }
    } catch (error) {
      // A version from before there were tables.
      if (StoreError.is(error) && error.trouble === 'failed') return { entry: 0, us: 0 }
      return tell(error)
    }
  }
}
