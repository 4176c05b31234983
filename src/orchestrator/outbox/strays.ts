/** What lies in Approved/ and looks like a note, but is none: whoever put it there waits in vain. */
import { isNoteName } from '../../vault/note-path.ts'
import type { Vault } from '../../vault/vault.ts'
import { withVaultErrors } from '../../vault/vault-error.ts'

/** Links, pipes, and names that no note can have. */
export function strays(vault: Vault): Promise<string[]> {
  return withVaultErrors('Approved', () =>
    vault.within(['Approved'], (found) =>
      (found?.folder.entries() ?? [])
        .filter((entry) => !entry.isDirectory() && /^[^.].*\.md$/is.test(entry.name))
        .filter((entry) => !entry.isFile() || !isNoteName(entry.name))
        .map(({ name }) => `Approved/${name}`),
    ),
  )
}
