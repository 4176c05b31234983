/** Colour for a terminal whose user has not said no to it: headings, states, and the first word of an error. */
import { Config } from '../config.ts'

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 }

type Colour = keyof typeof codes

let isWanted: boolean | undefined

/** NO_COLOR and TERM=dumb; whether it is a terminal that is written to, the writer knows. */
export function wantsColour(): boolean {
  isWanted ??= wants(new Config())
  return isWanted
}

const wants = (config: Config): boolean =>
  config.text('noColor') === undefined && config.text('term') !== 'dumb'

const painted = (text: string, ...colours: Colour[]): string =>
  `${colours.map((colour) => `\u001b[${codes[colour]}m`).join('')}${text}\u001b[0m`

const firstWords: [RegExp, Colour][] = [
  [/^error:/, 'red'],
  [/^(?:warning|note):/, 'yellow'],
]

/** The word that says what kind of text it is. */
export function withFirstWord(text: string): string {
  for (const [word, colour] of firstWords) {
    if (word.test(text)) return text.replace(word, (found) => painted(found, 'bold', colour))
  }
  return text
}

/** Lines that are a heading, and what stands before the first colon of a usage. */
export const withHeadings = (text: string): string =>
  text.replace(/^(?:[A-Z][\w ,-]*:(?=$)|Usage:)/gm, (found) => painted(found, 'bold'))

const marks: Record<string, Colour[]> = {
  ok: ['green'],
  off: ['dim'],
  warning: ['bold', 'yellow'],
  problem: ['bold', 'red'],
}

/** Headings, and the mark at the beginning of each line below them. */
export const withMarks = (text: string): string =>
  withHeadings(text).replace(/^( {2})(\w+)(?= )/gm, (whole, blanks, mark) =>
    marks[mark] ? `${blanks}${painted(mark, ...marks[mark])}` : whole,
  )

const states: Record<string, Colour> = {
  ready: 'green',
  sent: 'green',
  read: 'green',
  approved: 'green',
  work: 'yellow',
  waits: 'yellow',
  notified: 'yellow',
  unknown: 'red',
  failed: 'red',
  blocked: 'red',
  void: 'red',
  offline: 'dim',
  silent: 'dim',
  gone: 'dim',
}

/** A cell of a table: its heading, or a state in a column of states. */
export function withState(cell: string, heading: string | undefined): string {
  if (heading === undefined) return painted(cell, 'bold')
  const word = cell.trim()
  const colour = /^STAT(?:E|US)$/.test(heading) && Object.hasOwn(states, word) && states[word]
  return colour ? cell.replace(word, painted(word, colour)) : cell
}
