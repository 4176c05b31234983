/** The file of the search index is nobody's treasure: shared, damaged, outdated or impossible, searches find what is there. */
import {
  chmodSync,
  cpSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../src/store/sqlite.ts'
import { pathsOf, SearchVault, someNotes } from '../support/vault/search-vault.ts'

const indexFile = ({ cache }: SearchVault): string => {
  const vaults = join(cache, 'agentmail/vaults')
  return join(vaults, readdirSync(vaults)[0] ?? '', 'index.db')
}

/** An index whose file was changed while nobody had it open. */
async function afterwards(change: (file: string) => void | Promise<void>): Promise<void> {
  const vault = new SearchVault(someNotes(60))
  await (await vault.indexed()).close()
  await change(indexFile(vault))
  const search = vault.search()
  expect((await search.search('word', 100)).length).toBe(60)
  expect(await search.ready()).toBe(true)
  expect((await search.search('third0 even0', 100)).length).toBe(10)
}

describe('the search index', () => {
  it('is readable for its user only', async () => {
    const vault = new SearchVault({ 'a.md': 'word' })
    await vault.indexed()
    expect(statSync(join(indexFile(vault), '..')).mode & 0o777).toBe(0o700)
  })

  it('is made anew when it is no database', async () => {
    await afterwards((file) => writeFileSync(file, 'not a database '.repeat(500)))
  })

  it('is made anew when it was cut short', async () => {
    await afterwards((file) => truncateSync(file, Math.floor(statSync(file).size / 2)))
    await afterwards((file) => truncateSync(file, 100))
  })

  it('is made anew when its middle was overwritten', async () => {
    await afterwards((file) => {
      const bytes = readFileSync(file)
      writeFileSync(file, bytes.fill(0xa5, 4096, bytes.length - 4096))
    })
  })

  it('is made anew when it is of another version, or of another vault', async () => {
    for (const name of ['schema', 'vault']) {
      await afterwards(async (file) => {
        const store = await openSqlite(file, { isCache: true })
        await store.transaction(async (transaction) => {
          await transaction.run("UPDATE meta SET value = 'other' WHERE name = ?", name)
          await transaction.run('DELETE FROM notes')
        })
        await store.close()
      })
    }
  })

  it('is made anew when a search fails in it', async () => {
    const vault = new SearchVault(someNotes(20))
    const search = await vault.indexed()
    const store = await openSqlite(indexFile(vault), { isCache: true })
    await store.transaction(async (transaction) => {
      await transaction.run('DROP TABLE terms')
    })
    await store.close()
    expect((await search.search('ord', 100)).length).toBe(20)
    expect(await search.ready()).toBe(true)
    expect((await search.search('ord', 100)).length).toBe(20)
  })

  it('is done without where its folder cannot be written', async () => {
    const vault = new SearchVault({ 'a.md': 'word' })
    const file = join(vault.cache, 'a file')
    writeFileSync(file, '')
    const search = vault.search(file)
    expect(pathsOf(await search.search('word', 10))).toEqual(['a.md'])
    expect(await search.ready()).toBe(false)
    vault.write({ 'b.md': 'word' })
    search.changed('b.md')
    expect(pathsOf(await search.search('word', 10))).toEqual(['a.md', 'b.md'])
  })

  it('does not mistake a copy of a vault for the vault', async () => {
    const vault = new SearchVault({ 'a.md': 'word' })
    await vault.indexed()
    const copy = new SearchVault()
    cpSync(vault.root, copy.root, { recursive: true })
    copy.write({ 'b.md': 'word' })
    const search = copy.search(vault.cache)
    await search.ready()
    expect((await search.search('word', 10)).length).toBe(2)
  })

  it('is done without where a note may not be read', async () => {
    const vault = new SearchVault({ 'closed.md': 'word', 'open.md': 'word' })
    chmodSync(vault.path('closed.md'), 0)
    const isRoot = process.getuid?.() === 0
    const search = await vault.indexed()
    expect((await search.search('word', 10)).length).toBe(isRoot ? 2 : 1)
    expect((await search.search('closed', 10)).length).toBe(1)
  })
})

describe.runIf(process.platform === 'linux')('a search of an indexed vault', () => {
  /** What the operating system counts for this process. */
  const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

  it('reads the notes it shows, not the vault', async () => {
    const size = 10_000
    const notes = Array.from({ length: 400 }, (_, note): [string, string] => [
      `${note}.md`,
      `term${note % 40} ${'filler '.repeat(size / 7)}`,
    ])
    const vault = new SearchVault(Object.fromEntries(notes))
    const search = await vault.indexed()
    const costOf = async (find: () => Promise<unknown[]>) => {
      const before = bytesRead()
      expect((await find()).length).toBe(10)
      return bytesRead() - before
    }
    await search.search('term7', 10) // what is loaded once
    expect(await costOf(() => search.search('term8', 10))).toBeLessThan(30 * size)
    expect(await costOf(() => vault.scan('term9', 10))).toBeGreaterThan(300 * size) // control
  })
})
