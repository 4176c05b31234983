/** Serves the obsidian toolset on standard input and output: `agentmail mcp obsidian`. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Config } from '../config.ts'
import { log } from '../log.ts'
import { tools } from '../tools/obsidian/index.ts'
import { cacheFolder } from '../user-folders.ts'
import { VaultSearch } from '../vault/search/vault-search.ts'
import { Vault } from '../vault/vault.ts'
import { makeServer } from './mcp-server.ts'
import { StdioTransport } from './stdio-transport.ts'

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

  const transport = new StdioTransport(process.stdin, process.stdout, {
    mayTakeLong: ({ method, params }) =>
      method === 'tools/call' && (params?.name === 'search_notes' || params?.name === 'list_notes'),
  })
  const ended = new Promise<number>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => resolve(0))
    transport.ended.then((isComplete) => resolve(isComplete ? 0 : 1))
  })
  serveStdio(
    () => makeServer(toolset, (tool, args) => tool.call(async () => ({ vault, search }), args)),
    { transport, onerror: (error) => log(`protocol: ${error.message}`) },
  )
  const exitCode = await ended
  await search.close()
  return exitCode
}
