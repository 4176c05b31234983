/** A vault of a few notes and its search, both gone when the test is over. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { scanNotes } from '../../../src/vault/search/scan.ts'
import { VaultSearch } from '../../../src/vault/search/vault-search.ts'
import { Vault } from '../../../src/vault/vault.ts'
import { eventually } from '../eventually.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export type Notes = Record<string, string | Buffer>

export class SearchVault {
  readonly root = temporaryFolder()
  readonly cache = temporaryFolder()
  readonly vault = new Vault(this.root)

  constructor(notes: Notes = {}) {
    this.write(notes)
  }

  path(note: string): string {
    return join(this.root, note)
  }

  write(notes: Notes): void {
    for (const [path, text] of Object.entries(notes)) {
      mkdirSync(dirname(this.path(path)), { recursive: true })
      writeFileSync(this.path(path), text)
    }
  }

  /** A search whose index is built. */
  async indexed(): Promise<VaultSearch> {
    const search = this.search()
    if (!(await search.ready())) throw new Error('There is no index')
    return search
  }

  search(cache = this.cache): VaultSearch {
    const search = new VaultSearch(this.vault, cache)
    onTestFinished(() => search.close())
    return search
  }

  async scan(query: string, limit = 100): Promise<string[]> {
    return pathsOf(await scanNotes(this.vault, query, limit))
  }
}

export const pathsOf = (hits: { path: string }[]): string[] => hits.map(({ path }) => path)

/** Both ways to search: they must agree. */
export async function bothWays(
  notes: Notes,
  check: (find: (query: string, limit?: number) => Promise<string[]>) => Promise<void>,
): Promise<void> {
  const vault = new SearchVault(notes)
  await check((query, limit) => vault.scan(query, limit))
  const search = await vault.indexed()
  await check(async (query, limit = 100) => pathsOf(await search.search(query, limit)))
}

export const find = async (search: VaultSearch, query: string) =>
  pathsOf(await search.search(query, 100)).sort()

/** Waits until a query finds these notes. */
export const finds = (search: VaultSearch, query: string, paths: string[]) =>
  eventually(`${query} finds ${paths}`, async () => {
    const found = await find(search, query)
    return JSON.stringify(found) === JSON.stringify(paths)
  })

export const someNotes = (count: number): Notes =>
  Object.fromEntries(
    Array.from({ length: count }, (_, note) => [
      `folder${note % 7}/note ${note}.md`,
      `---\ntags: [even${note % 2}]\n---\nword third${note % 3} ${'filler text '.repeat(30)}`,
    ]),
  )
