/** What is heard, read and watched from when the first viewer comes to when the last has gone. */
import type { AddressBook } from '../../addresses/address-book.ts'
import type { Config } from '../../config.ts'
import type { Coordination } from '../../coordination/coordination.ts'
import type { Tidings } from '../../coordination/news.ts'
import { timeText } from '../../coordination/time.ts'
import { chunksOf } from '../../store/store.ts'
import type { Hint } from '../shapes.ts'
import type { WatchEvent } from './events.ts'
import { WatchEdge } from './watch-edge.ts'
import { WatchFiles } from './watch-files.ts'
import { WatchHints } from './watch-hints.ts'
import { WatchNames } from './watch-names.ts'

/** Of what another process does nobody knows more than that it has written, and it may write all the time. */
const othersMs = 1000
const agentsAnEvent = 200

export interface VigilOptions {
  config: Config
  coordination: Coordination
  book: AddressBook
}

export class Vigil {
  readonly edge: Promise<WatchEdge>
  readonly #tell: (event: WatchEvent) => void
  readonly #names: WatchNames
  readonly #hints: WatchHints
  readonly #files: WatchFiles
  readonly #unwatch: () => void
  /** Set while nobody asks again what others have done. */
  #rest: NodeJS.Timeout | undefined
  #isDue = false

  constructor(options: VigilOptions, tell: (event: WatchEvent) => void) {
    const { journals, projects } = options.coordination
    this.#tell = tell
    this.#hints = new WatchHints((data) => tell({ name: 'hint', data }))
    this.#files = new WatchFiles({ ...options, hint: (about, key) => this.hint(about, key) })
    // Heard before anything is read, so that nothing happens unnoticed in between.
    this.#unwatch = journals.watch((tidings) => this.#hear(tidings))
    this.#names = new WatchNames(projects, () => this.#changed())
    const nameOf = (key: string) => this.#names.nameOf(key)
    this.edge = WatchEdge.begin({ journals, nameOf })
    void this.#files.look()
  }

  close(): void {
    this.#unwatch()
    this.#hints.close()
    this.#files.close()
    clearTimeout(this.#rest)
    this.edge.then((edge) => edge.close()).catch(() => {})
  }

  /** @param key of the project, where it is one's. */
  hint(about: Hint['about'], key?: string): void {
    if (key === undefined) this.#hints.give({ about })
    else this.#withName(key, (project) => this.#hints.give({ about, project }))
  }

  #hear(tidings: Tidings): void {
    if (tidings.about === 'journal') this.#reach(tidings)
    else if (tidings.about === 'seen') this.#seen(tidings)
    else if (tidings.about === 'others') this.#others()
    else if (tidings.about === 'projects') this.#renamed()
    else this.hint(tidings.about, tidings.project)
  }

  #reach({ project, last }: Extract<Tidings, { about: 'journal' }>): void {
    this.edge.then((edge) => edge.reach(project, last)).catch(() => {}) // nobody could come, either
  }

  #renamed(): void {
    this.#names.refresh().catch(() => {}) // it was logged, and is read with the next name
    this.#changed()
  }

  #seen({ project: key, agents, us }: Extract<Tidings, { about: 'seen' }>): void {
    this.#withName(key, (project) => {
      for (const some of chunksOf(agents, agentsAnEvent)) {
        this.#tell({ name: 'seen', data: { project, agents: some, at: timeText(us) } })
      }
    })
  }

  #others(): void {
    this.#isDue = this.#rest !== undefined
    if (this.#isDue) return
    this.#rest = setTimeout(() => {
      this.#rest = undefined
      if (this.#isDue) this.#others()
    }, othersMs)
    this.#rest.unref()
    this.hint('agents')
    this.hint('receipts')
    const looked = this.#names.refresh().then((isOther) => isOther && this.#changed())
    looked.catch(() => {}) // it was logged, and is read with the next name
  }

  /** There is another project, or one is called otherwise: it may have a post office, too. */
  #changed(): void {
    this.hint('projects')
    void this.#files.look()
  }

  #withName(key: string, work: (name: string) => void): void {
    this.#names.nameOf(key).then(work, () => {}) // it was logged, and is no more than a hint
  }
}
