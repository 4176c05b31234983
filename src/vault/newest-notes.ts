/** The notes that were changed last, without a look into any. */
import { pauses } from '../system/clock.ts'
import type { Vault } from './vault.ts'
import { withVaultErrors } from './vault-error.ts'
import { walkNotes } from './walk.ts'

interface ChangedNote {
  path: string
  /** When, in Unix milliseconds. */
  changedMs: number
}

/** Newest first, of these folders in the vault's root together; one that is not there has none. */
export async function newestNotes(
  vault: Vault,
  folders: string[],
  most: number,
): Promise<ChangedNote[]> {
  const notes: ChangedNote[] = []
  const pause = pauses()
  for (const name of folders) {
    await withVaultErrors(name, () =>
      vault.within([name], async (found) => {
        if (!found) return
        for (const note of walkNotes(found.folder, found.folders.join('/'))) {
          await pause()
          const stat = note.folder.stat(note.name)
          if (stat) notes.push({ path: note.path, changedMs: Number(stat.mtimeMs) })
        }
      }),
    )
  }
  return notes.sort((one, other) => other.changedMs - one.changedMs).slice(0, most)
}
