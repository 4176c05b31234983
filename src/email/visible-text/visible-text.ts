/** Which of its texts a mail shows to a person, as plain text without what is hidden. */
import { cleanText } from './clean-text.ts'
import { readHtml } from './html-to-text.ts'

interface Texts {
  text?: string | undefined
  html?: string | undefined
}

/** The text part, unless there is nothing to see in it. */
export function visibleText({ text = '', html = '' }: Texts): {
  text: string
  isComplete: boolean
} {
  const own = plainPart(text)
  return own.text || html.trim() === '' ? own : readHtml(html)
}

export function plainPart(text: string): { text: string; isComplete: boolean } {
  if (isHtmlAlone(text)) return readHtml(text)
  return { text: cleanText(text).trim(), isComplete: true }
}

/** Some programs put their HTML where the text belongs. */
const isHtmlAlone = (text: string) =>
  /^\s*</.test(text) && />\s*$/.test(text.slice(-1000)) && looksLikeHtml(text)

const known = new Set(
  (
    'a abbr address article b big blockquote body br button caption center cite code col dd del div dl dt em ' +
    'figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i img ins kbd li link main mark meta nav ol ' +
    'p pre q s section small span strike strong style sub sup table tbody td tfoot th thead title tr tt u ul'
  ).split(' '),
)

/** Attributes must look like some, so that `<i think so>` is no tag. */
const attributes = `(?:\\s+[\\w:-]+\\s*=\\s*(?:"[^"]*"|'[^']*'|[^\\s"'<>]+))*`
const tag = new RegExp(`<(/?)([a-z][a-z0-9]*)${attributes}\\s*/?>`, 'gi')
const code = /```[\s\S]*?```|`[^`\n]*`/g
const quotes = /^[ \t]{0,3}>.*$/gm

export function looksLikeHtml(text: string): boolean {
  const start = text.trimStart()
  if (/^<(!doctype\s+html|!--|\?xml\s)/i.test(start)) return true
  const isText = hasLinesOfText(start.trimEnd())
  const opened = new Set<string>()
  for (const {
    0: { length },
    1: slash,
    2: name = '',
    index,
  } of plain(start).matchAll(tag)) {
    const element = name.toLowerCase()
    if (!known.has(element)) continue
    if (index === 0 && slash === '' && length > 0) return true
    if (isText) return false
    if (element === 'br' || (slash === '/' && opened.has(element))) return true
    opened.add(element)
  }
  return false
}

const lineEnd = /(<br\s*\/?>|<\/(p|div|li|ul|ol|table|tr|td|h[1-6])>)\s*$/i

/** Lines mean nothing in HTML: whoever makes them without a tag at their ends writes text, and may well speak of tags. */
function hasLinesOfText(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const marked = lines.filter((line) => lineEnd.test(line.slice(-100)) && !/^\s*[-+>|]/.test(line))
  return lines.length > 1 && marked.length * 2 < lines.length
}

/** Without what only speaks of HTML: code in backticks, and the quoted mail before. */
const plain = (text: string) => text.replace(code, '').replace(quotes, '')
