/** What the obsidian tools work with. */
import type { VaultSearch } from '../../vault/search/vault-search.ts'
import type { Vault } from '../../vault/vault.ts'

export interface ObsidianContext {
  vault: Vault
  search: VaultSearch
}
