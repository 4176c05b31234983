/** Refuses a database in which definitions that are not ours would change what is said or stored in ours. */
import { definitions, inTheWay } from './schema.ts'
import { type Row, StoreError, text } from './store.ts'

/** The lines of a table's definition, by its name. */
interface Lines {
  /** With which it was made. */
  first: string[]
  /** Which it got later. */
  later: string[]
}

let own: Map<string, Lines> | undefined

export const isOwnTable = (name: string): boolean => ownLines().has(name.toLowerCase())

/**
 * Whoever has a file in a repository can define in it what they like. A trigger changes what is
 * written, and a view is found in place of a table. Other tables may stand beside ours, and an index
 * changes nothing.
 *
 * @param rows of `sqlite_master`, with `name` and `sql`.
 */
export function checkKinds(rows: Row[]): void {
  for (const { name, sql } of rows.map(definitionOf)) {
    if (/^CREATE (VIRTUAL TABLE|TABLE|INDEX|UNIQUE INDEX) /i.test(sql)) continue
    throw foreignDefinition(/^CREATE (\w+)/i.exec(sql)?.[1] ?? 'definition', name)
  }
}

/** The same, and none has the name of ours and other rules: no key, a conflict that replaces, a key that cascades. */
export function checkDefinitions(rows: Row[]): void {
  checkKinds(rows)
  for (const { name, sql } of rows.map(definitionOf)) {
    if (isOwnTable(name) && !isIndex(sql) && !isAsWeMakeIt(name, sql)) {
      throw inTheWay(name)
    }
  }
}

const isIndex = (sql: string) => /^CREATE (UNIQUE )?INDEX /i.test(sql)

const definitionOf = ({ name, sql }: Row) => ({
  name: text(name),
  sql: text(sql).replace(/\s+/g, ' ').trim(),
})

export const foreignDefinition = (kind: string, name: string) =>
  new StoreError(
    'unreadable',
    `it has a ${kind.toLowerCase()} "${name}" that is not of AgentMail`,
    'A trigger or view can change what agents say to each other: drop it, or name another database with --db. A file that came with a repository is best removed.',
  )

function isAsWeMakeIt(name: string, sql: string): boolean {
  const lines = linesIn(sql)
  const { first, later } = ownLines().get(name) ?? { first: [], later: [] }
  return (
    lines !== undefined &&
    first.every((line) => lines.includes(line)) &&
    lines.every((line) => first.includes(line) || later.includes(line))
  )
}

function ownLines(): Map<string, Lines> {
  if (own) return own
  own = new Map()
  for (const statement of definitions) {
    const sql = statement.replace(/\s+/g, ' ')
    const [, made] = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/.exec(sql) ?? []
    if (made) own.set(made, { first: linesIn(sql) ?? [], later: [] })
    const [, changed = '', line = ''] = /^ALTER TABLE (\w+) ADD COLUMN (.+)$/.exec(sql) ?? []
    own.get(changed)?.later.push(line)
  }
  return own
}

/** Nothing where there is more to it than lines. */
function linesIn(sql: string): string[] | undefined {
  const [, lines] = /^CREATE TABLE [^(]+\((.*)\)$/.exec(sql) ?? []
  return lines?.split(/,(?![^(]*\))/).map((line) => line.trim())
}
