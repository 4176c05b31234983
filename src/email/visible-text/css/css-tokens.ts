/** Cuts CSS into tokens as a browser does, and the tokens into declarations and rules. */
import type { Work } from '../work.ts'

// Neither css-tree nor css-what: in place of this file, stylesheet.ts and selector.ts they closed fourteen of 199 holes
// and opened eleven others (css-tree 3 takes what follows a nested rule for noise; css-what 8 knows no `&`, and refuses a
// whole list for one part). They save a hundred lines for 56 KB, and nesting, where most holes were, is still read by hand.

type Kind =
  | 'blank'
  | 'name'
  | 'call'
  | 'at'
  | 'hash'
  | 'digits'
  | 'string'
  | 'address'
  | 'number'
  | 'sign'
  | 'bad'

export interface CssToken {
  kind: Kind
  /** What it says, without escapes, quotes and marks. */
  text: string
  /** Of a token that opens a block: the place of the one that closes it. */
  end: number
}

/** A part of a list of tokens. */
export interface Range {
  tokens: readonly CssToken[]
  from: number
  to: number
}

export interface Declaration {
  property: string
  /** Lower case, without escapes, comments and needless blanks. */
  value: string
  important: boolean
}

export type Item =
  | { kind: 'declaration'; declaration: Declaration }
  | { kind: 'rule'; prelude: Range; block: Range }
  | { kind: 'at'; name: string; prelude: Range; block: Range | undefined }

const escaped = '\\\\(?:[0-9a-f]{1,6}[ \\t\\n]?|[^\\n0-9a-f]|$)'
const start = `(?:[a-z_\\u0080-\\uffff]|${escaped})`
const part = `(?:[\\w\\u0080-\\uffff-]|${escaped})`
const name = `(?:--${part}*|-?${start}${part}*)`
const token = new RegExp(
  [
    '([ \\t\\n]+)',
    '(/\\*[^]*?(?:\\*/|$))',
    '("[^"\\\\\\n]*(?:\\\\[^]?[^"\\\\\\n]*)*"?|\'[^\'\\\\\\n]*(?:\\\\[^]?[^\'\\\\\\n]*)*\'?)',
    '(<!--|-->)',
    `([+-]?(?:\\d*\\.\\d+|\\d+)(?:e[+-]?\\d+)?(?:%|${name})?)`,
    `(${name})(\\()?`,
    `@(${name})`,
    `#(${name})`,
    `#(${part}+)`,
    '[^]',
  ].join('|'),
  'iy',
)
const address = new RegExp(
  `[ \\t\\n]*((?:[^ \\t\\n"'()\\\\]|${escaped})*)[ \\t\\n]*(?:\\)|$)`,
  'iy',
)
const quotedAddress = /[ \t\n]*["']/y
const badAddress = /[^)\\]*(?:\\[\s\S]?[^)\\]*)*\)?/y

const closers: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

/** What is still open at the end is closed there. */
export function tokenize(css: string, work: Work): Range {
  const text = css.replace(/\r\n?|\f/g, '\n').replaceAll('\0', '\ufffd')
  const tokens: CssToken[] = []
  const open: { closer: string; opener: CssToken }[] = []
  const add = (kind: Kind, said: string) => {
    const added = { kind, text: said, end: 0 }
    const closer = kind === 'call' ? ')' : kind === 'sign' ? closers[said] : undefined
    if (closer) open.push({ closer, opener: added })
    else if (kind === 'sign' && said === open.at(-1)?.closer) close()
    tokens.push(added)
  }
  const close = () => {
    const last = open.pop()
    if (last) last.opener.end = tokens.length
  }
  for (let at = 0; at < text.length && !work.isSpent; at = token.lastIndex) {
    work.spend(10)
    token.lastIndex = at
    const found = token.exec(text)
    if (!found || found[2]) continue
    const [sign, blank, , quoted, mark, number, name, call, keyword, hash, digits] = found
    if (blank) add('blank', ' ')
    else if (quoted) string(quoted)
    else if (mark) add('sign', mark)
    else if (number) add('number', unescaped(number))
    else if (call && /^url$/i.test(unescaped(name ?? ''))) url()
    else if (name) add(call ? 'call' : 'name', unescaped(name))
    else if (keyword) add('at', unescaped(keyword).toLowerCase())
    else if (hash) add('hash', unescaped(hash))
    else if (digits) add('digits', unescaped(digits))
    else add('sign', sign)
  }
  for (let last = open.at(-1); last; last = open.at(-1)) add('sign', last.closer)
  return { tokens, from: 0, to: tokens.length }

  /** One that a line end breaks off is none. */
  function string(quoted: string): void {
    const isBroken = text.charAt(token.lastIndex) === '\n' && !/^(["'])[\s\S]*\1$/.test(quoted)
    const inner = quoted.slice(1, quoted.at(-1) === quoted[0] ? -1 : undefined)
    add(isBroken ? 'bad' : 'string', unescaped(inner.replace(/\\\n/g, '')))
  }

  function url(): void {
    const from = token.lastIndex
    quotedAddress.lastIndex = from
    const isFunction = quotedAddress.test(text)
    address.lastIndex = from
    const found = isFunction ? undefined : address.exec(text)
    badAddress.lastIndex = from
    if (isFunction) add('call', 'url')
    else if (found) add('address', unescaped(found[1] ?? ''))
    else if (badAddress.test(text)) add('bad', '')
    if (!isFunction) token.lastIndex = found ? address.lastIndex : badAddress.lastIndex
  }
}

const unescaped = (css: string): string =>
  css.includes('\\')
    ? css.replace(
        /\\(?:([0-9a-f]{1,6})[ \t\n]?|([\s\S]?))/gi,
        (_, hex: string | undefined, char) => {
          if (hex === undefined) return char === '' ? '\ufffd' : char
          const code = Number.parseInt(hex, 16)
          return code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
        },
      )
    : css

/** As one plain text in which every sign means what it says. */
export function asWritten({ tokens, from, to }: Range): string {
  const parts: string[] = []
  for (let at = from; at < to; at++) {
    const one = tokens[at]
    if (one?.kind !== 'blank') parts.push(one ? written(one) : '')
    else if (parts.length > 0 && parts.at(-1) !== ' ') parts.push(' ')
  }
  if (parts.at(-1) === ' ') parts.pop()
  return parts.join('')
}

function written({ kind, text }: CssToken): string {
  if (kind === 'name') return word(text)
  if (kind === 'call') return `${word(text)}(`
  if (kind === 'string') return `"${text.replace(/[^\w .-]/g, ' ')}"`
  if (kind === 'address') return /^\s*(https?:)?\/\//i.test(text) ? 'url(x)' : 'url(own)'
  if (kind === 'hash' || kind === 'digits') return `#${word(text)}`
  if (kind === 'number') return text.toLowerCase()
  return kind === 'at' || kind === 'bad' ? '\ufffd' : text
}

/** Only the names of variables know lower case from upper case. */
const word = (text: string) =>
  (text.startsWith('--') ? text : text.toLowerCase()).replace(/[^\w\u0080-\uffff-]/g, '\ufffd')

export const isSign = (one: CssToken | undefined, text: string): boolean =>
  one?.kind === 'sign' && one.text === text

/** The place of the first of these signs outside of blocks, or the end. */
export function findSign({ tokens, from, to }: Range, signs: string): number {
  for (let at = from; at < to; at++) {
    const one = tokens[at]
    if (one?.kind === 'sign' && signs.includes(one.text)) return at
    if (one && one.end > 0) at = one.end
  }
  return to
}

/** In a sheet and in what holds rules alone, a semicolon ends no rule. */
type Kinds = 'sheet' | 'rules' | 'declarations'

/** The items of a sheet, or of a block in it, in their order. */
export function* itemsOf({ tokens, from, to }: Range, kinds: Kinds): Generator<Item> {
  const isBlock = kinds === 'declarations'
  const marks = { sheet: /^(<!--|-->)$/, rules: /^\b$/, declarations: /^;$/ }[kinds]
  const range = (first: number, last: number): Range => ({ tokens, from: first, to: last })
  for (let at = from; at < to; at++) {
    const one = tokens[at]
    const isMark = one?.kind === 'sign' && marks.test(one.text)
    if (!one || one.kind === 'blank' || isMark) continue
    let stop = findSign(range(at, to), isBlock || one.kind === 'at' ? '{;' : '{')
    // A variable may hold a block.
    if (isBlock && one.kind === 'name' && one.text.startsWith('--'))
      stop = findSign(range(stop, to), ';')
    const block = isSign(tokens[stop], '{') ? range(stop + 1, tokens[stop]?.end ?? to) : undefined
    if (one.kind === 'at') yield { kind: 'at', name: one.text, prelude: range(at + 1, stop), block }
    else if (block) yield { kind: 'rule', prelude: range(at, stop), block }
    else if (isBlock) {
      const declaration = declarationOf(range(at, stop))
      if (declaration) yield { kind: 'declaration', declaration }
    }
    at = block?.to ?? stop
  }
}

/** Nothing where a browser would pass over it. */
function declarationOf({ tokens, from, to }: Range): Declaration | undefined {
  const name = tokens[from]
  const at = tokens[from + 1]?.kind === 'blank' ? from + 2 : from + 1
  if (name?.kind !== 'name' || !isSign(tokens[at], ':')) return undefined
  const property = name.text
  const bang = findSign({ tokens, from: at, to }, '!)]}')
  const value = asWritten({ tokens, from: at + 1, to: bang })
  const rest = asWritten({ tokens, from: bang, to })
  if (rest !== '' && !/^! ?important$/.test(rest)) return undefined
  const important = rest !== ''
  return {
    property: property.startsWith('--') ? property : property.toLowerCase(),
    value,
    important,
  }
}

export const declarationsOf = (range: Range): Declaration[] =>
  [...itemsOf(range, 'declarations')].flatMap((item) =>
    item.kind === 'declaration' ? [item.declaration] : [],
  )

/** The parts of a plain text between separators that stand outside of brackets. */
export function split(text: string, separators: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    const char = text.charAt(at)
    if (char === '(' || char === '[' || char === '{') depth++
    else if (char === ')' || char === ']' || char === '}') depth--
    else if (char === '' || (depth === 0 && separators.includes(char))) {
      const part = text.slice(start, at).replace(/^ +| +$/g, '')
      if (part !== '') parts.push(part)
      start = at + 1
    }
  }
  return parts
}
