/** Searches the notes themselves, for as long as there is no index, and for what an index cannot answer. */
import type { BigIntStats } from 'node:fs'
import { AgentMailError, hasCode } from '../../errors.ts'
import { pauses } from '../../system/clock.ts'
import type { Folder } from '../../system/folder.ts'
import { readNoteFile } from '../note-file.ts'
import type { Vault } from '../vault.ts'
import { walkNotes } from '../walk.ts'
import { SearchQuery } from './search-query.ts'
import { type Folded, folded, type Searchable, searchable } from './searchable.ts'
import { snippetOf } from './snippet.ts'

export interface SearchHit {
  path: string
  snippet: string
}

/** @param onProgress is told now and then how many notes were read. */
export async function scanNotes(
  vault: Vault,
  query: string,
  limit: number,
  onProgress?: (count: number) => void,
): Promise<SearchHit[]> {
  const wanted = new SearchQuery(query)
  if (wanted.words.length === 0) return []
  const best = new BestHits(limit)
  const pause = pauses()
  let count = 0
  const root = vault.open()
  try {
    for (const { folder, name, path } of walkNotes(root, '')) {
      const note = readSearchable(folder, name, path)
      if (note) best.offer(wanted, note)
      count++
      const turn = pause()
      if (!turn) continue
      onProgress?.(count)
      await turn
    }
  } finally {
    root.close()
  }
  return best.hits()
}

interface ReadNote extends Searchable {
  /** Of the file that was read; missing where that was not allowed. */
  stat?: BigIntStats
  /** Missing where that was not allowed or they are too many. */
  bytes?: Buffer | undefined
}

/** Nothing where there is no note of this name; one that may not be read is known by its path alone. */
export function readSearchable(folder: Folder, name: string, path: string): ReadNote | undefined {
  try {
    return readNoteFile(folder, name, ({ bytes, stat }) => ({
      ...searchable(path, bytes),
      bytes,
      stat,
    }))
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'EIO')) return searchable(path, undefined)
    if (AgentMailError.is(error) || hasCode(error, 'ELOOP', 'ENXIO', 'EISDIR')) return undefined
    throw error
  }
}

interface RankedHit extends SearchHit {
  tier: number
  occurrences: number
}

class BestHits {
  readonly #limit: number
  /** Best first. */
  readonly #hits: RankedHit[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  offer(query: SearchQuery, note: Searchable): void {
    const compared = folded(note)
    if (!query.isIn(compared)) return
    const hit = {
      path: note.path,
      tier: query.tierIn(compared),
      occurrences: query.words.reduce((sum, word) => sum + occurrences(compared, word), 0),
      snippet: '',
    }
    const last = this.#hits[this.#limit - 1]
    if (last && !isBetter(hit, last)) return
    hit.snippet = snippetOf(query, note, compared)
    const place = this.#hits.findLastIndex((other) => !isBetter(hit, other)) + 1
    this.#hits.splice(place, 0, hit)
    if (this.#hits.length > this.#limit) this.#hits.pop()
  }

  hits(): SearchHit[] {
    return this.#hits.map(({ path, snippet }) => ({ path, snippet }))
  }
}

/** The walk is in the order of paths, so that equals stay in it. */
const isBetter = (one: RankedHit, other: RankedHit): boolean =>
  one.tier < other.tier || (one.tier === other.tier && one.occurrences > other.occurrences)

const enough = 100

function occurrences({ title, text }: Folded, word: string): number {
  let count = title.includes(word) ? 1 : 0
  for (let at = text.indexOf(word); at !== -1 && count < enough; at = text.indexOf(word, at + 1)) {
    count++
  }
  return count
}
