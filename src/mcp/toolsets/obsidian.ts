/** Serves the obsidian toolset on standard input and output: `agentmail mcp obsidian`. */
import type { Config } from '../../config.ts'
import { cacheFolder } from '../../system/places.ts'
import { tools } from '../../tools/obsidian/index.ts'
import { VaultSearch } from '../../vault/search/vault-search.ts'
import { Vault } from '../../vault/vault.ts'
import { serveOnStdio } from '../serve-on-stdio.ts'

const toolset = {
  name: 'obsidian',
  instructions:
    'Notes of a vault of Markdown files, by paths relative to it. To change a note, read it, keep what you do not mean to change, and give its etag as if_match. Only a person puts notes into Approved/.',
  tools,
}

/** The client is greeted first; then there is time to look through the vault. */
const indexAfterMs = 500

/** Serves until the client closes its input (0) or stops reading (1). */
export async function serveObsidian(config: Config): Promise<number> {
  const vault = Vault.named(config)
  const search = new VaultSearch(vault, cacheFolder(config))
  vault.onChange = (path) => search.changed(path)
  setTimeout(() => search.start(), indexAfterMs).unref()

  const exitCode = await serveOnStdio(
    toolset,
    (tool, args) => tool.call(async () => ({ vault, search }), args),
    {
      mayTakeLong: ({ method, params }) =>
        method === 'tools/call' &&
        (params?.name === 'search_notes' || params?.name === 'list_notes'),
    },
  )
  await search.close()
  return exitCode
}
