/** Reads CSS as a browser does where text can be hidden: comments, strings, escapes, brackets. */

export interface Declaration {
  property: string
  /** Lower case, without escapes, comments and needless blanks. */
  value: string
  important: boolean
}

const closers: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

/** Where the first of these characters stands outside of strings and brackets, or the end. */
export function find(css: string, from: number, stops: string): number {
  const open: string[] = []
  for (let at = from; at < css.length; at++) {
    const char = css.charAt(at)
    if (char === '\\') at++
    else if (char === '"' || char === "'") at = stringEnd(css, at)
    else if (open.length === 0 && stops.includes(char)) return at
    else if (char === open.at(-1)) open.pop()
    else if (closers[char]) open.push(closers[char])
  }
  return css.length
}

/** The parts between separators that stand outside of strings and brackets. */
export function split(css: string, separators: string): string[] {
  const parts: string[] = []
  for (let at = 0; at <= css.length; ) {
    const stop = find(css, at, separators)
    const part = css.slice(at, stop).trim()
    if (part !== '') parts.push(part)
    at = stop + 1
  }
  return parts
}

function stringEnd(css: string, start: number): number {
  const quote = css.charAt(start)
  for (let at = start + 1; at < css.length; at++) {
    const char = css.charAt(at)
    if (char === '\\') at++
    else if (char === quote || char === '\n') return at
  }
  return css.length
}

export function withoutComments(css: string): string {
  const kept: string[] = []
  let from = 0
  for (let at = 0; at < css.length; at++) {
    const char = css.charAt(at)
    if (char === '\\') at++
    else if (char === '"' || char === "'") at = stringEnd(css, at)
    else if (char === '(' && isBareAddress(css, at)) at = end(css, ')', at)
    else if (char === '/' && css.charAt(at + 1) === '*') {
      kept.push(css.slice(from, at))
      at = end(css, '*/', at + 2) + 1
      from = at + 1
    }
  }
  kept.push(css.slice(from))
  return kept.join('')
}

/** `url(…)` without quotes may hold what looks like a comment. */
const isBareAddress = (css: string, at: number) =>
  /^url$/i.test(css.slice(Math.max(0, at - 3), at)) && !/^\s*["']/.test(css.slice(at + 1, at + 20))

function end(css: string, mark: string, from: number): number {
  const at = css.indexOf(mark, from)
  return at === -1 ? css.length : at
}

export const unescaped = (css: string): string =>
  css.replace(/\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi, (_, hex: string | undefined, char: string) => {
    if (hex === undefined) return char === '\n' ? '' : char
    const code = Number.parseInt(hex, 16)
    return code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
  })

/** Of a block without comments. Rules inside of it are passed over. */
export function declarations(block: string): Declaration[] {
  const found: Declaration[] = []
  for (let at = 0; at < block.length; ) {
    const stop = find(block, at, ';{}')
    if (block.charAt(stop) === '{') {
      at = find(block, stop + 1, '}') + 1
      continue
    }
    const chunk = block.slice(at, stop)
    const colon = chunk.indexOf(':')
    if (colon !== -1) {
      const property = unescaped(chunk.slice(0, colon)).trim()
      const value = closed(unescaped(chunk.slice(colon + 1)))
        .trim()
        .replace(/\s+/g, ' ')
        .toLowerCase()
      const bang = value.lastIndexOf('!')
      const important = bang !== -1 && /^! ?important$/.test(value.slice(bang))
      found.push({
        property: property.startsWith('--') ? property : property.toLowerCase(),
        value: important ? value.slice(0, bang).trim() : value,
        important,
      })
    }
    at = stop + 1
  }
  return found
}

/** The end of a style closes what is still open. */
function closed(value: string): string {
  const open = value.split('(').length - value.split(')').length
  return open > 0 && open < 20 ? value + ')'.repeat(open) : value
}
