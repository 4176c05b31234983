/** Where the keys of a TOML text stand, and the text with one of them set or taken out: all other bytes stay as they are. */
import { statementsOf } from './toml-statements.ts'

interface RootStatement {
  /** Nothing where it is no plain key of the text's root. */
  key: string | undefined
  /** Where its line begins. */
  start: number
  keyAt: number
  valueAt: number
  valueEnd: number
  /** Behind the end of its last line. */
  end: number
}

/** The statements before the first table, of a text that is TOML. */
export function rootStatements(text: string): { statements: RootStatement[]; tablesAt: number } {
  const skipped = text.startsWith('\ufeff') ? 1 : 0
  const all = statementsOf(text.slice(skipped))
  const header = all.findIndex(({ key }) => key === undefined)
  const entries = header === -1 ? all : all.slice(0, header)
  const statements = entries.map(({ from, end, to }) => {
    const [start, valueEnd] = [from + skipped, end + skipped]
    const written = beforeValue.exec(text.slice(start, valueEnd)) ?? []
    const [before = '', blanks = '', key = ''] = written
    const places = { start, keyAt: start + blanks.length, valueAt: start + before.length, valueEnd }
    return { key: plainKey(key.trim()), ...places, end: to + skipped }
  })
  const first = all[header]
  return { statements, tablesAt: first ? first.from + skipped : text.length }
}

const beforeValue = /^([ \t]*)((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^="'])*)=[ \t]*/

/** Dotted keys are tables, and ours need no escapes. */
const plainKey = (written: string): string | undefined =>
  /^(["']?)([A-Za-z0-9_-]+)\1$/.exec(written)?.[2]

/** With a value for the key, in place of its own or on a line behind the others. */
export function withKey(text: string, key: string, literal: string): string {
  const { statements, tablesAt } = rootStatements(text)
  const found = statements.find((statement) => statement.key === key)
  if (found) return text.slice(0, found.valueAt) + literal + text.slice(found.valueEnd)
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const at = statements.at(-1)?.end ?? aboveTables(text, tablesAt)
  const before = text.slice(0, at)
  const isOpen = before.replace('\ufeff', '') !== '' && !before.endsWith('\n')
  return `${before}${isOpen ? newline : ''}${key} = ${literal}${newline}${text.slice(at)}`
}

/** Without the key; what is said behind it on its line goes with it. */
export function withoutKey(text: string, key: string): string {
  const found = rootStatements(text).statements.find((statement) => statement.key === key)
  return found ? text.slice(0, found.start) + text.slice(found.end) : text
}

/** From 1 on, as editors count. */
export function positionOf(text: string, key: string): { line: number; column: number } {
  const { statements, tablesAt } = rootStatements(text)
  const found = statements.find((statement) => statement.key === key)
  const before = text.slice(0, found?.keyAt ?? tableAt(text, tablesAt, key)).replace('\ufeff', '')
  const lines = before.split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

/** Where the table of this name begins; the first one where there is none. */
function tableAt(text: string, from: number, key: string): number {
  const heads = [...text.slice(from).matchAll(/^[ \t]*\[{1,2}[ \t]*["']?([\w-]+)/gm)]
  return from + (heads.find(([, name]) => name === key)?.index ?? 0)
}

/** The comment right above the first table is that table's. */
function aboveTables(text: string, tablesAt: number): number {
  if (tablesAt === text.length) return text.length
  const comment = /(?:[ \t]*#.*\n)*$/.exec(text.slice(0, tablesAt))
  return Math.max(comment?.index ?? tablesAt, text.startsWith('\ufeff') ? 1 : 0)
}
