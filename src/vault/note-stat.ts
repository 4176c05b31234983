/** What the file system knows of a note, which its bytes do not tell. */
import type { BigIntStats } from 'node:fs'
import { notePath } from './note-path.ts'
import type { Vault } from './vault.ts'
import { withVaultErrors } from './vault-error.ts'

/** Nothing where there is none. */
export async function statNote(vault: Vault, path: string): Promise<BigIntStats | undefined> {
  const { folders, name } = notePath(path)
  return withVaultErrors(path, () =>
    vault.within(folders, (found) => {
      const spelled = found?.folder.spelling(name)
      return spelled === undefined ? undefined : found?.folder.stat(spelled)
    }),
  )
}
