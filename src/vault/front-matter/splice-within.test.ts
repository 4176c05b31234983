/** Changes inside lists and maps: the entries beside them keep their bytes. */
import { describe, expect, it } from 'vitest'
import { parseFrontMatter } from './front-matter.ts'
import { editNote } from './front-matter-edit.ts'
import { splitNote } from './note-text.ts'

/** The block after its values were changed. */
function edited(yaml: string, change: (values: Record<string, unknown>) => void): string {
  const parts = splitNote(`---\n${yaml}---\nbody`)
  const frontMatter = parseFrontMatter(parts)
  const values = structuredClone(frontMatter.values)
  change(values)
  const text = editNote({ parts, frontMatter }, values, parts.body)
  const written = splitNote(text)
  expect(parseFrontMatter(written).values).toEqual(values)
  return written.block?.yaml ?? ''
}

const tags = 'tags:\n- x   # tx\n# between\n- "y"   # ty\n\n- \'z\'\nother: 1\n'

describe('a list', () => {
  it.each([
    ['append', ['x', 'y', 'z', 'new'], tags.replace("- 'z'\n", "- 'z'\n- new\n")],
    ['put first', ['new', 'x', 'y', 'z'], tags.replace('- x', '- new\n- x')],
    ['put between', ['x', 'new', 'y', 'z'], tags.replace('# tx\n', '# tx\n- new\n')],
    ['remove', ['x', 'z'], tags.replace('- "y"   # ty\n', '')],
    ['remove two', ['y'], tags.replace('- x   # tx\n', '').replace("- 'z'\n", '')],
    ['replace', ['x', 'yes!', 'z'], tags.replace('"y"', 'yes!')],
    [
      'replace all',
      ['1', '2', '3'],
      tags.replace('x ', '"1" ').replace('"y"', '"2"').replace("'z'", '"3"'),
    ],
    ['swap', ['y', 'x', 'z'], 'tags:\n# between\n- "y"   # ty\n- x\n\n- \'z\'\nother: 1\n'],
  ])('that gets one entry changed keeps the others: %s', (_, wanted, expected) => {
    expect(edited(tags, (values) => (values.tags = wanted))).toBe(expected)
  })

  it('is written anew where nothing of it stays', () => {
    expect(edited(tags, (values) => (values.tags = []))).toContain('tags: []\n')
  })

  it('keeps its indentation, and its line ends', () => {
    const yaml = 'a:\r\n    - 1 # one\r\n    - 2\r\n'
    const parts = splitNote(`---\r\n${yaml}---\r\n`)
    const frontMatter = parseFrontMatter(parts)
    expect(editNote({ parts, frontMatter }, { a: [1, 2, { b: 3, c: [4] }] }, '')).toBe(
      `---\r\n${yaml}    - b: 3\r\n      c:\r\n        - 4\r\n---\r\n`,
    )
  })

  it('of maps keeps the pairs beside the one that changed', () => {
    const yaml =
      'meta:\n    deep:   # cmt\n        - b: 1   # bee\n          c: "2"   # two\n        - b: x\n'
    const changed = edited(yaml, (values) => {
      values.meta = {
        deep: [
          { b: 1, c: '3' },
          { b: 'x', d: null },
        ],
      }
    })
    expect(changed).toBe(yaml.replace('"2"', '"3"').replace('- b: x\n', '- b: x\n          d:\n'))
  })

  it('of lists changes in its depth', () => {
    const yaml = 'a:\n  - - 1 # one\n    - 2 # two\n  - [3, 4] # flow\n'
    const changed = edited(
      yaml,
      (values) =>
        (values.a = [
          [1, 5],
          [3, 4, 6],
        ]),
    )
    expect(changed).toContain('[3, 4, 6] # flow')
  })
})

describe('a map', () => {
  const yaml =
    'm:\n  # first\n  a: 1 # one\n  "b": \'2\' # two\n  c:\n    - x # ex\n  d: |\n    text\nz: 1\n'

  it('gets a value changed, a key removed, and a key added at its end', () => {
    const changed = edited(yaml, (values) => {
      values.m = { a: 9, c: ['x', 'y'], d: 'text\n', e: { f: 1 } }
    })
    expect(changed).toBe(
      'm:\n  # first\n  a: 9 # one\n  c:\n    - x # ex\n    - y\n  d: |\n    text\n  e:\n    f: 1\nz: 1\n',
    )
  })

  it('keeps an anchor that still means the same, and lets go of an alias that does not', () => {
    const anchored = 'a: &x\n  k: 1 # kept\n  l: 2\nb: *x\n'
    const changed = edited(anchored, (values) => (values.a = { k: 1, l: 3 }))
    expect(changed).toBe('a: &x\n  k: 1 # kept\n  l: 3\nb:\n  k: 1\n  l: 2\n')
  })
})
