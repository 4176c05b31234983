/** The search of a vault beside other processes, pipes, and limits of the system. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { makePipe } from '../support/named-pipe.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { find, finds, SearchVault, someNotes } from '../support/vault/search-vault.ts'
import { SearchWorker } from '../support/vault/search-worker.ts'
import { TestVault } from '../support/vault/vault.ts'
import { VaultClient } from '../support/vault/vault-client.ts'

/** Runs the rest of the line as a user who may have two watches. */
const inLimits = [
  ...['unshare', '-Ur', 'sh', '-c'],
  'echo 2 > /proc/sys/user/max_inotify_watches && exec "$@"',
  'sh',
]

function succeeds(...words: string[]): boolean {
  const [program = '', ...args] = words
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

describe('the search of a vault', () => {
  it('never reads through links, from pipes, or in dot folders', async () => {
    const vault = new SearchVault({ 'a.md': 'word', '.trash/b.md': 'word', 'c.txt': 'word' })
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'secret.md'), 'word')
    symlinkSync(outside, vault.path('linked'))
    symlinkSync(join(outside, 'secret.md'), vault.path('link.md'))
    makePipe(vault.path('pipe.md'))
    const search = vault.search()
    expect(await find(search, 'word')).toEqual(['a.md'])
    await search.ready()
    expect(await find(search, 'word')).toEqual(['a.md'])
    for (const path of [
      'linked/secret.md',
      'link.md',
      'pipe.md',
      '.trash/b.md',
      'c.txt',
      '../x.md',
    ]) {
      search.changed(path)
    }
    expect(await find(search, 'word')).toEqual(['a.md'])
    rmSync(vault.path('a.md'))
    symlinkSync(join(outside, 'secret.md'), vault.path('a.md'))
    await finds(search, 'word', [])
    expect(await search.ready()).toBe(true)
  })

  it.runIf(succeeds(...inLimits, 'true'))(
    'compares the notes itself where it may not watch them',
    async () => {
      const vault = new SearchVault({ 'a/1.md': 'word', 'b/2.md': 'word', 'c/3.md': 'word' })
      const search = new SearchWorker(vault.root, vault.cache, inLimits)
      await search.hears('ready')
      expect(await search.find('word')).toEqual(['a/1.md', 'b/2.md', 'c/3.md'])
      vault.write({ 'c/4.md': 'word' })
      rmSync(vault.path('a'), { recursive: true })
      await eventually('it is found', async () => {
        const found = await search.find('word')
        return JSON.stringify(found) === JSON.stringify(['b/2.md', 'c/3.md', 'c/4.md'])
      })
      expect(search.stderr.match(/looked for at each search/g)?.length).toBe(1)
    },
  )
})

describe('the search index', () => {
  it('serves several processes at once', async () => {
    const vault = new SearchVault(someNotes(300))
    const workers = [1, 2].map(() => new SearchWorker(vault.root, vault.cache))
    const searches = await Promise.all([vault.indexed(), vault.indexed()])
    await Promise.all(workers.map((worker) => worker.hears('ready')))
    vault.write({ 'folder1/new.md': 'word' })
    const count = async (query: string) =>
      Promise.all([
        ...searches.map(async (search) => (await search.search(query, 1000)).length),
        ...workers.map(async (worker) => (await worker.find(query)).length),
      ])
    await eventually('all find it', async () => (await count('word')).every((n) => n === 301))
    expect(await count('third1 even1')).toEqual([50, 50, 50, 50])
    // On a busy machine it may take long enough to be told.
    const isDone = /^agentmail: the vault is indexed: .*\n/gm
    for (const worker of workers) expect(worker.stderr.replace(isDone, '')).toBe('')
  })
})

describe('list_notes with a filter', () => {
  it('has at once what another process has written, renamed, moved or removed', async () => {
    const vault = new TestVault()
    const noteWith = (n: number) => `---\nn: ${n}\n---\n`
    for (let index = 0; index < 50; index++) vault.put(`many/${index}.md`, noteWith(-1))
    const client = await VaultClient.open(vault)
    await eventually('the index is there', async () => (await client.search('many')).length > 0)
    const at = (path: string) => join(vault.root, path)
    for (let n = 1; n <= 60; n++) {
      vault.put('a.md', noteWith(n))
      expect(await client.list('', `n:${n}`)).toEqual(['a.md'])
      vault.put('new.md', noteWith(-n - 1))
      renameSync(at('new.md'), at('a.md'))
      expect(await client.list('', `n:${-n - 1}`)).toEqual(['a.md'])
      mkdirSync(at(`folder ${n}`))
      renameSync(at('a.md'), at(`folder ${n}/b.md`))
      expect(await client.list('', `n:${-n - 1}`)).toEqual([`folder ${n}/b.md`])
      vault.put(`folder ${n}/b.md`, noteWith(n))
      expect(await client.list(`folder ${n}`, `n:${n}`)).toEqual([`folder ${n}/b.md`])
      rmSync(at(`folder ${n}`), { recursive: true })
      expect(await client.list('', `n:${n}`)).toEqual([])
    }
    expect(await client.list('', 'n:-1')).toHaveLength(50)
  })
})
