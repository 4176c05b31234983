/** One key of a TOML text is set or taken out, and every other byte stays. */
import { parse, stringify } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { positionOf, rootStatements, withKey, withoutKey } from './toml-lines.ts'

/** As people write them. */
const texts: [what: string, text: string][] = [
  ['an empty text', ''],
  ['comments alone', '# mine\n\n  # and more\n'],
  ['no line break at the end', '# mine\na = 1'],
  ['CRLF', '# mine\r\na = 1 # one\r\n\r\nport = 1\r\n'],
  ['a byte order mark', '\ufeffport = 1\na = 2\n'],
  ['a byte order mark and nothing else', '\ufeff'],
  ['odd blanks', '\t a=1\n  port   =\t5  \t# five\n\n\nb  =  "x"   '],
  ['strings that look like more', `a = "port = 3 # no"\nb = 'port = 4'\nc = "\\"\\\\"\nport = 1\n`],
  [
    'strings of several lines',
    `a = """\nport = 3\n"" x\\\n  y"""""\nb = '''\nport = 4\n''''\nport = 5 # z\n`,
  ],
  ['lists of several lines', 'a = [ # first\n  "x]", # port = 2\n  [1, 2],\n]\nport = 1\n'],
  ['inline tables', 'a = { b = { c = "}" }, port = 3 }\nport = 1\n'],
  ['a quoted key', '"port" = 1\n"a b" = 2\n\'c#d\' = 3\n'],
  ['dotted keys', 'a.port = 1\na."x.y" = 2\n'],
  ['tables below', 'a = 1\n\n# of the table\n[table]\nport = 2\n[[list]]\nport = 3\n'],
  ['tables alone', '# a head\n\n# of the table\n[table]\nport = 2\n'],
  ['a table and its comment at the top', '# of the table\n[table]\nport = 2\n'],
  ['dates and floats', 'a = 1979-05-27T07:32:00Z\nb = 1e3\nc = inf\nport = 0x1F\n'],
]

const edited = (text: string) => withKey(text, 'port', '9000')

describe('a TOML text', () => {
  it.each(texts)('takes a value: %s', (_, text) => {
    const before = parse(text.replace('\ufeff', ''))
    const after = edited(text)
    expect(parse(after.replace('\ufeff', ''))).toEqual({ ...before, port: 9000 })
    const lines = new Set(after.split('\n'))
    const kept = text.split('\n').filter((line) => !/^[\s\ufeff]*"?port/.test(line))
    for (const line of kept.slice(0, -1)) expect(lines).toContain(line)
    expect(edited(after)).toBe(after)
  })

  it.each(texts)('loses it again, and is as before where it was not there: %s', (_, text) => {
    const { port, ...rest } = parse(text.replace('\ufeff', ''))
    const without = withoutKey(edited(text), 'port')
    expect(parse(without.replace('\ufeff', ''))).toEqual(rest)
    const isEnded = text.replace('\ufeff', '') === '' || text.endsWith('\n')
    if (port === undefined && isEnded) expect(without).toBe(text)
    if (port === undefined) expect(withoutKey(text, 'port')).toBe(text)
  })

  it('keeps what stands behind a value on its line', () => {
    expect(edited('port = 1 # why\n')).toBe('port = 9000 # why\n')
    expect(edited('port = 1\t\r\n')).toBe('port = 9000\t\r\n')
  })

  it('ends its lines as the others end', () => {
    expect(edited('a = 1\r\n')).toBe('a = 1\r\nport = 9000\r\n')
    expect(edited('a = 1')).toBe('a = 1\nport = 9000\n')
  })

  it('takes a new key above its tables, and not between one and its comment', () => {
    expect(edited('# head\n\n# of t\n[t]\n')).toBe('# head\n\nport = 9000\n# of t\n[t]\n')
  })

  it('tells where a key stands, as editors count', () => {
    const text = '\ufeff# one\n\n  port = 1\n[ server ]\n'
    expect(positionOf(text, 'port')).toEqual({ line: 3, column: 3 })
    expect(positionOf(text, 'server')).toEqual({ line: 4, column: 1 })
    expect(positionOf('token=1', 'token')).toEqual({ line: 1, column: 1 })
  })

  it('is read to its end, whatever it holds', () => {
    const long = `a = [${'[1], '.repeat(5000)}]\n${'b'.repeat(20_000)} = "${'\\"'.repeat(10_000)}"\n`
    expect(rootStatements(long).statements).toHaveLength(2)
    expect(rootStatements('"'.repeat(60_000)).statements.length).toBeLessThanOrEqual(1)
    expect(rootStatements(`a = ${'"""'.repeat(20_000)}`).statements).toHaveLength(1)
  })

  it('takes any text as a value', () => {
    for (const value of ['"', '\\', "it's", 'a\nb', '\u0000\u007f\u2028', '# no', '日本', ']']) {
      const literal = stringify({ v: value }).replace(/^v = /, '').trimEnd()
      expect(parse(withKey('a = 1\n', 'agent', literal))).toEqual({ a: 1, agent: value })
    }
  })
})
