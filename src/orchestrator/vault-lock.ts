/** One orchestrator at a time works on a vault: a lock that the system drops with its holder. */
import { closeSync, constants } from 'node:fs'
import type { Folder } from '../system/folder.ts'
import { openLocked } from '../system/lock.ts'
import type { Vault } from '../vault/vault.ts'
import { vaultError } from '../vault/vault-error.ts'

const name = '.orchestrator.lock'
const { O_RDWR, O_CREAT } = constants
const tryMs = 200

/** Waits until it is free or `isOver` says so. Gives how to let go; nothing where another has it. */
export async function lockVault(
  vault: Vault,
  isOver: () => boolean,
): Promise<(() => void) | undefined> {
  const fd = await openLocked({
    open: () => inLogs(vault, (folder) => folder.open(name, O_RDWR | O_CREAT, 0o600)),
    there: () => inLogs(vault, (folder) => folder.stat(name)),
    patienceMs: Infinity,
    isOver,
    firstMs: tryMs,
    longestMs: tryMs,
  })
  return fd === undefined ? undefined : () => closeSync(fd)
}

function inLogs<T>(vault: Vault, use: (folder: Folder) => T): T {
  try {
    const { folder } = vault.make(['Logs'])
    try {
      return use(folder)
    } finally {
      folder.close()
    }
  } catch (error) {
    throw vaultError(`Logs/${name}`, error)
  }
}
