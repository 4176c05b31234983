/** Editing notes: the rules by which a block comes, changes and goes, and how new values are written. */
import { describe, expect, it } from 'vitest'
import { AgentMailError } from '../../errors.ts'
import { parseFrontMatter } from './front-matter.ts'
import { editNote } from './front-matter-edit.ts'
import { splitNote } from './note-text.ts'

function read(text: string) {
  const parts = splitNote(text)
  return { parts, frontMatter: parseFrontMatter(parts) }
}

const edit = (text: string, values: Record<string, unknown>, body = splitNote(text).body) =>
  editNote(read(text), values, body)

/** The block of a new note. */
const written = (values: Record<string, unknown>) =>
  splitNote(editNote(undefined, values, '')).block?.yaml

function refusal(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (AgentMailError.is(error) && error.code === 'invalid_request') return error.text
    throw error
  }
  throw new Error('it was written')
}

describe('a block', () => {
  it('is made for the first key, with the line ends that the note has', () => {
    expect(editNote(undefined, { a: 1 }, 'x')).toBe('---\na: 1\n---\nx')
    expect(edit('one\r\ntwo\n', { a: 1 })).toBe('---\r\na: 1\r\n---\r\none\r\ntwo\n')
    expect(edit('\ufeffone', { a: 1 })).toBe('\ufeff---\na: 1\n---\none')
  })

  it('is not made for nothing', () => {
    expect(editNote(undefined, {}, 'x')).toBe('x')
    expect(edit('\ufeffx', {}, 'y')).toBe('\ufeffy')
  })

  it.each(['---\na: 1\n---\n', '---', '---js\n', '----', '\ufeffx'])(
    'is made empty before the body %j, which could be taken for something else',
    (body) => {
      expect(editNote(undefined, {}, body)).toBe(`---\n---\n${body}`)
      expect(edit('\ufeff---\r\na: 1\r\n---\r\nx', {}, body)).toBe(`\ufeff---\r\n---\r\n${body}`)
    },
  )

  it('goes with its last key, if nothing but blanks is left', () => {
    expect(edit('\ufeff---\n\na: 1\n  \n---\nx', {})).toBe('\ufeffx')
    expect(edit('---\n# c\na: 1\n---\nx', {})).toBe('---\n# c\n---\nx')
  })

  it('stays where it had no key before', () => {
    expect(edit('---\n\n---\nx', {}, 'y')).toBe('---\n\n---\ny')
    expect(edit('---js\nx', {})).toBe('---js\nx')
  })

  it('gets a line end after its last fence when a body comes', () => {
    expect(edit('---\r\na: 1\r\n---', { a: 1 }, 'x')).toBe('---\r\na: 1\r\n---\r\nx')
    expect(edit('---\na: 1\n---', { a: 2 }, '')).toBe('---\na: 2\n---')
  })
})

describe('a pair', () => {
  it('keeps its place whatever the order of the caller', () => {
    const text = '---\nb: 1\na: 2\n---\n'
    expect(edit(text, { z: 0, a: 3, b: 1, y: 0 })).toBe('---\nb: 1\na: 3\nz: 0\ny: 0\n---\n')
  })

  it('keeps the comment behind it when its value changes its form', () => {
    expect(edit('---\na: 1  # c\n---\n', { a: ['x'] })).toBe('---\na:  # c\n  - x\n---\n')
    expect(edit('---\na: # c\n  - x\n---\n', { a: 1 })).toBe('---\na: 1 # c\n---\n')
    expect(edit('---\na: | # c\n  x\n---\n', { a: 'y' })).toBe('---\na: y # c\n---\n')
    expect(edit('---\na: x # c\n---\n', { a: null })).toBe('---\na: # c\n---\n')
  })

  it('that goes leaves the comments above it', () => {
    expect(edit('---\n# about a\na: 1 # one\n# about b\nb: 2\n---\n', { b: 2 })).toBe(
      '---\n# about a\n# about b\nb: 2\n---\n',
    )
  })

  it('keeps its list in brackets', () => {
    expect(edit('---\na: [x]\nb: []\n---\n', { a: ['x', 'y, z'], b: [1] })).toBe(
      '---\na: [x, "y, z"]\nb: [1]\n---\n',
    )
  })

  it('is written out when the anchor goes that it leads to', () => {
    const text = '---\na: &x [1]\nb: *x\nc: &y {d: *x}\ne: *y\nf: 1\n---\n'
    const values = { b: [1], c: { d: [1] }, e: { d: [1] }, f: 1 }
    expect(edit(text, values)).toBe('---\nb:\n  - 1\nc: {d: [1]}\ne:\n  d:\n    - 1\nf: 1\n---\n')
  })

  it('in braces comes and goes with its comma', () => {
    const text = '---\n{a: 1, b: 2, c: 3}\n---\n'
    expect(edit(text, { a: 1, c: 3 })).toBe('---\n{a: 1, c: 3}\n---\n')
    expect(edit(text, { b: 2 })).toBe('---\n{b: 2}\n---\n')
    expect(edit(text, { d: 'x y' })).toBe('---\n{d: x y}\n---\n')
    expect(edit(text, {})).toBe('---\n{}\n---\n')
    expect(edit('---\n{a: 1,}\n---\n', {})).toBe('---\n{}\n---\n')
    expect(edit('---\n{}\n---\n', { a: [1] })).toBe('---\n{a: [1]}\n---\n')
  })
})

describe('a new value', () => {
  it.each([
    ['two words', 'two words'],
    ['2026-01-01', '2026-01-01'],
    ['2026-01-01T12:30:00Z', '2026-01-01T12:30:00Z'],
    ['https://example.org/?a=b#c', 'https://example.org/?a=b#c'],
    ['日本 🎉', '日本 🎉'],
    ['1.2.3', '1.2.3'],
    ['3 apples', '3 apples'],
    ['[[A note]]', '"[[A note]]"'],
    ['Re: x', '"Re: x"'],
    ['a #b', '"a #b"'],
    ['#tag', '"#tag"'],
    ['@me', '"@me"'],
    ['42', '"42"'],
    ['01234', '"01234"'],
    ['0x1F', '"0x1F"'],
    ['1e3', '"1e3"'],
    ['.inf', '".inf"'],
    ['true', '"true"'],
    ['Yes', '"Yes"'],
    ['null', '"null"'],
    ['~', '"~"'],
    ['12:30', '"12:30"'],
    ['', '""'],
    [' x', '" x"'],
    ['x:', '"x:"'],
    ['a\tb', '"a\\tb"'],
    ['\u0085\u2028\ufeff', '"\\u0085\\u2028\\ufeff"'],
    ['\ud800', '"\\ud800"'],
    ['one\r\ntwo', '"one\\r\\ntwo"'],
    ['one\n\n', '"one\\n\\n"'],
    [' one\ntwo', '" one\\ntwo"'],
    ['one\ntwo', '|-\n  one\n  two'],
    ['one\n\n  two\n', '|\n  one\n\n    two'],
    [0.5, '0.5'],
    [-0, '0'],
    [1e20, '1e+20'],
    [-1e300, '-1e+300'],
    [9007199254740991, '9007199254740991'],
    [[], '[]'],
    [{}, '{}'],
    [false, 'false'],
  ])('of %j is written as %j', (value, text) => {
    expect(written({ key: value })).toBe(`key: ${text}\n`)
  })

  it('that is a list or a map has a line for each of its values', () => {
    const value = ['a', null, ['b', ['c']], { d: 1, e: ['x\ny'], f: null }, [], {}]
    const lines = ['- a', '- null', '- - b', '  - - c', '- d: 1', '  e:', '    - |-', '      x']
    const rest = ['      y', '  f:', '- []', '- {}', '']
    expect(written({ key: value })).toBe(`${['key:', ...lines, ...rest].join('\n  ').trimEnd()}\n`)
    expect(written({ key: null })).toBe('key:\n')
  })

  it('may have any text for its key', () => {
    const keys = [
      'a b',
      '1',
      'true',
      '- x',
      '? y',
      '#',
      '',
      'a: b',
      '---',
      '...',
      '\n',
      '__proto__',
    ]
    const values = Object.fromEntries([...keys, '\ud800', '"', '<<', 'é'].map((key) => [key, 1]))
    const found = read(editNote(undefined, values, '')).frontMatter.values
    expect(Object.entries(found)).toEqual(Object.entries(values))
  })
})

describe('what cannot be written', () => {
  it('is refused, and nothing is done', () => {
    let deep: unknown = 1
    for (let depth = 0; depth < 20_000; depth++) deep = [deep]
    expect(refusal(() => editNote(undefined, { deep }, ''))).toContain('nested too deep')
    expect(refusal(() => editNote(undefined, { ['k'.repeat(2000)]: 1 }, ''))).toContain('read back')
    expect(refusal(() => editNote(undefined, {}, 'half \ud83d'))).toContain('Nothing was written')
  })

  it('is not what an object carries without being JSON', () => {
    expect(written({ a: undefined, b: [Number.NaN] })).toBe('b:\n  - null\n')
  })
})
