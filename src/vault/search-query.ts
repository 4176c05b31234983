/** What somebody looks for: text, never a syntax. Every word of it must occur, and the closer a note has it the earlier it comes. */
import { fold, isUnspaced, spaced, tokensOf } from './fold.ts'
import type { Folded } from './searchable.ts'

/** Words that stand one after the other; the first may be the end of a longer one, and the last its beginning. */
export interface Sequence {
  tokens: string[]
  isOpenLeft: boolean
  isOpenRight: boolean
}

export class SearchQuery {
  /** Folded. */
  readonly words: string[]
  /** One for each word that has letters or digits. */
  readonly sequences: Sequence[]
  /** All of them in a row. */
  readonly phrase: Sequence

  constructor(text: string) {
    this.words = [...new Set(fold(text).split(/\s+/))].filter((word) => word !== '')
    const all = fold(text).split(/\s+/).map(sequenceOf)
    const sequences = all.filter(({ tokens }) => tokens.length > 0)
    this.sequences = sequences
    this.phrase = {
      tokens: sequences.flatMap(({ tokens }) => tokens),
      isOpenLeft: sequences[0]?.isOpenLeft ?? false,
      isOpenRight: sequences.at(-1)?.isOpenRight ?? false,
    }
  }

  isIn({ path, title, text }: Folded): boolean {
    return this.words.every(
      (word) =>
        title.includes(word) || text.includes(word) || (endsAsNote(word) && path.includes(word)),
    )
  }

  /** The less the better, for a note that it is in. */
  tierIn(note: Folded): number {
    const title = inTokens(note.title)
    const text = inTokens(note.text)
    for (const [tier, holds] of [holdsWhole, holdsPart].entries()) {
      if (holds(title, this.phrase)) return tier * 4
      if (holds(text, this.phrase)) return tier * 4 + 1
      if (this.sequences.every((word) => holds(title, word))) return tier * 4 + 2
      if (this.sequences.every((word) => holds(title, word) || holds(text, word))) {
        return tier * 4 + 3
      }
    }
    return 7
  }
}

/** A note is also asked for by its file's name; that ending says nothing else about it. */
const endsAsNote = (word: string): boolean => word.endsWith('.md')

/** @example sequenceOf('foo-bar+') // { tokens: ['foo', 'bar'], isOpenLeft: true, isOpenRight: false } */
function sequenceOf(word: string): Sequence {
  const tokens = tokensOf(spaced(word))
  const isOpen = (character: string) =>
    tokensOf(spaced(character)).length > 0 && !isUnspaced(character)
  const characters = [...word]
  const isOpenLeft = isOpen(characters[0] ?? '')
  if (endsAsNote(word)) return { tokens: tokens.slice(0, -1), isOpenLeft, isOpenRight: false }
  return { tokens, isOpenLeft, isOpenRight: isOpen(characters.at(-1) ?? '') }
}

const inTokens = (folded: string): string => ` ${tokensOf(spaced(folded)).join(' ')} `

const holdsWhole = (tokens: string, { tokens: wanted }: Sequence): boolean =>
  tokens.includes(` ${wanted.join(' ')} `)

const holdsPart = (tokens: string, { tokens: wanted, isOpenLeft, isOpenRight }: Sequence) =>
  tokens.includes(`${isOpenLeft ? '' : ' '}${wanted.join(' ')}${isOpenRight ? '' : ' '}`)
