/** One orchestrator at a time works on a vault: a lock that the system drops with its holder. */
import { closeSync, constants } from 'node:fs'
import { sleep } from '../system/clock.ts'
import { lockIfFree } from '../system/lock.ts'
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
  const fd = open(vault)
  while (!lockIfFree(fd)) {
    if (isOver()) {
      closeSync(fd)
      return undefined
    }
    await sleep(tryMs)
  }
  return () => closeSync(fd)
}

function open(vault: Vault): number {
  try {
    const { folder } = vault.make(['Logs'])
    try {
      return folder.open(name, O_RDWR | O_CREAT, 0o600)
    } finally {
      folder.close()
    }
  } catch (error) {
    throw vaultError(`Logs/${name}`, error)
  }
}
