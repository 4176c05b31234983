import { describe, expect, it } from 'vitest'
import { meant, relinked } from './wikilinks.ts'

/** A text of a note at `path` after old.md → new.md among the other notes. */
function written(
  text: string,
  { path = 'x.md', oldPath = 'Inbox/Old.md', newPath = 'Done/New.md', others = [] as string[] },
): string | undefined {
  return relinked(text, path, {
    oldPath,
    newPath,
    before: [oldPath, ...others],
    after: [newPath, ...others],
  })
}

describe('a link to a note that moved', () => {
  it.each([
    ['[[Old]]', '[[New]]'],
    ['[[old]]', '[[New]]'],
    ['[[Old.md]]', '[[New.md]]'],
    ['![[Old]]', '![[New]]'],
    ['[[Old|shown]]', '[[New|shown]]'],
    ['[[Old#Heading]]', '[[New#Heading]]'],
    ['[[Old#^block]]', '[[New#^block]]'],
    ['[[Old#Heading|shown]]', '[[New#Heading|shown]]'],
    ['| [[Old\\|shown]] |', '| [[New\\|shown]] |'],
    ['[[Inbox/Old]]', '[[Done/New]]'],
    ['[[Inbox/Old.md#a|b]]', '[[Done/New.md#a|b]]'],
    ['[[./Inbox/Old]]', '[[Done/New]]'],
    ['[[/Inbox/Old]]', '[[Done/New]]'],
    ['a [[Old]] and [[Old]]\r\nb', 'a [[New]] and [[New]]\r\nb'],
    ['related: "[[Old]]"', 'related: "[[New]]"'],
  ])('%s becomes %s', (text, expected) => {
    expect(written(text, {})).toBe(expected)
  })

  it.each([
    '[[Other]]',
    '[[Older]]',
    '[[Drafts/Old]]',
    '[[#Old]]',
    '[[]]',
    '[Old](Inbox/Old.md)',
    '`[[Old]]`',
    '``a ` [[Old]]``',
    '```\n[[Old]]\n```',
    '~~~md\n[[Old]]\n```\n[[Old]]\n~~~\n',
    '```\n[[Old]] in code that never ends',
    '[[Old\n]]',
  ])('leaves %j alone', (text) => {
    expect(written(text, {})).toBe(text)
  })

  it('is found after code', () => {
    expect(written('```\n[[Old]]\n```\n`x` [[Old]]', {})).toBe('```\n[[Old]]\n```\n`x` [[New]]')
  })

  it('stays as it is where the name alone still leads to it', () => {
    expect(written('[[Old]]', { newPath: 'Done/Old.md' })).toBe('[[Old]]')
  })

  it('takes the whole path where the name alone would mean another note', () => {
    const moved = { newPath: 'Done/New.md', others: ['New.md'] }
    expect(written('[[Old]]', moved)).toBe('[[Done/New]]')
  })

  it('is not meant where another note of that name is nearer', () => {
    expect(written('[[Old]]', { path: 'Here/x.md', others: ['Here/Old.md'] })).toBe('[[Old]]')
    expect(written('[[Old]]', { path: 'Here/x.md', others: ['Old.md'] })).toBe('[[Old]]')
  })

  it('is mended in the moved note itself', () => {
    expect(written('[[./Old#a]]', { path: 'Done/New.md' })).toBe('[[Done/New#a]]')
  })

  it('is told from those that no link can name', () => {
    expect(written('[[Old]]', { newPath: 'Done/a#b.md' })).toBeUndefined()
  })

  it('is found in whatever composition', () => {
    const moved = { oldPath: 'Cafe\u0301.md', newPath: 'Bar.md' }
    expect(written('[[Caf\u00e9]]', moved)).toBe('[[Bar]]')
  })
})

describe('the note that a link means', () => {
  const paths = ['a/b/Note.md', 'c/Note.md', 'Note.md', 'a/Only.md']

  it.each([
    ['Note', 'c/x.md', 'c/Note.md'],
    ['Note', 'd/x.md', 'Note.md'],
    ['b/Note', 'd/x.md', 'a/b/Note.md'],
    ['b/Note', 'a/x.md', 'a/b/Note.md'],
    ['../c/Note', 'a/x.md', 'c/Note.md'],
    ['Only', 'x.md', 'a/Only.md'],
    ['x/Only', 'x.md', undefined],
  ])('%s in %s is %s', (target, from, expected) => {
    expect(meant(target, from, paths)).toBe(expected)
  })
})
