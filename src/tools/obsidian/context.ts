/** What the obsidian tools work with. */
import type { Vault } from '../../vault/vault.ts'
import type { VaultSearch } from '../../vault/vault-search.ts'

export interface ObsidianContext {
  vault: Vault
  search: VaultSearch
}
