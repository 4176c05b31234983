/** A TOML file of somebody else: tables of ours are put in, changed and taken out, and every other byte stays. */
import { isDeepStrictEqual } from 'node:util'
import { parse, stringify, TomlError } from 'smol-toml'
import { AgentMailError } from '../errors.ts'
import { statementsOf } from '../system/settings-files/toml-statements.ts'
import { isRecord } from '../system/text.ts'

export type TomlTable = Record<string, unknown>

/** Only tables with a header of their own are understood: what is written otherwise is refused, with what to write by hand. */
export class TomlDocument {
  readonly #bom: string
  #text: string
  #value: TomlTable

  /** @throws where it is no TOML, with the line and column. */
  constructor(text: string) {
    this.#bom = text.startsWith('\ufeff') ? '\ufeff' : ''
    this.#text = text.slice(this.#bom.length)
    this.#value = parsed(this.#text)
  }

  get text(): string {
    return this.#bom + this.#text
  }

  /** Nothing where nothing is there. */
  at(path: string[]): unknown {
    return path.reduce<unknown>(
      (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      this.#value,
    )
  }

  /** The table at this path has these entries and no others. */
  set(path: string[], table: TomlTable): void {
    const there = this.at(path)
    if (isDeepStrictEqual(there, table)) return
    const text = there === undefined ? this.#added(path, table) : this.#changed(path, table)
    this.#change(path, table, text)
  }

  remove(path: string[]): void {
    if (this.at(path) === undefined) return
    const own = statementsOf(this.#text).filter(({ table }) => isBelow(table, path))
    const gone = runsOf(own.map(({ from, to }) => [from, to]))
    const text = gone.reduceRight((rest, [from, to]) => cutOut(rest, from, to), this.#text)
    this.#change(path, undefined, text)
  }

  #change(path: string[], table: TomlTable | undefined, text: string): void {
    const value = safelyParsed(text)
    const expected = withTable(this.#value, path, table)
    // A table that stood there only as the beginning of our header goes with it.
    const [outer = ''] = path
    const isImplied = table === undefined && isDeepStrictEqual(expected[outer], {})
    const without = isImplied ? withTable(this.#value, [outer]) : expected
    const isMeant = [expected, without].some((one) => isDeepStrictEqual(value, one))
    if (value === undefined || !isMeant) throw byHand(path, table)
    this.#text = text
    this.#value = value
  }

  #added(path: string[], table: TomlTable): string {
    const eol = this.#eol()
    const text = this.#text
    const gap = text.trim() === '' ? '' : text.endsWith('\n') ? eol : eol + eol
    const lines = [`[${path.map(keyText).join('.')}]`, ...Object.entries(table).map(lineOf)]
    return `${text}${gap}${lines.join(eol)}${eol}`
  }

  /** Statement by statement, so that comments between them stay. */
  #changed(path: string[], table: TomlTable): string {
    const own = statementsOf(this.#text).filter(({ table: at }) => isDeepStrictEqual(at, path))
    const header = own.find(({ key }) => key === undefined)
    if (!header) throw byHand(path, table)
    const [eol, there] = [this.#eol(), this.at(path)]
    const old = isRecord(there) ? there : {}
    const isSame = (key: string) => isDeepStrictEqual(old[key], table[key])
    const edits = own.flatMap(({ key, from, to, end }): [number, number, string][] => {
      const name = key?.[0]
      if (name === undefined || isSame(name)) return []
      if (key?.length !== 1) throw byHand(path, table)
      return [table[name] === undefined ? [from, to, ''] : [from, end, lineOf([name, table[name]])]]
    })
    const missing = Object.entries(table).filter(([key]) => !Object.hasOwn(old, key))
    const last = own.at(-1) ?? header
    const isOpen = !this.#text.slice(last.from, last.to).endsWith('\n')
    const lines = missing.map((entry) => `${lineOf(entry)}${eol}`).join('')
    edits.push([last.to, last.to, lines === '' ? '' : `${isOpen ? eol : ''}${lines}`])
    return edits
      .sort(([one], [other]) => other - one)
      .reduce((text, [from, to, by]) => text.slice(0, from) + by + text.slice(to), this.#text)
  }

  #eol(): string {
    return this.#text.includes('\r\n') ? '\r\n' : '\n'
  }
}

const isBelow = (table: string[], path: string[]): boolean =>
  path.every((key, index) => table[index] === key)

const keyText = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))

const lineOf = ([key, value]: [string, unknown]): string =>
  isRecord(value)
    ? `${keyText(key)} = { ${Object.entries(value).map(lineOf).join(', ')} }`
    : stringify({ [key]: value }).trimEnd()

/** Neighbours as one, with the comments between them. */
function runsOf(ranges: [number, number][]): [number, number][] {
  const runs: [number, number][] = []
  for (const [from, to] of ranges) {
    const last = runs.at(-1)
    if (last?.[1] === from) last[1] = to
    else runs.push([from, to])
  }
  return runs
}

/** With the empty line that stood before it. */
function cutOut(text: string, from: number, to: number): string {
  const before = text.slice(0, from)
  return before.replace(/(^|\n)\r?\n$/, '$1') + text.slice(to)
}

function withTable(value: TomlTable, [key = '', ...rest]: string[], table?: TomlTable): TomlTable {
  const { [key]: there, ...others } = value
  const inner = isRecord(there) ? there : {}
  if (rest.length > 0) return { ...value, [key]: withTable(inner, rest, table) }
  return table === undefined ? others : { ...value, [key]: table }
}

function parsed(text: string): TomlTable {
  try {
    return plainTable(parse(text, { integersAsBigInt: 'asNeeded' }))
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [what = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n')
    throw new AgentMailError(
      'parse_error',
      `it is no TOML: ${what} in line ${error.line}, column ${error.column}`,
      'Correct it, and run this again.',
    )
  }
}

/** As objects are everywhere else, so that two can be compared. */
const plainTable = (table: TomlTable): TomlTable =>
  Object.fromEntries(Object.entries(table).map(([key, value]) => [key, plainValue(value)]))

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue)
  return isRecord(value) && !(value instanceof Date) ? plainTable(value) : value
}

function safelyParsed(text: string): TomlTable | undefined {
  try {
    return parsed(text)
  } catch {
    return undefined
  }
}

function byHand(path: string[], table: TomlTable | undefined): AgentMailError {
  const name = path.map(keyText).join('.')
  const lines = table ? [`[${name}]`, ...Object.entries(table).map(lineOf)] : []
  return new AgentMailError(
    'bad_config',
    `its ${path[0]} are written in a way that cannot be changed safely`,
    table ? `Write there by hand:\n${lines.join('\n')}` : `Take out ${name} by hand.`,
  )
}
