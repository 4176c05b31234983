/** The quick way to read front matter says what the parser says, or nothing. */
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../test/support/seeded-random.ts'
import { brokenNotes } from '../../../test/support/vault/broken-notes.ts'
import { sourceOf } from '../../../test/support/vault/note-pieces.ts'
import { randomNote } from '../../../test/support/vault/random-notes.ts'
import { trickyNotes } from '../../../test/support/vault/tricky-notes.ts'
import { parseFrontMatter } from './front-matter.ts'
import { decodeNote, splitNote } from './note-text.ts'
import { simpleValues } from './simple-values.ts'

/** Whether it was simple. */
function expectSame(note: string | Buffer): boolean {
  let parts: ReturnType<typeof splitNote>
  try {
    parts = splitNote(decodeNote(Buffer.from(note)))
  } catch {
    return false // no block to be read
  }
  const values = parts.block ? simpleValues(parts.block.yaml) : undefined
  if (values) expect(values).toEqual(parseFrontMatter(parts).values)
  return values !== undefined
}

const inFences = (yaml: string) => `---\n${yaml}\n---\n`

const simple = [
  ...['status: pending', 'a: one\nb: two words', 'a:\nb: x', 'a:', 'date: 2026-01-02', 'a: x  '],
  ...['tags:\n  - one\n  - two\nb: x', 'tags:\n- one\n- two', 'a: x\n\nb: y', 'a: naïve (so)'],
  ...['tags:\n\n  - one', 'yes: no', 'a: NaN', 'a-b: c.d/e+f', 'a: nULLs', ''],
]
const others = [
  ...['a: 1', 'a: true', 'a: Null', 'a: ~', 'a: "x"', "a: 'x'", 'a: [x]', 'a: {b: c}', 'a: &b x'],
  ...['a: *b', 'a: !x y', 'a: |\n  x', 'a: x # y', 'a: b: c', 'a: x\na: y', 'a: x\n  y', 'a:x'],
  ...['a:\n  b: c', 'a:\n  - b: c', 'a:\n  - - b', 'a:\n  - b\n - c', 'a: x\n- y', '- x', '# x'],
  ...['a:\n\t- x', '\ta: x', ' a: x', '"a": x', '? a\n: x', 'a: .inf', 'a: 12:30', 'null: x'],
  ...[
    'a:\n  -',
    'a:\n  - x\n  y',
    'a: x\r',
    'a: x\u2028y',
    'a: x\0',
    '---\na: x',
    'a: x\n...',
    '%a',
  ],
]

describe('simple front matter', () => {
  it.each(simple)('is read without the parser: %j', (yaml) => {
    expect(expectSame(inFences(yaml))).toBe(true)
    expect(expectSame(inFences(yaml).replaceAll('\n', '\r\n'))).toBe(true)
  })

  it.each(others)('is not this: %j', (yaml) => {
    expect(simpleValues(yaml)).toBeUndefined()
  })

  it('is nothing that is hard to read, or cannot be', () => {
    for (const { text } of trickyNotes) expectSame(text)
    for (const { bytes } of brokenNotes) expect(expectSame(bytes)).toBe(false)
  })

  it('is what the parser says of random notes', () => {
    const random = seededRandom()
    for (let round = 0; round < 2000; round++) {
      const { bom, open, pieces, close, body } = randomNote(random)
      expectSame([bom, open, ...pieces.map(sourceOf), close, body].join(''))
    }
  })

  it('is what the parser says of random lines', () => {
    const random = seededRandom()
    const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
    const parts = [
      ...'ab:- #\n',
      '\n',
      '\n',
      ': ',
      '\n  - ',
      '\n- ',
      ' - ',
      'x',
      'é',
      '.',
      '1',
      'true',
      '\r\n',
      '\t',
    ]
    let count = 0
    for (let round = 0; round < 20_000; round++) {
      const yaml = Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick(parts)).join('')
      const values = simpleValues(yaml)
      if (!values) continue
      count++
      expect([yaml, values]).toEqual([yaml, parseFrontMatter(splitNote(inFences(yaml))).values])
    }
    expect(count).toBeGreaterThan(100)
  })
})
