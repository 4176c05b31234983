/** The search of a vault as a server keeps it: from an index that follows the notes, and until that is there from the notes themselves. */

import type { KnownNotes, NoteMemory } from '../list.ts'
import type { Vault } from '../vault.ts'
import { withVaultErrors } from '../vault-error.ts'
import { LiveIndex } from './live-index.ts'
import { type SearchHit, scanNotes } from './scan.ts'
import { SearchQuery } from './search-query.ts'

export class VaultSearch implements NoteMemory {
  readonly #vault: Vault
  readonly #index: LiveIndex
  #isStarted = false

  /** @param cacheFolder where the caches of all programs are */
  constructor(vault: Vault, cacheFolder: string) {
    this.#vault = vault
    this.#index = new LiveIndex(vault, cacheFolder)
  }

  /** Begins the work in the background; the first search does so too. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#index.start()
  }

  /** Waits until the index answers; the answer is false where there is none, and searches scan. */
  async ready(): Promise<boolean> {
    this.start()
    return this.#index.ready()
  }

  /** What is known of the notes in a folder; true of those whose stamp is still the same. */
  knownIn(folder: string): Promise<KnownNotes | undefined> {
    return this.#index.knownIn(folder)
  }

  isSettled(): Promise<boolean> {
    return this.#index.isSettled()
  }

  /** A note that was written, moved or removed: the next search knows it. */
  changed(path: string): void {
    if (this.#isStarted) this.#index.changed(path)
  }

  /** @example await search.search('quarterly report', 20) // [{ path: 'Inbox/a.md', snippet: '…' }] */
  async search(query: string, limit: number): Promise<SearchHit[]> {
    this.start()
    const hits = await this.#searchIndex(query, limit)
    return hits ?? withVaultErrors('the vault', () => scanNotes(this.#vault, query, limit))
  }

  async #searchIndex(query: string, limit: number): Promise<SearchHit[] | undefined> {
    const index = await this.#index.current()
    try {
      return await index?.search(new SearchQuery(query), limit)
    } catch (error) {
      if (index) this.#index.failed(index, error)
      return undefined
    }
  }

  async close(): Promise<void> {
    this.#isStarted = true
    await this.#index.close()
  }
}
