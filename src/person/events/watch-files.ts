/** What agents and people change in files beside the database: post offices and the vault. */
import { existsSync, type FSWatcher, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { AddressBook } from '../../addresses/address-book.ts'
import type { Config } from '../../config.ts'
import type { Coordination } from '../../coordination/coordination.ts'
import { hasCode } from '../../errors.ts'
import { officesList } from '../../mailbox/known-offices.ts'
import { log } from '../../system/log.ts'
import type { Hint } from '../shapes.ts'

/** Changes come in bursts. */
const burstMs = 100
/** The system lets a user watch only so many. */
const mostFolders = 1000

interface WatchFilesOptions {
  config: Config
  coordination: Coordination
  book: AddressBook
  /** @param key of the project, where it is one's. */
  hint(about: Hint['about'], key?: string): void
}

/** What a change of a file in a folder means; of one that nobody knows, where it is empty. */
type Meaning = (file: string) => unknown

/** What the folders of a vault tell of. */
const vaultFolders: Record<string, Hint['about'][]> = {
  Drafts: ['drafts'],
  Approved: ['drafts'],
  Needs_Action: ['mail'],
  Done: ['drafts', 'mail'],
  Logs: ['drafts', 'mail'],
}

export class WatchFiles {
  readonly #options: WatchFilesOptions
  readonly #watchers = new Map<string, FSWatcher>()
  /** By the folders that are to be watched. */
  #meanings = new Map<string, Meaning>()
  /** By the folders that are watched: what is waited for in each. */
  readonly #awaited = new Map<string, Set<string>>()
  readonly #bursts = new Map<string, NodeJS.Timeout>()
  #isLooking = false
  #isLate = false
  #hasFailed = false
  #isClosed = false

  constructor(options: WatchFilesOptions) {
    this.#options = options
  }

  /** Finds what is to be watched now; to be called again when there may be more. */
  async look(): Promise<void> {
    this.#isLate = this.#isLooking
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      do {
        this.#isLate = false
        const found = new Map([...this.#vault(), ...(await this.#offices())])
        if (!this.#isClosed) this.#change(found)
      } while (this.#isLate)
    } catch (error) {
      this.#fail(error)
    }
    this.#isLooking = false
  }

  close(): void {
    this.#isClosed = true
    for (const watcher of this.#watchers.values()) watcher.close()
    for (const timer of this.#bursts.values()) clearTimeout(timer)
    this.#watchers.clear()
    this.#bursts.clear()
  }

  #vault(): [string, Meaning][] {
    const root = this.#options.config.text('vault')
    if (root === undefined) return []
    return Object.entries(vaultFolders).map(([name, abouts]) => [
      resolve(root, name),
      () => {
        for (const about of abouts) this.#soon(about, () => this.#options.hint(about))
      },
    ])
  }

  async #offices(): Promise<[string, Meaning][]> {
    const { config, coordination, book, hint } = this.#options
    const list = officesList(config)
    const found: [string, Meaning][] = [
      [dirname(list), (name) => name === basename(list) && this.#lookSoon()],
    ]
    for (const { key } of await coordination.projects.names()) {
      const changed = () => this.#soon(`mailbox ${key}`, () => hint('mailbox', key))
      for (const office of await book.officesOf(coordination.project(key))) {
        const [dir = '', ...inside] = office.folders
        found.push([dir, (name) => name.startsWith('recipients.jsonl') && changed()])
        found.push(...inside.map((folder): [string, Meaning] => [folder, changed]))
      }
      if (found.length >= mostFolders) break
    }
    return found
  }

  /** For what is not there yet, the folder is watched in which it or the way to it will be made. */
  #change(found: Map<string, Meaning>): void {
    this.#meanings = found
    this.#awaited.clear()
    for (const folder of found.keys()) {
      const { nearest, next } = wayTo(folder)
      const names = this.#awaited.get(nearest) ?? new Set()
      this.#awaited.set(nearest, next === undefined ? names : names.add(next))
    }
    for (const [folder, watcher] of this.#watchers) {
      if (this.#awaited.has(folder)) continue
      watcher.close()
      this.#watchers.delete(folder)
    }
    for (const folder of this.#awaited.keys()) {
      if (!this.#watchers.has(folder)) this.#watch(folder)
    }
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (event, name) => {
        if (name && this.#awaited.get(folder)?.has(name)) this.#lookSoon()
        if (name) this.#meanings.get(folder)?.(name)
        // Perhaps of the folder itself, which is gone then; another may come.
        if (event === 'rename' && (!name || name === basename(folder))) lose()
      })
      const lose = () => {
        watcher.close()
        if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder)
        this.#lookSoon()
      }
      watcher.on('error', lose)
      this.#watchers.set(folder, watcher)
      this.#meanings.get(folder)?.('') // who knows what happened there before
    } catch (error) {
      if (hasCode(error, 'ENOENT')) this.#lookSoon()
      else this.#fail(error)
    }
  }

  #lookSoon(): void {
    this.#soon('look', () => void this.look())
  }

  /** Once for all that happens until then. */
  #soon(key: string, work: () => void): void {
    if (this.#isClosed || this.#bursts.has(key)) return
    const timer = setTimeout(() => {
      this.#bursts.delete(key)
      work()
    }, burstMs)
    timer.unref()
    this.#bursts.set(key, timer)
  }

  /** The page shows what is there all the same, when it asks. */
  #fail(error: unknown): void {
    if (this.#hasFailed || this.#isClosed) return
    this.#hasFailed = true
    const why = error instanceof Error ? error.message : error
    log(`not all folders can be watched for the page: ${why}`)
  }
}

/** The folder on the way to one that is there, and what is missing in it; nothing where all is there. */
function wayTo(folder: string): { nearest: string; next?: string } {
  let way: { nearest: string; next?: string } = { nearest: folder }
  while (!existsSync(way.nearest) && dirname(way.nearest) !== way.nearest) {
    way = { nearest: dirname(way.nearest), next: basename(way.nearest) }
  }
  return way
}
