/** Keeps the index of a vault: builds it in the background, follows the notes, and makes it anew when it is damaged. */

import { setImmediate } from 'node:timers/promises'
import { isAgain } from '../../store/again.ts'
import { StoreError } from '../../store/store.ts'
import { pauses, sleep } from '../../system/clock.ts'
import { tellsOfChanges } from '../../system/folder.ts'
import { log } from '../../system/log.ts'
import type { KnownNotes } from '../list.ts'
import type { Vault } from '../vault.ts'
import { Comparison } from './comparison.ts'
import { FolderWatches } from './folder-watches.ts'
import { showProgress } from './index-progress.ts'
import { IndexSearch } from './index-search.ts'
import { NoteIndex } from './note-index.ts'

/** Changes come in bursts. */
const settleMs = 150
const retryMs = 2000
/** How old a comparison may be where changes cannot be heard of. */
const freshMs = 2000
/** How old it may be elsewhere: of what happens on another machine, a shared disk may tell nothing. */
const distrustMs = 60_000
/** Of more changes at once the system may have left some untold. */
const maxPending = 2000
/** How often it is made anew before it is given up. */
const maxRemovals = 3

export class LiveIndex {
  readonly #vault: Vault
  readonly #cacheFolder: string
  readonly #watches: FolderWatches
  /** Paths of notes and folders that may have changed; '' is the whole vault. */
  readonly #pending = new Set<string>([''])
  readonly #end = new AbortController()
  #index: NoteIndex | undefined
  /** Present once the index has everything but what is pending. */
  #search: IndexSearch | undefined
  #isWatched = true
  #comparedAt = 0
  #failures = 0
  #removals = 0
  #isGivenUp = false
  /** What it waits for, so that it is told once. */
  #trouble = ''
  #timer: NodeJS.Timeout | undefined
  /** One thing at a time is done to the index. */
  #work: Promise<void> = Promise.resolve()

  constructor(vault: Vault, cacheFolder: string) {
    this.#vault = vault
    this.#cacheFolder = cacheFolder
    this.#watches = new FolderWatches(
      (path) => this.changed(path),
      (error) => this.#cannotWatch(error),
    )
  }

  start(): void {
    void this.#settle()
  }

  changed(path: string): void {
    this.#pending.add(this.#pending.size < maxPending ? path : '')
    this.#settleIn(settleMs)
  }

  /** The index with all changes in it that are known; nothing while it does not have them. */
  async current(): Promise<IndexSearch | undefined> {
    if (!this.#search || this.#end.signal.aborted) return undefined
    const age = performance.now() - this.#comparedAt
    if (!this.#isWatched && age > freshMs) this.#pending.add('')
    const failures = this.#failures
    await this.#settle()
    if (age > distrustMs) this.changed('')
    return failures === this.#failures ? this.#search : undefined
  }

  /** What was read of the notes in a folder, whatever has changed since; nothing where there is no index. */
  async knownIn(folder: string): Promise<KnownNotes | undefined> {
    const search = this.#search
    try {
      return this.#end.signal.aborted ? undefined : await this.#index?.fieldsIn(folder)
    } catch (error) {
      if (search) this.failed(search, error)
      return undefined
    }
  }

  /** Whether it has every change that was made before this is asked, since the system tells of each. */
  async isSettled(): Promise<boolean> {
    if (!this.#search || !this.#isWatched || !tellsOfChanges(this.#vault.root)) return false
    await setImmediate() // what the system has told so far is heard in this turn
    return (await this.current()) !== undefined && this.#isWatched
  }

  /** Waits for the index; the answer is false where there will be none. */
  async ready(): Promise<boolean> {
    while (!(await this.current())) {
      if (this.#isGivenUp || this.#end.signal.aborted) return false
      await sleep(20)
    }
    return true
  }

  /** To be told when a search has failed. */
  failed(search: IndexSearch, error: unknown): void {
    if (search !== this.#search || !StoreError.is(error) || isAgain(error)) return
    this.#search = undefined
    void this.#alone(() => Promise.reject(error))
  }

  async close(): Promise<void> {
    this.#end.abort()
    clearTimeout(this.#timer)
    this.#watches.close()
    await this.#work
    await this.#closeIndex()
  }

  #alone(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch((error) => this.#handle(error))
    return this.#work
  }

  #settleIn(ms: number): void {
    this.#timer ??= setTimeout(() => void this.#settle(), ms).unref()
  }

  #settle(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return this.#alone(() => this.#update())
  }

  async #update(): Promise<void> {
    if (this.#isGivenUp || this.#end.signal.aborted) return
    this.#index ??= await NoteIndex.open(this.#cacheFolder, this.#vault.root)
    if (this.#pending.size > 0) await this.#compare(this.#index)
    this.#search ??= new IndexSearch(this.#vault, this.#index)
    this.#trouble = ''
  }

  async #compare(index: NoteIndex): Promise<void> {
    const isWhole = this.#pending.has('')
    const paths = isWhole ? [''] : [...this.#pending]
    this.#pending.clear()
    const pause = pauses()
    const comparison = new Comparison(this.#vault, index, this.#watches, () => {
      this.#end.signal.throwIfAborted()
      return pause()
    })
    const endProgress = this.#search ? undefined : showProgress(this.#vault, comparison)
    const startedAt = performance.now()
    let isDone = false
    try {
      await comparison.run(paths)
      isDone = true
    } finally {
      endProgress?.(isDone)
      if (!isDone) for (const path of paths) this.#pending.add(path)
    }
    if (isWhole) this.#comparedAt = startedAt
  }

  /** Only what is wrong with the index itself is a reason to make it anew. */
  async #handle(error: unknown): Promise<void> {
    this.#failures++
    if (this.#end.signal.aborted) return
    if (isAgain(error) || (this.#index && !StoreError.is(error))) return this.#tryLater(error)
    this.#search = undefined
    await this.#closeIndex()
    const isDamaged = StoreError.is(error) && error.trouble !== 'full'
    if (!isDamaged || ++this.#removals > maxRemovals) return this.#giveUp(error)
    log(`the search index is made anew: ${wordsOf(error)}`)
    try {
      NoteIndex.remove(this.#cacheFolder, this.#vault.root)
    } catch (removalError) {
      return this.#giveUp(removalError)
    }
    this.#pending.add('')
    this.#settleIn(0)
  }

  #tryLater(error: unknown): void {
    const trouble = wordsOf(error)
    if (trouble !== this.#trouble) log(`the search index has to wait: ${trouble}`)
    this.#trouble = trouble
    this.#settleIn(retryMs)
  }

  #giveUp(error: unknown): void {
    this.#isGivenUp = true
    this.#watches.close()
    log(`there is no search index, and searches read the notes: ${wordsOf(error)}`)
  }

  #cannotWatch(error: unknown): void {
    this.#isWatched = false
    log(`changes in the vault are looked for at each search: ${wordsOf(error)}`)
  }

  async #closeIndex(): Promise<void> {
    const index = this.#index
    this.#index = undefined
    try {
      await index?.close()
    } catch {} // a damaged one may not let itself be closed in order
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
