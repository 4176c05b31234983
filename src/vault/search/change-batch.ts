/** Changes for the index, written so many at a time. */

import type { Pause } from '../../system/clock.ts'
import type { NoteChange } from './index-write.ts'
import type { NoteIndex } from './note-index.ts'

/** Enough to be worth a commit, and soon done. */
const maxChanges = 250
const maxCharacters = 1 << 20

export class ChangeBatch {
  readonly #index: NoteIndex
  readonly #pause: Pause
  /** By path: of two for one note, the later counts. */
  readonly #changes = new Map<string, NoteChange>()
  #characters = 0

  constructor(index: NoteIndex, pause: Pause) {
    this.#index = index
    this.#pause = pause
  }

  async add(change: NoteChange): Promise<void> {
    this.#changes.set(joined(change.folder, change.name), change)
    this.#characters += change.read?.note.text.length ?? 0
    const isMuch = this.#changes.size >= maxChanges || this.#characters >= maxCharacters
    if (isMuch) await this.flush()
  }

  async flush(): Promise<void> {
    const changes = [...this.#changes.values()]
    this.#changes.clear()
    this.#characters = 0
    if (changes.length > 0) await this.#index.write(changes, this.#pause)
  }
}

/** The path of what has this name in a folder of the vault. */
export const joined = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`
