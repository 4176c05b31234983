/** What the obsidian tools work with. */
import { type ByWhom, isInDrafts } from '../../vault/decided.ts'
import { notePath } from '../../vault/note-path.ts'
import type { VaultSearch } from '../../vault/search/vault-search.ts'
import type { Vault } from '../../vault/vault.ts'

export interface ObsidianContext {
  vault: Vault
  search: VaultSearch
}

/** A draft is recorded before it is there, so that none is there unrecorded. */
export const byTool = (vault: Vault): ByWhom => ({
  async before(putting) {
    if (putting.from === undefined && !isInDrafts(notePath(putting.path))) return
    const { proposalsOf } = await import('../../email/drafts/proposals.ts') // with all that mail needs
    await proposalsOf(vault).put(putting)
  },
})
