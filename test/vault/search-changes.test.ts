/** The search of a vault follows its notes: what this process changes, what others do, and what happened while nobody looked. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { isLong } from '../support/parts.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { find, finds, SearchVault } from '../support/vault/search-vault.ts'

describe('the search of a vault', () => {
  it('hears of notes whose names begin with a dot', async () => {
    const vault = new SearchVault({ 'a.md': 'text' })
    const search = await vault.indexed()
    vault.write({ '.hidden.md': 'dotted' })
    await finds(search, 'dotted', ['.hidden.md'])
  })

  it('knows at once what this process has changed', async () => {
    const vault = new SearchVault({ 'a.md': 'old' })
    const search = await vault.indexed()
    for (let round = 0; round < 10; round++) {
      vault.write({ 'a.md': `fresh${round}`, [`new/${round}.md`]: 'made' })
      search.changed('a.md')
      search.changed(`new/${round}.md`)
      expect(await find(search, `fresh${round}`)).toEqual(['a.md'])
      expect((await find(search, 'made')).length).toBe(1)
      renameSync(vault.path(`new/${round}.md`), vault.path('moved.md'))
      search.changed(`new/${round}.md`)
      search.changed('moved.md')
      expect(await find(search, 'made')).toEqual(['moved.md'])
      rmSync(vault.path('moved.md'))
      search.changed('moved.md')
      expect(await find(search, 'made')).toEqual([])
    }
    expect(await find(search, 'old')).toEqual([])
  })

  it('hears of notes that others write, change, rename and remove', async () => {
    const vault = new SearchVault({ 'a/b/c.md': 'first' })
    const search = await vault.indexed()
    vault.write({ 'a/b/d.md': 'first second' })
    await finds(search, 'first', ['a/b/c.md', 'a/b/d.md'])
    vault.write({ 'a/b/d.md': 'third' })
    await finds(search, 'third', ['a/b/d.md'])
    expect(await find(search, 'second')).toEqual([])
    renameSync(vault.path('a/b/d.md'), vault.path('a/e.md'))
    await finds(search, 'third', ['a/e.md'])
    rmSync(vault.path('a/e.md'))
    await finds(search, 'third', [])
    expect(await search.ready()).toBe(true)
  })

  it('hears of folders that others make, rename, move and remove', async () => {
    const vault = new SearchVault({ 'top.md': 'word', 'a/x.md': 'word', 'a/deep/y.md': 'word' })
    const outside = temporaryFolder()
    const search = await vault.indexed()
    renameSync(vault.path('a'), vault.path('b'))
    await finds(search, 'word', ['b/deep/y.md', 'b/x.md', 'top.md'])
    vault.write({ 'b/deep/z.md': 'word' }) // the watch has moved along
    await finds(search, 'word', ['b/deep/y.md', 'b/deep/z.md', 'b/x.md', 'top.md'])
    renameSync(vault.path('b/deep'), join(outside, 'deep'))
    await finds(search, 'word', ['b/x.md', 'top.md'])
    writeFileSync(join(outside, 'deep/later.md'), 'word')
    renameSync(join(outside, 'deep'), vault.path('back'))
    await finds(search, 'word', ['b/x.md', 'back/later.md', 'back/y.md', 'back/z.md', 'top.md'])
    rmSync(vault.path('back'), { recursive: true })
    vault.write({ 'back/anew/w.md': 'word' })
    await finds(search, 'word', ['b/x.md', 'back/anew/w.md', 'top.md'])
    vault.write({ 'back/anew/v.md': 'word' })
    await finds(search, 'word', ['b/x.md', 'back/anew/v.md', 'back/anew/w.md', 'top.md'])
    expect(await search.ready()).toBe(true)
  })

  it('finds what is there after a storm of changes', async () => {
    const random = seededRandom()
    const pick = <T>(from: T[]) => from[Math.floor(random() * from.length)]
    const vault = new SearchVault({ 'a/b/1.md': 'word', 'c/2.md': 'word' })
    const search = await vault.indexed()
    const folders = ['', 'a', 'a/b', 'a/b/e', 'c', 'c/d', 'f']
    const steps = [
      (path: string) =>
        vault.write({ [`${path}/${pick(['1', '2', '3'])}.md`]: `word ${pick(['x', 'y'])}` }),
      (path: string) => rmSync(vault.path(`${path}/${pick(['1', '2', '3'])}.md`), { force: true }),
      (path: string) => rmSync(vault.path(path || 'f'), { recursive: true, force: true }),
      (path: string) => renameSync(vault.path(path || 'a'), vault.path(pick(folders) || 'g')),
      (path: string) => renameSync(vault.path(`${path}/1.md`), vault.path(`${pick(folders)}/2.md`)),
      () => search.search('word', 10),
      () => new Promise((resolve) => setTimeout(resolve, random() * 20)),
    ]
    for (let step = 0; step < (isLong ? 3000 : 300); step++) {
      try {
        await pick(steps)?.(pick(folders) ?? '')
      } catch {} // a step that is impossible just now
      if (step % 100 !== 99) continue
      for (const query of ['word', 'x', 'word y', 'a', 'b']) {
        await finds(search, query, (await vault.scan(query)).sort())
      }
    }
    expect(await search.ready()).toBe(true)
  })

  it('knows after a restart what has changed meanwhile', async () => {
    const vault = new SearchVault({
      'same.md': 'word',
      'edited.md': 'before',
      'gone.md': 'word',
      'folder/gone.md': 'word',
    })
    await (await vault.indexed()).close()
    rmSync(vault.path('gone.md'))
    rmSync(vault.path('folder'), { recursive: true })
    vault.write({ 'edited.md': 'after!', 'new/one.md': 'word' })
    const search = await vault.indexed()
    expect(await find(search, 'word')).toEqual(['new/one.md', 'same.md'])
    expect(await find(search, 'after')).toEqual(['edited.md'])
    expect(await find(search, 'before')).toEqual([])
  })

  it('is not misled by a note whose time was set back', async () => {
    const vault = new SearchVault({ 'a.md': 'one' })
    const time = new Date()
    utimesSync(vault.path('a.md'), time, time)
    await (await vault.indexed()).close()
    vault.write({ 'a.md': 'two' })
    utimesSync(vault.path('a.md'), time, time)
    expect(await find(await vault.indexed(), 'two')).toEqual(['a.md'])
  })

  it('answers while the index is being built', async () => {
    const vault = new SearchVault({ 'a.md': 'word' })
    const search = vault.search()
    expect(await find(search, 'word')).toEqual(['a.md'])
    vault.write({ 'b.md': 'word' })
    search.changed('b.md')
    expect(await find(search, 'word')).toEqual(['a.md', 'b.md'])
    await search.ready()
    expect(await find(search, 'word')).toEqual(['a.md', 'b.md'])
  })

  it('removes what a killed writer has left', async () => {
    const vault = new SearchVault({
      'a.md': 'word',
      'b/.abcdefgh1234.agentmail-new': 'half',
      'b/.other': 'kept',
    })
    await vault.indexed()
    expect(readdirSync(vault.path('b'))).toEqual(['.other'])
  })

  it.runIf(existsSync('/proc/self/fdinfo'))(
    'takes one watch a folder and gives it back',
    async () => {
      const vault = new SearchVault({
        'a/b/c/1.md': '',
        'a/b/2.md': '',
        'd/3.md': '',
        '.git/x/4.md': '',
      })
      const before = watchCount()
      const search = await vault.indexed()
      expect(watchCount() - before).toBe(5)
      mkdirSync(vault.path('d/e'))
      await eventually('a sixth', () => watchCount() - before === 6)
      rmSync(vault.path('a'), { recursive: true })
      await eventually('three are left', () => watchCount() - before === 3)
      await search.close()
      expect(watchCount()).toBe(before)
    },
  )
})

function watchCount(): number {
  let count = 0
  for (const fd of readdirSync('/proc/self/fdinfo')) {
    try {
      const info = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')
      count += info.match(/^inotify /gm)?.length ?? 0
    } catch {} // it was closed meanwhile
  }
  return count
}
