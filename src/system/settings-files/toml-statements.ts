/** Where each header and each entry of a TOML file begins and ends; strings and lists over several lines are one. */

export interface TomlStatement {
  /** The table that it is in, or opens. */
  table: string[]
  /** The key of an entry, in its parts; nothing for a header. */
  key?: string[]
  /** From its first character, with the blanks before it on its line. */
  from: number
  /** To the end of what it says. */
  end: number
  /** To the beginning of the next line. */
  to: number
}

/** Of a file that parses. */
export function statementsOf(text: string): TomlStatement[] {
  const statements: TomlStatement[] = []
  let table: string[] = []
  for (let at = 0; at < text.length; ) {
    const start = at + blanksAt(text, at)
    const end = endOfStatement(text, start)
    const newline = text.indexOf('\n', end)
    const to = newline === -1 ? text.length : newline + 1
    const says = text.slice(start, end).trimEnd()
    const place = { from: at, end: start + says.length, to }
    if (says.startsWith('[')) {
      table = keysOf(says.replace(/^\[\[?/, ''))
      statements.push({ ...place, table })
    } else if (says !== '') {
      statements.push({ ...place, table, key: keysOf(says) })
    }
    at = to
  }
  return statements
}

/** Where a comment or the end of the line is that is in no string and no list. */
function endOfStatement(text: string, start: number): number {
  const token = /"""|'''|["'[\]{}#\n]/g
  token.lastIndex = start
  for (let depth = 0; ; ) {
    const found = token.exec(text)
    if (!found) return text.length
    const [mark] = found
    if (/["']/.test(mark)) token.lastIndex = endOfString(text, found.index, mark)
    else if (mark === '[' || mark === '{') depth++
    else if (mark === ']' || mark === '}') depth--
    else if (depth <= 0) return found.index
    else if (mark === '#') {
      const newline = text.indexOf('\n', found.index)
      token.lastIndex = newline === -1 ? text.length : newline
    }
  }
}

function endOfString(text: string, start: number, quote: string): number {
  const hasEscapes = quote.startsWith('"')
  for (let at = start + quote.length; at < text.length; at++) {
    if (hasEscapes && text[at] === '\\') at++
    else if (text.startsWith(quote, at)) {
      let end = at + quote.length
      // One or two quotes may stand right before the three that end it.
      while (quote.length === 3 && text[end] === quote[0] && end < at + 5) end++
      return end
    }
  }
  return text.length
}

/** The parts of a key up to what ends it. */
function keysOf(text: string): string[] {
  const keys: string[] = []
  const part = /[ \t]*("(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)[ \t]*(\.?)/y
  for (let found = part.exec(text); found; found = part.exec(text)) {
    const [, key = '', dot] = found
    keys.push(key.startsWith('"') ? unescaped(key) : key.replaceAll("'", ''))
    if (dot === '') break
  }
  return keys
}

function unescaped(key: string): string {
  try {
    return String(JSON.parse(key))
  } catch {
    return key // with an escape that JSON does not know: none of ours
  }
}

function blanksAt(text: string, at: number): number {
  const blanks = /[ \t]*/y
  blanks.lastIndex = at
  return blanks.exec(text)?.[0].length ?? 0
}
