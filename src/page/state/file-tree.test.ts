/** Claims as a tree: folders that can be folded, with how much is in them. */
import { describe, expect, it } from 'vitest'
import type { ClaimView } from '../../person/shapes.ts'
import { fileRows } from './file-tree.ts'

const claim = (path: string, project = 'shop'): ClaimView => ({
  ...{ project, path, agent_id: 'id', agent: 'web' },
  ...{ since: '2026-01-01T00:00:00Z', by_hook: false },
})
const shown = (paths: string[], folded: [string, boolean][] = []) =>
  fileRows(
    paths.map((path) => claim(path)),
    new Map(folded),
  ).map(
    ({ depth, name, claims, claim: own }) =>
      `${'  '.repeat(depth)}${name}${own ? '' : ` ${claims}`}`,
  )

describe('the tree of claims', () => {
  it('puts files below their folders, and chains of folders in one row', () => {
    expect(shown(['src/a.ts', 'src/deep/er/b.ts', 'README.md', 'src/deep/er/c.ts'])).toEqual([
      ...['src/ 3', '  deep/er/ 2', '    b.ts', '    c.ts', '  a.ts', 'README.md'],
    ])
  })

  it('shows a folder that is held itself, and the whole project', () => {
    expect(shown(['src/**', '**'])).toEqual(['src/**', '**'])
  })

  it('leaves out what is folded, and folds by itself where there is much', () => {
    expect(shown(['src/a.ts', 'b.ts'], [['shop\nsrc/', false]])).toEqual(['src/ 1', 'b.ts'])
    const many = Array.from({ length: 500 }, (_, index) => `src/${index % 7}/${index}.ts`)
    expect(shown(many).length).toBeLessThanOrEqual(8)
  })

  it('names the projects where there are several', () => {
    const rows = fileRows([claim('a.ts', 'api'), claim('a.ts', 'shop')], new Map())
    expect(rows.map(({ name }) => name)).toEqual(['api', 'a.ts', 'shop', 'a.ts'])
    expect(new Set(rows.map(({ key }) => key)).size).toBe(4)
  })
})
