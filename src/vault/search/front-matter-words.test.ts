/** The quick way to read front matter must see what the parser sees. */
import { describe, expect, it } from 'vitest'
import { parseFrontMatter } from '../front-matter/front-matter.ts'
import { splitNote } from '../front-matter/note-text.ts'
import { readFrontMatter } from './front-matter-words.ts'

const blocks: [string, string[]][] = [
  ['key: some words', ['some words']],
  ['a: x\nb:\nc: y', ['x', 'y']],
  ['tags:\n  - one\n  - two\nb: 3', ['one', 'two', '3']],
  ['tags:\n- one\n- two', ['one', 'two']],
  ['tags: [one, two/three]', ['one', 'two/three']],
  ['tags: []', []],
  ['link: "[[Some Note]]"', ['[[Some Note]]']],
  ["quoted: 'a: b # c'", ['a: b # c']],
  ['date: 2026-01-02\ntime: 12:30', ['2026-01-02', '12:30']],
  ['url: https://example.org/#part', ['https://example.org/#part']],
  ['with space: x', ['x']],
  ['escaped: "caf\\u00e9"', ['café']],
  ['text: |\n  one\n  two', ['one\ntwo\n']],
  ['text: one\n  two', ['one two']],
  ['deep:\n  er:\n    key: x\n  list:\n    - a: y', ['x', 'y']],
  ['comment: x # not this', ['x']],
  ['# only a comment', []],
  ['a: {b: c}', ['c']],
  ['yes: true', ['true']],
  ['none: ~\nnull: null', []],
]

describe('the words of front matter', () => {
  it.each(blocks)('are its values: %j', (yaml, values) => {
    const note = `---\n${yaml}\n---\nbody`
    expect(readFrontMatter(note)).toMatchObject({ values, body: 'body' })
    expect(readFrontMatter(note.replaceAll('\n', '\r\n')).values.join().replaceAll('\r', '')).toBe(
      values.join(),
    )
    expect(() => parseFrontMatter(splitNote(note))).not.toThrow()
  })

  it('name the note', () => {
    const note = '---\ntitle: One\naliases:\n  - Two\nother: Three\n---\n'
    expect(readFrontMatter(note).titles).toEqual(['One', 'Two'])
  })

  it.each(['a: b: c', 'a: x\na: y', 'a: @x', '- list', 'a: x\n- y', 'a: *none'])(
    'are the whole note where it cannot be understood: %j',
    (yaml) => {
      const note = `---\n${yaml}\n---\nbody`
      expect(readFrontMatter(note)).toEqual({ titles: [], values: [], body: note })
    },
  )

  it('are none where the note has no front matter', () => {
    for (const note of ['', 'body', '---js\nx\n---\n', 'a\n---\nb: c\n---\n']) {
      expect(readFrontMatter(note)).toEqual({ titles: [], values: [], body: note })
    }
    expect(readFrontMatter('\ufeff---\na: b\n---\nc')).toMatchObject({ values: ['b'], body: 'c' })
  })
})
