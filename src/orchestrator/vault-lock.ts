/** The lock of a vault, which one orchestrator holds for as long as it is at work there. */
import { closeSync, constants } from 'node:fs'
import { hasCode } from '../errors.ts'
import type { Folder } from '../system/folder.ts'
import { lockIfFree, openLocked } from '../system/lock.ts'
import type { Vault } from '../vault/vault.ts'
import { vaultError, withVaultErrors } from '../vault/vault-error.ts'

const lockName = '.orchestrator.lock'
const tryMs = 200
const { O_RDWR, O_CREAT } = constants

/** Waits until the vault is free or `isOver` says so. Gives how to let go; nothing where another has it. */
export async function lockVault(
  vault: Vault,
  isOver: () => boolean,
): Promise<(() => void) | undefined> {
  const fd = await openLocked({
    open: () => inLogs(vault, (folder) => folder.open(lockName, O_RDWR | O_CREAT, 0o600)),
    there: () => inLogs(vault, (folder) => folder.stat(lockName)),
    patienceMs: Number.POSITIVE_INFINITY,
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
    throw vaultError(`Logs/${lockName}`, error)
  }
}

/** Whether one is at work there now; nothing is made to find out. */
export function isOrchestratorAt(vault: Vault): Promise<boolean> {
  return withVaultErrors(`Logs/${lockName}`, () =>
    vault.within(['Logs'], (found) => {
      const fd = found && openIfThere(found.folder)
      if (fd === undefined) return false
      try {
        return !lockIfFree(fd)
      } finally {
        closeSync(fd)
      }
    }),
  )
}

function openIfThere(folder: Folder): number | undefined {
  try {
    return folder.open(lockName, O_RDWR)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
