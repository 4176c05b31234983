/** What somebody looks for: text, never a syntax. Every word of it must occur, and the closer a note has it the earlier it comes. */
import { betweenWords, fold, inSpaced, spaced, tokensOf } from './fold.ts'
import type { Folded } from './searchable.ts'

/** Words that stand one after the other; the first may be the end of a longer one, and the last its beginning. */
export interface Sequence {
  tokens: string[]
  isOpenLeft: boolean
  isOpenRight: boolean
}

/** Beyond so many, words must occur but do not count for the order. */
const maxRanked = 64

export class SearchQuery {
  /** Folded. */
  readonly words: string[]
  /** One for each of the first words that has letters or digits. */
  readonly sequences: Sequence[]
  /** All of them in a row. */
  readonly phrase: Sequence
  /** As whole words, and as parts of words; made when they are needed, since that takes longer than many a search. */
  #patterns: { phrase: RegExp; words: RegExp[] }[] | undefined

  constructor(text: string) {
    this.words = fold(text).split(/\s+/).filter(Boolean)
    this.sequences = this.words
      .slice(0, maxRanked)
      .map(sequenceOf)
      .filter(({ tokens }) => tokens.length > 0)
    this.phrase = {
      tokens: this.sequences.flatMap(({ tokens }) => tokens).slice(0, maxRanked),
      isOpenLeft: this.sequences[0]?.isOpenLeft ?? false,
      isOpenRight: this.sequences.at(-1)?.isOpenRight ?? false,
    }
  }

  isIn({ path, title, text }: Folded): boolean {
    return this.words.every(
      (word) =>
        title.includes(word) || text.includes(word) || (endsAsNote(word) && path.includes(word)),
    )
  }

  /** The less the better, for a note that it is in. */
  tierIn({ title, text }: Folded): number {
    this.#patterns ??= [true, false].map((isWhole) => ({
      phrase: patternOf(this.phrase, isWhole),
      words: this.sequences.map((word) => patternOf(word, isWhole)),
    }))
    let tier = 0
    for (const { phrase, words } of this.#patterns) {
      if (phrase.test(title)) return tier
      if (phrase.test(text)) return tier + 1
      if (words.every((word) => word.test(title))) return tier + 2
      if (words.every((word) => word.test(title) || word.test(text))) return tier + 3
      tier += 4
    }
    return tier
  }
}

/** A note is also asked for by its file's name; that ending says nothing else about it. */
const endsAsNote = (word: string): boolean => word.endsWith('.md')

/** @example sequenceOf('foo-bar+') // { tokens: ['foo', 'bar'], isOpenLeft: true, isOpenRight: false } */
function sequenceOf(word: string): Sequence {
  const tokens = tokensOf(spaced(word))
  const isOpenLeft = startsInWord.test(word)
  if (endsAsNote(word)) return { tokens: tokens.slice(0, -1), isOpenLeft, isOpenRight: false }
  if (tokens.length <= maxRanked) return { tokens, isOpenLeft, isOpenRight: endsInWord.test(word) }
  return { tokens: tokens.slice(0, maxRanked), isOpenLeft, isOpenRight: false }
}

const startsInWord = new RegExp(`^${inSpaced}`, 'v')
const endsInWord = new RegExp(`${inSpaced}$`, 'v')

function patternOf({ tokens, isOpenLeft, isOpenRight }: Sequence, isWhole: boolean): RegExp {
  const isSpaced = (token: string | undefined) => token !== undefined && startsInWord.test(token)
  const [first = ''] = tokens
  // Behind the word, so that the engine can look for the word itself.
  const start = isSpaced(first) && (isWhole || !isOpenLeft) ? `(?<!${inSpaced}${first})` : ''
  const end = isSpaced(tokens.at(-1)) && (isWhole || !isOpenRight) ? `(?!${inSpaced})` : ''
  const rest = tokens.slice(1).map((token, index) => {
    const isGapNeeded = isSpaced(tokens[index]) && isSpaced(token)
    return `${betweenWords}${isGapNeeded ? '+' : '*'}${token}`
  })
  return new RegExp(`${first}${start}${rest.join('')}${end}`, 'v')
}
