/** Every word that occurs in the notes, in memory, to find those that a part of a word belongs to. */
import type { NoteIndex } from './note-index.ts'
import { pauses } from './pause.ts'
import type { Sequence } from './search-query.ts'

/** More of them make a query slower than reading the notes is. */
const maxTerms = 4000

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

  /**
   * The expression of FTS5 for what holds the sequence, also as part of longer words. Nothing where
   * too many words do; empty where none does.
   */
  expressionOf({ tokens, isOpenLeft, isOpenRight }: Sequence): string | undefined {
    const [first = '', ...rest] = tokens
    const isOne = rest.length === 0
    const starts = this.#termsWith(first, isOpenLeft, isOne && isOpenRight)
    const prefix = !isOne && isOpenRight ? ' *' : ''
    return starts?.map((start) => `"${[start, ...rest].join(' ')}"${prefix}`).join(' OR ')
  }

  #termsWith(part: string, isOpenLeft: boolean, isOpenRight: boolean): string[] | undefined {
    const wanted = `${isOpenLeft ? '' : '\n'}${part}${isOpenRight ? '' : '\n'}`
    const found: string[] = []
    for (let at = this.#lines.indexOf(wanted); at !== -1; ) {
      if (found.length === maxTerms) return undefined
      const end = this.#lines.indexOf('\n', at + 1)
      found.push(
        this.#lines.slice(this.#lines.lastIndexOf('\n', isOpenLeft ? at - 1 : at) + 1, end),
      )
      at = this.#lines.indexOf(wanted, end)
    }
    return found
  }
}
