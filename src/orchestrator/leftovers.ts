/** Clears away what a run that was killed while it wrote has left in the folders that it works in. */
import { AgentMailError } from '../errors.ts'
import { removeLeftover } from '../vault/note-change.ts'
import type { Vault } from '../vault/vault.ts'
import { vaultError } from '../vault/vault-error.ts'

const names = ['Logs', 'Needs_Action', 'Drafts', 'Approved', 'Done']

/** What cannot be cleared away is in nobody's way. */
export function removeLeftovers(vault: Vault): void {
  for (const name of names) {
    try {
      clear(vault, name)
    } catch (error) {
      if (!AgentMailError.is(vaultError(name, error))) throw error
    }
  }
}

function clear(vault: Vault, name: string): void {
  const found = vault.enter([name])
  if (!found) return
  try {
    for (const entry of found.folder.entries()) removeLeftover(found.folder, entry.name)
  } finally {
    found.folder.close()
  }
}
