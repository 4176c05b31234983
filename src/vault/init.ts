/** Makes the folders of a vault that agents and a person work in, and the files that belong there. What is there stays as it is. */
import { realpathSync } from 'node:fs'
import { AgentMailError, hasCode } from '../errors.ts'
import { makeFolder } from '../system/files.ts'
import type { Folder } from '../system/folder.ts'
import { createNote } from './note-change.ts'
import { Vault, workFolders } from './vault.ts'
import { withVaultErrors } from './vault-error.ts'

/**
 * Gives what was made: nothing where it was all there.
 * @param files what is put into the vault's root, by their names.
 */
export async function initVault(
  path: string,
  files: Record<string, string>,
): Promise<{ root: string; made: string[] }> {
  const root = makeRoot(path)
  const vault = new Vault(root)
  return withVaultErrors(path, async () => {
    const top = vault.make([])
    const made: string[] = []
    try {
      const missing = workFolders.filter((name) => !isFolder(top.folder, name))
      for (const name of missing) {
        top.folder.make(name, 0o700).close()
        made.push(`${name}/`)
      }
      for (const [name, text] of Object.entries(files)) {
        if (createNote(top, name, Buffer.from(text))) made.push(name)
      }
    } finally {
      top.folder.close()
    }
    return { root, made }
  })
}

function isFolder(root: Folder, name: string): boolean {
  const there = root.stat(name)
  if (!there || there.isDirectory()) return there !== undefined
  throw new AgentMailError(
    'invalid_request',
    `${name} is in the way: it is not a folder`,
    'Give it another name, then try again. Nothing was made.',
  )
}

function makeRoot(path: string): string {
  try {
    makeFolder(path)
    return realpathSync(path)
  } catch (cause) {
    const isTaken = hasCode(cause, 'EEXIST', 'ENOTDIR')
    throw new AgentMailError(
      'invalid_request',
      isTaken ? `there is a file at ${path}` : `the folder could not be made: ${path}`,
      'Give the path of a folder that is there or can be made.',
      { cause },
    )
  }
}
