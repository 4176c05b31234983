/** Answers a query from the index; what is shown comes from the notes themselves, so that it is true. */

import { pauses } from '../../system/clock.ts'
import type { Vault } from '../vault.ts'
import { joined } from './change-batch.ts'
import { type Expression, IndexTerms, maxTerms } from './index-terms.ts'
import type { FoundNote, NoteIndex } from './note-index.ts'
import { type ReadyNote, RecentNotes } from './recent-notes.ts'
import { readSearchable, type SearchHit } from './scan.ts'
import type { SearchQuery, Sequence } from './search-query.ts'
import { folded } from './searchable.ts'
import { snippetOf } from './snippet.ts'
import { stampOf } from './stamp.ts'
import { VisitedFolders } from './visited-folders.ts'

export class IndexSearch {
  readonly #vault: Vault
  readonly #index: NoteIndex
  readonly #terms: IndexTerms
  readonly #recent = new RecentNotes()

  constructor(vault: Vault, index: NoteIndex) {
    this.#vault = vault
    this.#index = index
    this.#terms = new IndexTerms(index)
  }

  /** Nothing where only the notes themselves can tell. */
  async search(query: SearchQuery, limit: number): Promise<SearchHit[] | undefined> {
    const hits: SearchHit[] = []
    const seen = new Set<number>()
    const pause = pauses()
    const folders = new VisitedFolders(this.#vault)
    try {
      for await (const expression of this.#expressions(query)) {
        if (expression === undefined) return undefined
        for await (const found of this.#matches(expression, limit, seen)) {
          const hit = this.#hit(query, found, folders)
          if (hit) hits.push(hit)
          if (hits.length >= limit) return hits
          await pause()
        }
      }
    } finally {
      folders.close()
    }
    return hits
  }

  /** The closest first; a later one finds again what an earlier one did. */
  async *#expressions({ phrase, sequences }: SearchQuery): AsyncGenerator<string | undefined> {
    if (sequences.length === 0) return yield undefined
    yield exactly(phrase)
    if (sequences.length > 1) yield sequences.map(exactly).join(' AND ')
    await this.#terms.refresh()
    const inRow = this.#terms.expressionOf(phrase)
    if (inRow.terms > 0) yield inRow.text
    const parts =
      sequences.length === 1 ? [inRow] : sequences.map((word) => this.#terms.expressionOf(word))
    if (parts.some(({ terms }) => terms === 0)) return
    const rarest = fewest(parts.filter(({ isComplete }) => isComplete))
    if (parts.length > 1) yield allOf(rarest.length > 0 ? rarest : parts)
    if (rarest.length === 0) yield undefined
  }

  /** A note that is gone, or has changed meanwhile, gives its place to the next one. */
  #hit(query: SearchQuery, found: FoundNote, folders: VisitedFolders): SearchHit | undefined {
    const path = joined(found.folder, found.name)
    const ready = this.#recent.get(path, found.stamp) ?? this.#read(path, found, folders)
    if (!ready || !query.isIn(ready.folded)) return undefined
    return { path, snippet: snippetOf(query, ready.note, ready.folded) }
  }

  #read(path: string, found: FoundNote, folders: VisitedFolders): ReadyNote | undefined {
    const folder = folders.enter(found.folder)
    const note = folder && readSearchable(folder, found.name, path)
    if (!note) return undefined
    const ready = { note, folded: folded(note) }
    if (note.stat && stampOf(note.stat) === found.stamp) this.#recent.keep(found.stamp, ready)
    return ready
  }

  async *#matches(expression: string, limit: number, seen: Set<number>): AsyncGenerator<FoundNote> {
    for (let asked = Math.max(limit, 1) + seen.size; ; asked *= 4) {
      const found = await this.#index.find(expression, asked)
      for (const note of found) {
        if (!seen.has(note.id)) yield note
        seen.add(note.id)
      }
      if (found.length < asked) return
    }
  }
}

/** The words with the fewest matches; that the others occur is seen in the notes. */
function fewest(parts: Expression[]): Expression[] {
  let terms = 0
  return parts
    .sort((a, b) => a.terms - b.terms)
    .filter((part) => {
      terms += part.terms
      return terms <= maxTerms
    })
}

const allOf = (parts: Expression[]): string => parts.map(({ text }) => `(${text})`).join(' AND ')

const exactly = ({ tokens }: Sequence): string => `"${tokens.join(' ')}"`
