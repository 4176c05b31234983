/** The line that is shown of a note that was found: what was looked for, as it is spelled there, with a little of what stands around it. */
import { tokensOf, unfoldedPosition } from './fold.ts'
import type { SearchQuery } from './search-query.ts'
import type { Folded, Searchable } from './searchable.ts'

const length = 160
/** How much of it stands before what was found. */
const lead = 50
/** How far blanks are taken out of what stands around it. */
const reach = length * 3
/** So far a cut moves to the end of a word. */
const wordRoom = 15

export function snippetOf(query: SearchQuery, note: Searchable, folded: Folded): string {
  const found = placeOf(query, folded.text)
  if (!found) return around(beginningOf(note), 0, 0)
  const { text, bodyStart } = note
  const isAsLong = text.length === folded.text.length // then they differ by nothing that a snippet shows
  const [from = 0, to = 0] = found.map((at) => (isAsLong ? at : unfoldedPosition(text, at)))
  if (from < bodyStart) return around(text.slice(0, bodyStart), from, Math.min(to, bodyStart))
  return around(text.slice(bodyStart), from - bodyStart, to - bodyStart)
}

const beginningOf = ({ text, bodyStart }: Searchable): string => {
  const body = text.slice(bodyStart, bodyStart + reach).trimStart()
  return body === '' ? text : body
}

/** The phrase, or else the first of the words, rather by itself than in a longer one. */
function placeOf({ words }: SearchQuery, text: string): [number, number] | undefined {
  const phrase = words.length > 1 ? phraseIn(text, words) : undefined
  if (phrase) return phrase
  for (const word of words) {
    const first = text.indexOf(word)
    if (first === -1) continue
    const from = standsAlone(text, word, first) ?? first
    return [from, from + word.length]
  }
  return undefined
}

function phraseIn(text: string, [first = '', ...rest]: string[]): [number, number] | undefined {
  const blanks = /\s+/y
  for (let from = text.indexOf(first); from !== -1; from = text.indexOf(first, from + 1)) {
    blanks.lastIndex = from + first.length
    const isWhole = rest.every((word) => {
      if (!blanks.test(text) || !text.startsWith(word, blanks.lastIndex)) return false
      blanks.lastIndex += word.length
      return true
    })
    if (isWhole) return [from, blanks.lastIndex]
  }
  return undefined
}

function standsAlone(text: string, word: string, first: number): number | undefined {
  const isWord = (character: string | undefined) => tokensOf(character ?? '').length > 0
  for (let from = first, tries = 100; from !== -1 && tries > 0; tries--) {
    if (!isWord(text[from - 1]) && !isWord(text[from + word.length])) return from
    from = text.indexOf(word, from + 1)
  }
  return undefined
}

function around(text: string, from: number, to: number): string {
  const found = oneLine(text.slice(from, Math.min(to, from + length)))
  const before = oneLine(text.slice(Math.max(0, from - reach), from)).trimStart()
  const after = oneLine(text.slice(to, to + reach)).trimEnd()
  const room = Math.max(0, length - found.length)
  const end = Math.min(after.length, room - Math.min(before.length, lead))
  const start = Math.min(before.length, room - end)
  const isCutBefore = start < before.length || from > reach
  const isCutAfter = end < after.length || to + reach < text.length
  return (
    (isCutBefore ? cutStart(before.slice(before.length - start)) : before) +
    found +
    (isCutAfter ? cutEnd(after.slice(0, end)) : after)
  ).trim()
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

function cutStart(kept: string): string {
  const blank = kept.indexOf(' ')
  return `…${whole(blank !== -1 && blank < wordRoom ? kept.slice(blank + 1) : kept)}`
}

function cutEnd(kept: string): string {
  const blank = kept.lastIndexOf(' ')
  const isNear = blank !== -1 && blank > kept.length - wordRoom
  return `${whole(isNear ? kept.slice(0, blank) : kept)}…`
}

/** Without halves of characters at its ends, and without accents that have lost their letter. */
const whole = (text: string): string =>
  text.replace(/^(?:[\udc00-\udfff]|\p{M})+|[\ud800-\udbff]$/gu, '')
