/** Reading front matter: every tricky note comes to what it says, every broken one is refused where it is broken. */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { isLong } from '../../../test/support/parts.ts'
import { brokenNotes } from '../../../test/support/vault/broken-notes.ts'
import { trickyNotes } from '../../../test/support/vault/tricky-notes.ts'
import { AgentMailError } from '../../errors.ts'
import { parseFrontMatter } from './front-matter.ts'
import { decodeNote, joinNote, splitNote } from './note-text.ts'

const read = (text: string) => parseFrontMatter(splitNote(text)).values
const readBlock = (yaml: string) => read(`---\n${yaml}---\n`)

function refusal(act: () => unknown): AgentMailError {
  try {
    act()
  } catch (error) {
    if (AgentMailError.is(error)) return error
    throw error
  }
  throw new Error('it was read')
}

describe('a tricky note', () => {
  it('comes in more than 37 kinds, and a broken one in more than 22', () => {
    expect(trickyNotes.length).toBeGreaterThan(37)
    expect(brokenNotes.length).toBeGreaterThan(22)
  })

  it.each(trickyNotes)('is read as it says: $name', ({ text, values, body }) => {
    const found = parseFrontMatter(splitNote(text)).values
    // Node's own comparison, since the one of the test runner does not see `__proto__`.
    expect(isDeepStrictEqual(found, values), JSON.stringify(found)).toBe(true)
    expect(splitNote(text).body).toBe(body)
  })

  it.each(trickyNotes)('is the sum of its parts: $name', ({ text }) => {
    expect(joinNote(splitNote(decodeNote(Buffer.from(text))))).toBe(text)
  })
})

describe('a broken note', () => {
  it.each(brokenNotes)('is refused where it is broken: $name', ({ bytes, line, column }) => {
    const error = refusal(() => read(decodeNote(bytes)))
    expect(error.message).toMatch(/^the (?:note|front matter) cannot be read: [a-z0-9_[{*]/)
    expect(error.message).toMatch(new RegExp(`\\(line ${line}, column ${column}\\)$`))
    expect(error).toMatchObject({ code: 'parse_error', details: { line, column } })
    expect(error.next).toBeTruthy()
  })
})

describe('a note', () => {
  it.each([
    ['', ''],
    ['---', '---'],
    ['----\na: 1\n---\n', '----\na: 1\n---\n'],
    ['---js\nprocess.exit()\n---\n', '---js\nprocess.exit()\n---\n'],
    ['--- a\n---\n', '--- a\n---\n'],
    ['\n---\na: 1\n---\n', '\n---\na: 1\n---\n'],
    [' ---\na: 1\n---\n', ' ---\na: 1\n---\n'],
    ['---\r---\r', '---\r---\r'],
  ])('without a fence of its own on the first line is all body: %j', (text, body) => {
    expect(splitNote(text)).toEqual({ bom: '', block: null, body })
    expect(read(text)).toEqual({})
  })

  it('ends its block at a line of its own only', () => {
    const yaml = 'a: x\n---y: 1\n --- \nb: "\u2028---"\n----: 2\n'
    const text = `---\n${yaml}---\t\r\nbody`
    expect(splitNote(text).block).toEqual({ open: '---\n', yaml, close: '---\t\r\n' })
  })

  it('keeps a second BOM as text', () => {
    expect(splitNote('\ufeff\ufeffx')).toEqual({ bom: '\ufeff', block: null, body: '\ufeffx' })
  })

  it.each(['', '\n', '# c\n', '  \n\t\n', '--- # c\n'])(
    'with nothing but %j in its block has no keys',
    (yaml) => {
      expect(readBlock(yaml)).toEqual({})
    },
  )

  it('may use aliases as long as they stand for little', () => {
    expect(readBlock(`a: &a [1, 2]\nb: [${'*a, '.repeat(3000)}]\n`).b).toHaveLength(3000)
  })

  it('may be nested, though not without end', () => {
    expect(JSON.stringify(readBlock(`a: ${'['.repeat(90)}${']'.repeat(90)}\n`))).toHaveLength(186)
  })

  it('gets nothing constructed and nothing printed, whatever its tags and keys', () => {
    const spies = [vi.spyOn(console, 'warn'), vi.spyOn(process, 'emitWarning')]
    const yaml = '? {a: 1}\n: !!map [1]\nb: !x/y {c: !!int "3"}\n? [d]\n: !!float x\n'
    expect(readBlock(yaml)).toEqual({ '{a: 1}': [1], b: { c: 3 }, '[d]': 'x' })
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })
})

describe('a hostile block', () => {
  const size = isLong ? 1_000_000 : 20_000
  const pieces = ['&a ', '[', '{', '- ', '? ', ': ', '!a ', '*a ', '[a: ', '[]', ']', '}', '{a: [']
  const lines = ['"', "'", '? a\n', 'a:\n', '- #\n', '...\n', '--- a\n', '%a\n', '"\n', 'a: [\n']

  it.each([...pieces, ...lines])('that repeats %j is refused', (piece) => {
    const yaml = `${piece.repeat(Math.ceil(size / piece.length))}\n`
    expect(refusal(() => readBlock(yaml)).code).toBe('parse_error')
  })

  it('that is indented ever deeper is refused', () => {
    const yaml = Array.from({ length: 1500 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')
    expect(refusal(() => readBlock(yaml)).message).toContain('nested too deep')
  })

  it('is read where it is only large', () => {
    const count = Math.min(size / 10, 20_000)
    const keys = Array.from({ length: count }, (_, index) => `key${index}: ${index}\n`).join('')
    expect(Object.keys(readBlock(keys))).toHaveLength(count)
    const text = 'x'.repeat(size)
    expect(readBlock(`a: ${text}\nb: "${text}"\nc: |\n  ${text}\n`).c).toBe(`${text}\n`)
    expect(readBlock(`a: ${'9'.repeat(size)}\n`).a).toBe('9'.repeat(size))
    expect(readBlock(`a: ${'\n  x'.repeat(size / 4)}\n`).a).toHaveLength(size / 2 - 1)
  })
})
