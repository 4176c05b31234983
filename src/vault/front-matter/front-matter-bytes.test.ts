/** Tricky notes after an edit: what is asked for is there, and no other byte has changed. */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { pairsOf, sourceOf, type TrickyNote } from '../../../test/support/vault/note-pieces.ts'
import { trickyNotes } from '../../../test/support/vault/tricky-notes.ts'
import { parseFrontMatter } from './front-matter.ts'
import { editNote } from './front-matter-edit.ts'
import { splitNote } from './note-text.ts'

function read(text: string) {
  const parts = splitNote(text)
  return { parts, frontMatter: parseFrontMatter(parts) }
}

type Edit = (text: string, values: Record<string, unknown>, body: string) => string
const edit: Edit = (text, values, body) => editNote(read(text), values, body)

/** The text after a change of its values, read back and found as asked. */
function changed(text: string, values: Record<string, unknown>): string {
  const body = splitNote(text).body
  const result = edit(text, values, body)
  const found = read(result)
  expect(isDeepStrictEqual(found.frontMatter.values, values), result).toBe(true)
  expect(found.parts.body).toBe(body)
  return result
}

const without = (values: Record<string, unknown>, key: string) =>
  Object.fromEntries(Object.entries(values).filter(([one]) => one !== key))

const withValue = (values: Record<string, unknown>, key: string, value: unknown) =>
  Object.fromEntries([...Object.entries(values).filter(([one]) => one !== key), [key, value]])

/** What is in the file before and after the source of a pair. */
function around({ bom, open, pieces, close, body }: TrickyNote, key: string) {
  const index = pieces.findIndex((piece) => typeof piece !== 'string' && piece.key === key)
  const text = (from: number, to?: number) => pieces.slice(from, to).map(sourceOf).join('')
  return { before: bom + open + text(0, index), after: text(index + 1) + close + body }
}

const isBraced = ({ pieces }: TrickyNote) => pieces.some((piece) => /^\{/.test(sourceOf(piece)))

/** Whether the source of every pair that may not change is still there, in order. */
function expectOthers(note: TrickyNote, result: string, key: string): void {
  const spared = [key, ...(note.tied.get(key) ?? [])]
  let at = 0
  for (const { key: other, source } of pairsOf(note.pieces)) {
    if (spared.includes(other)) continue
    const found = result.indexOf(source, at)
    expect(found, `${JSON.stringify(source)} in ${result}`).toBeGreaterThanOrEqual(at)
    at = found + source.length
  }
}

const newValues = [
  'now: "so"',
  7,
  null,
  true,
  ['a', null, { b: [] }],
  { c: 'd', e: {} },
  'x\ny\n',
  '',
]
const keyed = trickyNotes.flatMap((note) =>
  pairsOf(note.pieces).map(({ key }) => ({ name: note.name, key, note })),
)
const isOwn = ({ note, key }: { note: TrickyNote; key: string }) =>
  !isBraced(note) && !note.tied.has(key) && !note.swallowed.has(key)

describe('a note written as it was read', () => {
  it.each(trickyNotes)('keeps every byte: $name', ({ text, values, body }) => {
    expect(edit(text, structuredClone(values), body)).toBe(text)
    const backwards = Object.fromEntries(Object.entries(values).toReversed())
    expect(edit(text, backwards, body)).toBe(text)
  })

  it.each(trickyNotes)('keeps every byte but those of a new body: $name', (note) => {
    const { bom, open, pieces, close, values } = note
    const head = bom + open + pieces.map(sourceOf).join('') + close
    const lineEnd = close.endsWith('\n') ? '' : '\n'
    expect(edit(note.text, values, 'New.\r\n')).toBe(`${head}${lineEnd}New.\r\n`)
    expect(edit(note.text, values, '---\nx')).toBe(`${head}${lineEnd}---\nx`)
    expect(edit(note.text, values, '')).toBe(head)
  })
})

describe('one pair of a tricky note', () => {
  it.each(keyed)('changes alone: $name, $key', ({ note, key }) => {
    const { before, after } = around(note, key)
    for (const value of newValues) {
      const result = changed(note.text, withValue(note.values, key, value))
      expectOthers(note, result, key)
      if (!isOwn({ note, key })) continue
      expect(result.slice(0, before.length)).toBe(before)
      expect(result.slice(-after.length)).toBe(after)
      expect(result.length).toBeGreaterThan(before.length + after.length)
    }
  })

  it.each(keyed)('goes alone: $name, $key', ({ note, key }) => {
    const { before, after } = around(note, key)
    const result = changed(note.text, without(note.values, key))
    expectOthers(note, result, key)
    const swallowed = note.swallowed.get(key) ?? ''
    const isDropped = note.pieces.length === 1 && !note.body.startsWith('---')
    if (isDropped) expect(result).toBe(note.bom + note.body)
    else if (isOwn({ note, key })) expect(result).toBe(before + after)
    else if (swallowed) expect(result).toBe(before + after.slice(swallowed.length))
  })

  it.each(trickyNotes)('comes last: $name', (note) => {
    const { bom, open, pieces, close, body, text, values } = note
    const lineEnd = open.includes('\r') ? '\r\n' : '\n'
    const result = changed(text, withValue(values, 'new one', ['a', 'b: c']))
    expectOthers(note, result, 'new one')
    if (isBraced(note)) {
      expect(result).toContain(', new one: [a, "b: c"]')
      return
    }
    const indent = /^ *(?=\S+:)/.exec(pairsOf(pieces)[0]?.source ?? '')?.[0] ?? ''
    const lines = ['new one:', '  - a', '  - "b: c"']
      .map((line) => indent + line + lineEnd)
      .join('')
    const end = pieces.at(-1)
    const isEnded = typeof end === 'string' && end.startsWith('...')
    const yaml = pieces
      .slice(0, isEnded ? -1 : undefined)
      .map(sourceOf)
      .join('')
    expect(result).toBe(bom + open + yaml + lines + (isEnded ? end : '') + close + body)
  })

  it('is noticed when it takes others along', () => {
    const damaged = trickyNotes.filter((note) => {
      const { before, after } = around(note, pairsOf(note.pieces)[0]?.key ?? '')
      const result = rewritten(note)
      return !result.startsWith(before) || !result.endsWith(after)
    })
    expect(damaged.length).toBeGreaterThan(trickyNotes.length / 2)
  })
})

/** The first value of a note changed as one would do it first: everything is read and written again. */
function rewritten({ text, body, pieces }: TrickyNote): string {
  const document = parseDocument(splitNote(text).block?.yaml ?? '', { logLevel: 'silent' })
  const [first] = pairsOf(pieces)
  if (first) document.set(first.key, 'changed')
  try {
    return `---\n${document.toString()}---\n${body}`
  } catch {
    return ''
  }
}
