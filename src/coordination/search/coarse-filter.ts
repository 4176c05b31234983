/** What a database can say of words in a text, so that few texts need be looked at: none in which they are is left out. */
import type { Condition } from '../history.ts'
import { withoutCase } from './words.ts'

/** A part of a word that can be looked for: one of its spellings is in the text, or something that is odd. */
interface Window {
  spellings: string[]
  /** Letters and marks without which no other spelling can be written. */
  odd: Set<string>
}

/** So many parts are looked for; what is beyond them is compared later. */
const maxWindows = 4
const maxLetters = 64
interface Limits {
  spellings: number
  odd: number
}
/** To look for one spelling takes a fourth of the time of four, but a part that is common leaves too many texts. */
const simple: Limits = { spellings: 1, odd: 2 }
const minRarity = 5
const manifold: Limits = { spellings: 4, odd: 8 }

/**
 * Conditions on texts that may be in any of the columns; none where every text must be looked at.
 * Every engine finds a part of a text byte by byte, and folds the case of ASCII: the rest is in the
 * spellings that it is asked for.
 */
export function coarseFilter(words: string[], columns: string[]): Condition[] {
  const windows = words.flatMap((word) => {
    const found = [...windowsOf(word, simple)].filter((window) => rarityOf(window) >= minRarity)
    return found.length > 0 ? found : [...windowsOf(word, manifold)]
  })
  windows.sort((one, other) => rarityOf(other) - rarityOf(one))
  return windows.slice(0, maxWindows).map(({ spellings, odd }) => {
    const isCased = spellings.some((spelling) => /[a-z]/.test(spelling))
    const parts = [
      ...spellings.map((part) => ({ part, of: isCased ? 'LOWER' : '' })),
      ...[...odd].map((part) => ({ part, of: '' })),
    ].flatMap((one) => columns.map((column) => ({ ...one, column })))
    const sql = parts.map(({ of, column }) => `INSTR(${of}(${column}), ?) > 0`).join(' OR ')
    return [`(${sql})`, ...parts.map(({ part }) => part)]
  })
}

/** An ideograph or a syllable says as much as some letters of an alphabet. */
const rarityOf = ({ spellings: [one = ''] }: Window): number =>
  [...one].reduce((sum, letter) => sum + (letter < '\u0800' ? 1 : minRarity), 0)

/** One after the other, each as long as it may be. */
function* windowsOf(word: string, limits: Limits): Generator<Window> {
  let letters = 0
  let window = empty
  for (const letter of word) {
    // A mark may stand elsewhere in a text that is composed otherwise.
    const known = /\p{M}/u.test(letter) ? undefined : spellingsOf(letter)
    const longer = known && letters < maxLetters ? joined(window, known, limits) : undefined
    if (!longer && letters > 0) yield window
    const next = longer ?? (known && joined(empty, known, limits))
    window = next ?? empty
    letters = longer ? letters + 1 : next ? 1 : 0
  }
  if (letters > 0) yield window
}

const empty: Window = { spellings: [''], odd: new Set() }

function joined(window: Window, next: Window, limits: Limits): Window | undefined {
  const odd = new Set([...window.odd, ...next.odd])
  const spellings = window.spellings.flatMap((start) => next.spellings.map((end) => start + end))
  const isWithin = spellings.length <= limits.spellings && odd.size <= limits.odd
  return isWithin ? { spellings, odd } : undefined
}

function spellingsOf(letter: string): Window {
  const [, ...composed] = letter.normalize('NFD')
  if (letter < '\u0080') return { spellings: [letter], odd: new Set(oddInAscii[letter]) }
  const capital = letter.toUpperCase()
  const hasCapital = capital !== letter && withoutCase(capital) === letter
  return {
    spellings: hasCapital ? [letter, capital] : [letter],
    odd: new Set([...composed, ...(oddLetters().get(letter) ?? '')]),
  }
}

/** What is compared as a letter of ASCII, or begins with one, and is none: the Turkish İ, the sign of Kelvin. */
const oddInAscii: Record<string, string> = {
  i: '\u0130',
  k: '\u212a',
  ';': '\u037e',
  '`': '\u1fef',
}

/** Under each letter, what else is compared as it, or begins with it, but for its capital. */
function oddLetters(): Map<string, string> {
  if (known) return known
  known = new Map<string, string>()
  for (const [from, to] of unusual) {
    for (let code = from; code <= to; code++) {
      const letter = String.fromCodePoint(code)
      const compared = withoutCase(letter)
      const [first = ''] = compared
      const isCapital = first === compared && first.toUpperCase() === letter
      if (compared !== letter && !isCapital) known.set(first, (known.get(first) ?? '') + letter)
    }
  }
  return known
}

let known: Map<string, string> | undefined

/** Where Unicode has such letters; the rest is ideographs, Hangul, and planes without cases. */
const unusual = [
  [0x80, 0x2fff],
  [0xa000, 0xabff],
  [0xf900, 0xffff],
  [0x10000, 0x1ffff],
  [0x2f800, 0x2fa1f],
] as const
