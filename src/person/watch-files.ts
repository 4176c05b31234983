/** What agents and people change in files beside the database: post offices and the vault. */
import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { AddressBook } from '../addresses/address-book.ts'
import type { Config } from '../config.ts'
import type { Coordination } from '../coordination/coordination.ts'
import { hasCode } from '../errors.ts'
import { officesList } from '../mailbox/known-offices.ts'
import { log } from '../system/log.ts'
import type { Hint } from './shapes.ts'

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

/** What a change of a file in a folder means. */
type Meaning = (file: string) => void

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
    const folders = Object.entries(vaultFolders).map(([name, abouts]): [string, Meaning] => [
      join(root, name),
      () => {
        for (const about of abouts) this.#soon(about, () => this.#options.hint(about))
      },
    ])
    const isFolder = (name: string) => Object.hasOwn(vaultFolders, name)
    return [[root, (name) => isFolder(name) && this.#lookSoon()], ...folders]
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
        const names = inside.map((folder) => basename(folder))
        found.push([
          dir,
          (name) => {
            if (name.startsWith('recipients.jsonl')) changed()
            if (names.includes(name)) this.#lookSoon()
          },
        ])
        found.push(...inside.map((folder): [string, Meaning] => [folder, changed]))
      }
      if (found.length >= mostFolders) break
    }
    return found
  }

  #change(found: Map<string, Meaning>): void {
    this.#meanings = found
    for (const [folder, watcher] of this.#watchers) {
      if (found.has(folder)) continue
      watcher.close()
      this.#watchers.delete(folder)
    }
    for (const folder of found.keys()) if (!this.#watchers.has(folder)) this.#watch(folder)
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        // Something happened to the folder itself: if it is gone, another may come.
        if (!name || name === basename(folder)) lose()
        if (name) this.#meanings.get(folder)?.(name)
      })
      const lose = () => {
        watcher.close()
        if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder)
        this.#lookSoon()
      }
      watcher.on('error', lose)
      this.#watchers.set(folder, watcher)
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) this.#fail(error)
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
