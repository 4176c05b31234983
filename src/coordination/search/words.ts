/** The words that somebody searches for: every one must occur in a text, as a part of it, case ignored. */

/** What must not differ for a part of a text to be the same: neither case nor how accents are composed counts. */
export const withoutCase = (text: string): string =>
  text.toLowerCase().normalize('NFC').replaceAll('ς', 'σ') // of Σ, where a word ends

export class SearchWords {
  /** As they are compared, the longest first: it is the one that is most likely missing. */
  readonly compared: string[]
  readonly #first: string

  constructor(words: string[]) {
    const compared = words.map(withoutCase)
    this.#first = compared[0] ?? ''
    this.compared = [...new Set(compared)].sort((one, other) => other.length - one.length)
  }

  /** Each in one of the parts of a text. */
  areIn(...parts: string[]): boolean {
    const found = parts.map(withoutCase)
    return this.compared.every((word) => found.some((part) => part.includes(word)))
  }

  /** Where the first of them begins in a text that they are in. */
  placeIn(text: string): number {
    const place = withoutCase(text).indexOf(this.#first)
    let [low, high] = [0, text.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (withoutCase(text.slice(0, middle)).length <= place) low = middle
      else high = middle
    }
    return low
  }
}
