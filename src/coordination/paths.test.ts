/** The normal form of paths: the same for every spelling, and nothing leads outside. */

import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../test/support/seeded-random.ts'
import { AgentMailError } from '../errors.ts'
import { isAbsolute, normalPath } from './paths.ts'

const root = '/home/agents/project'

/** What is made of a spelling; nothing where it is refused. */
function normal(spelling: string, roots: string[] = []): string | undefined {
  try {
    return normalPath(spelling, roots)
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    expect(error.code).toBe('invalid_request')
    expect(error.message).toBe(`path "${spelling.slice(0, 200)}" is outside the project`)
    return undefined
  }
}

const pieces = [
  ...[
    'a',
    'src',
    'a.ts',
    '.',
    '..',
    '...',
    '....',
    '',
    ' ',
    '.. ',
    ' ..',
    '..;',
    '..a',
    'a..',
    '.a',
  ],
  ...['%2e%2e', '%2E%2E', '%2f', '..%2f', '..%5c', '%252e', '%c0%ae%c0%ae', '．．', '․․', '。。'],
  ...['~', '~root', '$HOME', '$(id)', '*', '**', '?', '[a]', '{a,b}', '-rf', '"', "'", '`id`', '|'],
  ...['C:', 'c:', 'C:a', 'CON', 'nul', 'a:b', 'file:', 'http:', 'localhost', '?', 'UNC', '$MFT'],
  ...['\t', '\n', '\r\n', '\x1b[31m', '\x7f', '\u200b', '\u202e', '\ufeff', '∕', '＼', '⧵', '／'],
  ...['é', 'e\u0301', '日本', '👩‍👩‍👧', '\ud800', '__proto__', 'constructor', '.git', '.agentmail'],
]
const joints = ['/', '//', '\\', '\\\\', '/./', '\\.\\', '/../', '\\..\\', '/../../']

function spellings(count: number): string[] {
  const random = randomFrom(20260115)
  const pick = (from: string[]) => from[Math.floor(random() * from.length)] ?? ''
  const made = Array.from({ length: count }, () => {
    const length = 1 + Math.floor(random() * 6)
    const start = random() < 0.3 ? pick(joints) : ''
    const steps = Array.from({ length }, () => pick(pieces) + pick(joints))
    return start + steps.join('') + (random() < 0.5 ? pick(pieces) : '')
  })
  const plain = [...pieces, ...joints].flatMap((piece) => [
    ...[piece, `../${piece}`, `${piece}/..`, `${piece}\\..\\..`, `./${piece}`, `a/../${piece}`],
    ...[`/${piece}`, `${piece}/etc/passwd`, `..${piece}`],
  ])
  return [...new Set([...plain, ...made])]
}
const awkward = spellings(2000)
const relative = awkward.filter((spelling) => !isAbsolute(spelling))
const below = [...awkward, ...relative.map((spelling) => `${root}/${spelling}`)]

describe('awkward spellings', () => {
  it('are more than 300, of every kind', () => {
    expect(awkward.length).toBeGreaterThan(300)
    const outcomes = awkward.map((spelling) => normal(spelling))
    expect(outcomes.filter((path) => path === undefined).length).toBeGreaterThan(100)
    expect(outcomes.filter((path) => path !== undefined).length).toBeGreaterThan(100)
    expect(awkward.length - relative.length).toBeGreaterThan(100)
  })

  it('never come to anything outside, on any system', () => {
    for (const [spelling, path] of below.map((one) => [one, normal(one, [root])] as const)) {
      if (path === undefined) continue
      const shown = JSON.stringify({ spelling, path })
      expect(posix.resolve(root, path), shown).toMatch(new RegExp(`^${root}(?:/|$)`))
      expect(path, shown).not.toMatch(/^[/\\]|\\|^[A-Za-z]:[/\\]/)
      expect(path.split('/'), shown).not.toContain('..')
    }
  })

  it('come to what the file system makes of them, or are refused', () => {
    for (const spelling of relative) {
      const path = posix.normalize(spelling.replaceAll('\\', '/')).replace(/\/+$/, '')
      const isOutside = path === '..' || path.startsWith('../') || isAbsolute(path)
      expect(normal(spelling), JSON.stringify(spelling)).toBe(isOutside ? undefined : path || '.')
    }
  })

  it('come to the same below the root, absolute and relative', () => {
    for (const spelling of relative) {
      const path = normal(spelling, [root])
      if (path !== undefined) expect(normal(`${root}/${spelling}`, [root])).toBe(path)
    }
  })

  it('have a normal form that is its own normal form', () => {
    const changed = below.flatMap((spelling) => {
      const path = normal(spelling, [root])
      const again = path === undefined ? undefined : normal(path, [root])
      return path === again ? [] : [{ spelling, path, again }]
    })
    expect(changed).toEqual([])
  })
})

describe('a normal path', () => {
  it.each([
    ['a', 'a'],
    ['./a', 'a'],
    ['a/', 'a'],
    ['a//b', 'a/b'],
    ['a\\b', 'a/b'],
    ['.\\a\\.\\b\\', 'a/b'],
    ['a/b/../c', 'a/c'],
    ['a/../a/../b', 'b'],
    ['.', '.'],
    ['./', '.'],
    ['a/..', '.'],
    ['...', '...'],
    ['..a/b..', '..a/b..'],
    [' a', ' a'],
    ['a ', 'a '],
    ['A/a', 'A/a'],
    ['%2e%2e/a', '%2e%2e/a'],
    ['~/a', '~/a'],
    ['src/*.ts', 'src/*.ts'],
    ['日本/👩‍👩‍👧', '日本/👩‍👩‍👧'],
  ])('of %j is %j', (spelling, path) => {
    expect(normal(spelling)).toBe(path)
    expect(normal(spelling, [root])).toBe(path)
  })

  it.each([
    ...['..', '../a', 'a/../..', 'a\\..\\..\\b', './..', '/', '/a', '//a', '\\a', '\\\\host\\a'],
    ...['C:\\a', 'c:/a', 'C:/', '\\\\?\\C:\\a', '/..', '/../a', root, `${root}/a`],
  ])('of %j is none where no root is known', (spelling) => {
    expect(normal(spelling)).toBeUndefined()
  })

  it.each([
    [`${root}/a/b.ts`, 'a/b.ts'],
    [root, '.'],
    [`${root}/`, '.'],
    [`/${root}//a`, 'a'],
    [`${root}/../project/a`, 'a'],
    [`${root}\\a\\..\\b`, 'b'],
    [`${root}/trees/linked/a.ts`, 'a.ts'],
    ['/elsewhere/linked/a.ts', 'a.ts'],
    ['C:\\work\\project\\src\\a.ts', 'src/a.ts'],
    ['C:/work/project', '.'],
    ['/elsewhere/linkedx/a.ts', undefined],
    [`${root}x/a.ts`, undefined],
    [`${root}/../a.ts`, undefined],
    [`${root}/a/../../../a.ts`, undefined],
    ['/home/agents', undefined],
    ['/', undefined],
    ['C:\\work\\projects', undefined],
    ['C:\\work\\project\\..\\a', undefined],
    ['D:\\work\\project\\a', undefined],
  ])('of %j, below the roots that are known, is %j', (spelling, path) => {
    const roots = [root, `${root}/trees/linked/`, '/elsewhere/linked', 'C:\\work\\project']
    expect(normal(spelling, roots)).toBe(path)
    expect(normal(spelling, roots.toReversed())).toBe(path)
  })

  it('that is refused is named, though not at any length', () => {
    expect(() => normalPath(`../${'x'.repeat(5000)}`, [])).toThrow(
      /^path "\.\.\/x{197}" is outside/,
    )
  })
})
