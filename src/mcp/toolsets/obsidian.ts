/** The obsidian toolset with the vault that it works in: `agentmail mcp obsidian`. */
import type { Config } from '../../config.ts'
import { tellPerson } from '../../notices/tell-person.ts'
import { cacheFolder } from '../../system/places.ts'
import type { ObsidianContext } from '../../tools/obsidian/context.ts'
import { tools } from '../../tools/obsidian/index.ts'
import { VaultSearch } from '../../vault/search/vault-search.ts'
import { Vault } from '../../vault/vault.ts'
import type { OpenToolset } from '../server.ts'
import { serveOnStdio } from '../stdio.ts'

const toolset = {
  name: 'obsidian',
  instructions:
    'Notes of a vault of Markdown files, by paths relative to it: read_note, write_note, list_notes, move_note, search_notes. To change a note, read it, keep what you do not mean to change, and give its etag as if_match. Only a person moves notes into or out of Approved/, changes Rules.md, or moves a draft that waits or changes whom it goes to.',
  tools,
}

/** The client is greeted first; then there is time to look through the vault. */
const indexAfterMs = 500

/** @param options.isIndexed false for whoever does not search. */
export function openObsidianToolset(
  config: Config,
  { isIndexed = true } = {},
): OpenToolset<ObsidianContext> {
  const vault = Vault.named(config)
  const search = new VaultSearch(vault, cacheFolder(config))
  const tellOfDraft = (subject: string, from: string | undefined) =>
    tellPerson(config, { kind: 'draft', from, subject })
  const proposer = async () => (await import('../../email/drafts/proposer.ts')).proposerOf(config) // few notes are drafts
  vault.onChange = (path) => search.changed(path)
  if (isIndexed) setTimeout(() => search.start(), indexAfterMs).unref()
  return {
    toolset,
    answer: (tool, args) => tool.call(async () => ({ vault, search, tellOfDraft, proposer }), args),
    mayTakeLong: (tool) => tool === 'search_notes' || tool === 'list_notes',
    close: () => search.close(),
  }
}

export const serveObsidian = async (config: Config): Promise<number> =>
  serveOnStdio(openObsidianToolset(config))
