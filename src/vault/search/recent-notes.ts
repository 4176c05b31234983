/** Notes that searches found not long ago, as they were read: to read and fold them is most of what a search costs. */
import type { Folded, Searchable } from './searchable.ts'

/** Of all notes together; each character is kept twice. */
const maxCharacters = 4 << 20

/** A note with all that is needed to show what was found in it. */
export interface ReadyNote {
  note: Searchable
  folded: Folded
}

export class RecentNotes {
  /** By path, the one that was used last at the end. */
  readonly #notes = new Map<string, ReadyNote & { stamp: string }>()
  #characters = 0

  /** The note, if its file had that stamp when it was read. */
  get(path: string, stamp: string): ReadyNote | undefined {
    const known = this.#notes.get(path)
    if (known?.stamp !== stamp) return undefined
    this.#notes.delete(path)
    this.#notes.set(path, known)
    return known
  }

  keep(stamp: string, ready: ReadyNote): void {
    const { path, text } = ready.note
    this.#drop(path)
    this.#notes.set(path, { ...ready, stamp })
    this.#characters += text.length
    for (const oldest of this.#notes.keys()) {
      if (this.#characters <= maxCharacters) return
      this.#drop(oldest)
    }
  }

  #drop(path: string): void {
    const dropped = this.#notes.get(path)
    this.#notes.delete(path)
    this.#characters -= dropped?.note.text.length ?? 0
  }
}
