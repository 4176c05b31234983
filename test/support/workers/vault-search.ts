/** A process that searches a vault: it says when its index is ready, and then answers each line of its standard input. */
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { VaultSearch } from '../../../src/vault/search/vault-search.ts'
import { Vault } from '../../../src/vault/vault.ts'

const [root = '', cache = ''] = process.argv.slice(2)
const search = new VaultSearch(new Vault(root), cache)
search.start()
writeSync(1, 'started\n')
writeSync(1, `${(await search.ready()) ? 'ready' : 'no index'}\n`)
for await (const query of createInterface({ input: process.stdin })) {
  const hits = await search.search(query, 1000)
  writeSync(1, `${JSON.stringify(hits.map(({ path }) => path))}\n`)
}
await search.close()
