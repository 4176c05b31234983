/** Turns the HTML of a mail into the plain text that a person would see. Nothing is ever fetched. */

import { cleanText } from './clean-text.ts'
import { Cascade } from './css/cascade.ts'
import type { ReadingScreen } from './css/conditions.ts'
import { Stylesheets } from './css/stylesheet.ts'
import { type HtmlNode, parseHtml, styleSheets } from './html-tree.ts'
import { Walk } from './walk.ts'
import { Work } from './work.ts'

export const htmlToText = (html: string): string => readHtml(html).text

const steps = 10_000_000

/** At a desk, in a small window and a large one, by day and by night: what is told is seen on each of them. */
const desk: ReadingScreen = { width: 800, isDark: false }
const otherScreens: ReadingScreen[] = [
  { width: 1280, isDark: false },
  { width: 800, isDark: true },
]

export interface HtmlReading {
  text: string
  /** False where a mail is too large or too tangled to be read to its end. */
  isComplete: boolean
  /** The words of the mail alone: no address, name of a picture or number of an item that stands there for it. */
  words: string
  /** The names of its pictures. */
  alts: string[]
  /** Where its links and pictures are. */
  addresses: string[]
  /** Those of the items of its lists. */
  numbers: ReadonlySet<string>
  /** What is hidden before the first word: the line that a list of mails shows. */
  preheader: string
}

export function readHtml(html: string): HtmlReading {
  const { nodes, isComplete, isQuirky } = parseHtml(html)
  const work = new Work(steps)
  const sheets = styleSheets(nodes)
  const read = (screen: ReadingScreen) => {
    const rules = new Stylesheets(work, screen, isQuirky)
    for (const { css, media } of sheets) rules.read(css, media)
    return rules
  }
  const walkOn = (rules: Stylesheets, screen: ReadingScreen, seen?: ReadonlySet<HtmlNode>) => {
    const cascade = new Cascade(rules, work, isQuirky)
    const { hasPlainVariables } = cascade
    const walk = new Walk(cascade, { screen, isQuirky, hasPlainVariables, work }, seen)
    walk.through(nodes)
    return walk
  }
  const rules = read(desk)
  let seen: ReadonlySet<HtmlNode> | undefined
  let isCovered = false
  for (const screen of rules.asksScreen ? otherScreens : []) {
    const walk = walkOn(read(screen), screen, seen)
    seen = walk.seen
    isCovered ||= walk.isCovered
  }
  const walk = walkOn(rules, desk, seen)
  return readingOf(walk, isComplete && !work.isSpent, isCovered || walk.isCovered)
}

function readingOf(walk: Walk, isComplete: boolean, isCovered: boolean): HtmlReading {
  const { alts, preheader } = walk
  const { addresses, numbers } = walk.structure
  const found = { alts, addresses, numbers, preheader }
  if (isCovered) return { ...found, words: '', text: `[${covered}]`, isComplete: false }
  const { words } = walk
  const text = cleanText(walk.text).trim()
  if (isComplete) return { ...found, words, text, isComplete }
  return {
    ...found,
    words,
    text: `${text}\n\n[the rest of this mail is left out]`.trim(),
    isComplete,
  }
}

const covered =
  'parts of this mail may lie on top of others, so that nobody can tell what is seen of it'
