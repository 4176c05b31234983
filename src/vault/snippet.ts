/** The line that is shown of a note that was found: what was looked for, as it is spelled there, with a little of what stands around it. */
import { tokensOf, unfoldedPosition } from './fold.ts'
import type { SearchQuery } from './search-query.ts'
import type { Folded, Searchable } from './searchable.ts'

const length = 160
/** How much of it stands before what was found. */
const lead = 50
/** So far a cut moves to the end of a word. */
const wordRoom = 15

export function snippetOf(query: SearchQuery, note: Searchable, folded: Folded): string {
  const found = placeOf(query, folded.text)
  if (!found) return around(beginningOf(note), 0, 0)
  const [from, to] = found.map((position) => unfoldedPosition(note.text, position))
  return around(note.text, from ?? 0, to ?? 0)
}

const beginningOf = ({ text, bodyStart }: Searchable): string => {
  const body = text.slice(bodyStart, bodyStart + length * 10).trimStart()
  return body === '' ? text : body
}

/** The phrase, or else the first of the words, rather by itself than in a longer one. */
function placeOf({ words }: SearchQuery, text: string): [number, number] | undefined {
  const phrase = new RegExp(words.map(literally).join('\\s+')).exec(text)
  if (words.length > 1 && phrase) return [phrase.index, phrase.index + phrase[0].length]
  for (const word of words) {
    const first = text.indexOf(word)
    if (first === -1) continue
    const from = standsAlone(text, word, first) ?? first
    return [from, from + word.length]
  }
  return undefined
}

const literally = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

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
  const near = text.slice(Math.max(0, from - length * 4), from)
  const before = oneLine(near).trimStart()
  const start = near.length < from || before.length > lead ? cutStart(before) : before
  const rest = oneLine(text.slice(to, to + length * 10)).trimEnd()
  const room = Math.max(0, length - found.length - start.length)
  const end = rest.length > room || text.length > to + length * 10 ? cutEnd(rest, room) : rest
  return whole(start + found + end).trim()
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

function cutStart(text: string): string {
  const kept = text.slice(-lead)
  const blank = kept.indexOf(' ')
  return `…${whole(blank !== -1 && blank < wordRoom ? kept.slice(blank + 1) : kept)}`
}

function cutEnd(text: string, room: number): string {
  const kept = text.slice(0, room)
  const blank = kept.lastIndexOf(' ')
  return `${whole(blank > room - wordRoom ? kept.slice(0, blank) : kept)}…`
}

/** Without halves of characters at its ends, and without accents that have lost their letter. */
const whole = (text: string): string =>
  text.replace(/^(?:[\udc00-\udfff]|\p{M})+|[\ud800-\udbff]$/gu, '')
