/** Every word that occurs in the notes, in memory, to find those that a part of a word belongs to. */

import { pauses } from '../../system/clock.ts'
import type { NoteIndex } from './note-index.ts'
import type { Sequence } from './search-query.ts'

/** More of them make a query slower than reading the notes is. */
export const maxTerms = 1000
/** So many of them find enough for most, and soon. */
const fewTerms = 50

/** Something to find, in the language of FTS5. */
export interface Expression {
  text: string
  /** How many words it names; with none there is nothing to be found. */
  terms: number
  /** Whether it finds all there is. */
  isComplete: boolean
}

export class IndexTerms {
  readonly #index: NoteIndex
  /** One on each line, with a line end before the first and after the last. */
  #lines = '\n'
  #last = 0

  constructor(index: NoteIndex) {
    this.#index = index
  }

  /** Takes in what was stored since. */
  async refresh(): Promise<void> {
    const pause = pauses()
    for (;;) {
      const more = await this.#index.termsAfter(this.#last)
      if (!more) return
      if (more.last <= this.#last) continue // another search was first
      this.#lines += `${more.terms}\n`
      this.#last = more.last
      await pause()
    }
  }

  /** What holds the sequence, also where its ends are parts of longer words. */
  expressionOf({ tokens, isOpenLeft, isOpenRight }: Sequence): Expression {
    const [first = ''] = tokens
    const last = tokens.slice(1).at(-1)
    let starts = this.#termsWith(first, isOpenLeft, isOpenRight && last === undefined)
    let ends = last === undefined ? [''] : this.#termsWith(last, false, isOpenRight)
    const isComplete = starts.length * ends.length <= maxTerms
    if (!isComplete) {
      starts = shortest(starts, fewTerms)
      ends = shortest(ends, Math.ceil(fewTerms / starts.length))
    }
    const between = tokens.slice(1, -1).join(' ')
    const texts = starts.flatMap((start) => ends.map((end) => `"${start} ${between} ${end}"`))
    return { text: texts.join(' OR '), terms: texts.length, isComplete }
  }

  /** All of them, or more than are wanted. */
  #termsWith(part: string, isOpenLeft: boolean, isOpenRight: boolean): string[] {
    const lines = this.#lines
    const wanted = `${isOpenLeft ? '' : '\n'}${part}${isOpenRight ? '' : '\n'}`
    const found: string[] = []
    for (let at = lines.indexOf(wanted); at !== -1 && found.length <= maxTerms; ) {
      const end = lines.indexOf('\n', at + 1)
      found.push(lines.slice(lines.lastIndexOf('\n', isOpenLeft ? at - 1 : at) + 1, end))
      at = lines.indexOf(wanted, end)
    }
    return found
  }
}

const shortest = (terms: string[], count: number): string[] =>
  terms.sort((a, b) => a.length - b.length).slice(0, count)
