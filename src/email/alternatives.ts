/** Whether two versions of a mail's text say the same to a person, however mail programs make the one out of the other. */
import { cleanText } from './visible-text/clean-text.ts'
import type { HtmlReading } from './visible-text/html-to-text.ts'

/** `preheader`: but for a line that the HTML hides and a list of mails shows. */
export type Agreement = 'same' | 'preheader' | 'different'

/** More than so many words that stand in one of them alone is another text, and not looked at further. */
const mostChanges = 400
/** Twice what can be shown: whoever writes more is not read to the end in any case. */
const longestCompared = 200_000
/** No more pictures than a program would name in a text. */
const mostAlts = 500
/** What programs add to a text out of a picture is short; a longer one is a sentence. */
const longestAlt = 12
const longestPreheader = 40

interface Word {
  text: string
  /** The number of an item at the beginning of its line. */
  isNumber: boolean
}

export function compareTexts(plain: string, html: HtmlReading): Agreement {
  const isLong = Math.max(plain.length, html.words.length) > longestCompared
  if (isLong || !html.isComplete) return 'different'
  const shown = separated(html.words)
  const text = separated(withoutFootnotes(plain))
  if (!areKnown(text.addresses, shown, html) || !areShown(shown.addresses, text)) return 'different'
  const [mine, yours] = [wordsOf(text.rest), wordsOf(shown.rest)]
  const changes = changesBetween(mine, yours)
  if (!changes) return 'different'
  const alts = html.alts
    .slice(0, mostAlts)
    .map(plainWords)
    .filter(({ length }) => length <= longestAlt)
  const preheader = yours.length > 0 ? plainWords(html.preheader) : []
  let comparison: Agreement = 'same'
  for (const { at, words, isMine } of changes) {
    const said = words.map((word) => word.text)
    if (isTheBrowser(said)) continue
    if (!isMine) return 'different'
    if (isAlts(said, alts) || isNumbers(words, html.numbers)) continue
    if (at > longestPreheader || !isPreheader(said, preheader)) return 'different'
    comparison = 'preheader'
  }
  return comparison
}

/** Whether each line of it stands, word by word, in one of the others. */
export function isContained(text: string, others: readonly string[]): boolean {
  const joined = (one: string) => ` ${plainWords(one).join(' ')} `
  const around = others.map(joined)
  return text.split('\n').every((line) => around.some((other) => other.includes(joined(line))))
}

const address = /(?:https?:\/\/|mailto:|tel:|www\.)[^\s<>"'()[\]{}|]+/gi

function separated(text: string): { rest: string; addresses: string[] } {
  const addresses: string[] = []
  const rest = text.replace(address, (found) => {
    addresses.push(plainAddress(found))
    return ' '
  })
  return { rest, addresses }
}

const plainAddress = (text: string) =>
  text
    .toLowerCase()
    .replace(/^(https?:\/\/|mailto:|tel:)?(www\.)?/, '')
    .replace(/[/.,;:!?*_]+$/, '')

const hostOf = (text: string) => /^[^/?#]*/.exec(text)?.[0] ?? ''

/** An address of the text must lead to where something in the HTML leads; a service may write another way to the same place. */
function areKnown(addresses: string[], shown: { addresses: string[] }, html: HtmlReading): boolean {
  const known = new Set([...html.addresses.map(plainAddress), ...shown.addresses])
  const hosts = new Set([...known].map(hostOf))
  const words = html.words.toLowerCase()
  return addresses.every(
    (one) => known.has(one) || (one.includes('@') ? words.includes(one) : hosts.has(hostOf(one))),
  )
}

/** One that a person reads in the HTML must stand in the text. */
function areShown(addresses: string[], text: { rest: string; addresses: string[] }): boolean {
  const hosts = new Set(text.addresses.map(hostOf))
  const rest = text.rest.toLowerCase()
  return addresses.every(
    (one) =>
      text.addresses.includes(one) || (hostOf(one) === one && hosts.has(one)) || rest.includes(one),
  )
}

/** `[1]` after a word, and at the end the addresses by their numbers. */
function withoutFootnotes(plain: string): string {
  const numbers = new Set<string>()
  const text = cleanText(plain)
    .replace(/^\s*\[?(\d{1,3})\]?[.:)]?\s+((?:https?:|mailto:)\S+)\s*$/gim, (_, number, target) => {
      numbers.add(number)
      return target
    })
    .replace(/\[(\d{1,3})\]/g, (whole, number) => (numbers.has(number) ? ' ' : whole))
    .replace(/\[cid:[^\s\]]+\]|<[\w.-]+\.(?:png|jpe?g|gif)>/gi, ' ')
    .replace(/\[(?:inline )?image: ?([^\]\n]{0,300})\]/gi, ' $1 ')
  return numbers.size === 0 ? text : text.replace(/^\s*(?:references|links):?\s*$/gim, ' ')
}

const decoration = /[©®™℠●○■□▪▫◦►▶◆◇★☆]|\ufe0e|\ufe0f/g
const word = /^[ \t>]*(\d{1,9})[.)](?=\s)|(?<=^|\s)[-−]\d+|[\p{L}\p{N}\p{M}]+|[\p{Sc}%+]|\p{So}/gmu

/** Without what programs do not agree on: case, punctuation, bullets, stresses, and forms of a character. */
const wordsOf = (text: string): Word[] =>
  Array.from(
    cleanText(text.replace(decoration, ' '))
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll('−', '-')
      .matchAll(word),
    ([whole, number]) => ({ text: number ?? whole, isNumber: number !== undefined }),
  )

const plainWords = (text: string): string[] => wordsOf(text).map((one) => one.text)

interface Change {
  /** Where in its text. */
  at: number
  words: Word[]
  /** It stands in the first text alone, otherwise in the second. */
  isMine: boolean
}

/** What stands in one of them alone, by the shortest way from the one to the other (Myers); nothing where that is too long. */
function changesBetween(mine: Word[], yours: Word[]): Change[] | undefined {
  const numbers = new Map<string, number>()
  const numbered = (words: Word[]) =>
    Int32Array.from(words, ({ text }) => {
      const number = numbers.get(text) ?? numbers.size
      numbers.set(text, number)
      return number
    })
  const [from, to] = [numbered(mine), numbered(yours)]
  /** By diagonal, how far one comes in so many steps. */
  const reached: Int32Array[] = []
  for (let step = 0; step <= mostChanges; step++) {
    const here = new Int32Array(2 * step + 1)
    reached.push(here)
    for (let diagonal = -step; diagonal <= step; diagonal += 2) {
      let at = step === 0 ? 0 : start(reached[step - 1], step, diagonal).at
      while (at < from.length && at - diagonal < to.length && from[at] === to[at - diagonal]) at++
      here[diagonal + step] = at
      if (at >= from.length && at - diagonal >= to.length)
        return walkedBack(reached, diagonal, mine, yours)
    }
  }
  return undefined
}

/** Where a step onto this diagonal begins: by a word of the first text, or by one of the second. */
function start(before: Int32Array | undefined, step: number, diagonal: number) {
  const reach = (other: number) => before?.[other + step - 1] ?? -1
  const [left, right] = [reach(diagonal - 1), reach(diagonal + 1)]
  const isMine = diagonal === step || (diagonal !== -step && left >= right)
  return { at: isMine ? left + 1 : right, isMine }
}

function walkedBack(reached: Int32Array[], end: number, mine: Word[], yours: Word[]): Change[] {
  const changes: Change[] = []
  let diagonal = end
  for (let step = reached.length - 1; step > 0; step--) {
    const { at: next, isMine } = start(reached[step - 1], step, diagonal)
    const at = isMine ? next - 1 : next - diagonal - 1
    const one = (isMine ? mine : yours)[at]
    const last = changes.at(-1)
    if (one && last?.isMine === isMine && last.at === at + 1) {
      last.words.unshift(one)
      last.at = at
    } else if (one) changes.push({ at, words: [one], isMine })
    diagonal += isMine ? -1 : 1
  }
  return changes
}

const browserPhrases = new Set([
  'view in browser',
  'view in your browser',
  'view it in your browser',
  'view this email in your browser',
  'view this email in a browser',
  'view online',
  'view web version',
  'view this email online',
  'view this post on the web at',
  'read online',
  'read in browser',
])

const isTheBrowser = (said: string[]) => browserPhrases.has(said.join(' '))

/** Nothing but what pictures are called, one after the other. */
function isAlts(said: string[], alts: string[][]): boolean {
  let at = 0
  while (at < said.length) {
    const alt = alts.find(
      (words) => words.length > 0 && words.every((one, n) => one === said[at + n]),
    )
    if (!alt) return false
    at += alt.length
  }
  return true
}

const isNumbers = (words: Word[], numbers: ReadonlySet<string>) =>
  words.every(({ text, isNumber }) => isNumber && numbers.has(text))

const isPreheader = (said: string[], preheader: string[]) =>
  said.length <= longestPreheader && ` ${preheader.join(' ')} `.startsWith(` ${said.join(' ')} `)
