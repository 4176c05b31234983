/** The search index after kills at any moment. */
import { describe, expect, it } from 'vitest'
import { isLong } from '../../support/parts.ts'
import { pathsOf, SearchVault, someNotes } from '../../support/vault/search-vault.ts'
import { SearchWorker } from '../../support/vault/search-worker.ts'

describe('the search index', () => {
  it('goes on where a killed process has stopped', async () => {
    const vault = new SearchVault(someNotes(isLong ? 4000 : 800))
    for (let kill = 0; kill < (isLong ? 40 : 4); kill++) {
      const worker = new SearchWorker(vault.root, vault.cache)
      await worker.hears('started')
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 200))
      await worker.kill()
    }
    const search = await vault.indexed()
    for (const query of ['word', 'third1', 'even0 third2', 'note 77', 'ill']) {
      const found = pathsOf(await search.search(query, 5000)).sort()
      expect(found).toEqual((await vault.scan(query, 5000)).sort())
    }
  })
})
