/** Stand-in. */
import type { Config } from '../config.ts'
import { scanNotes } from './scan.ts'
import type { Vault } from './vault.ts'
export class VaultSearch {
  vault: Vault
  constructor(vault: Vault) {
    this.vault = vault
  }
  static of(vault: Vault, _c: Config) {
    return new VaultSearch(vault)
  }
  start() {}
  changed(_p: string) {}
  search(q: string, l: number) {
    return scanNotes(this.vault, q, l)
  }
  async close() {}
}
