/** Runs work on the folder of local mail while no other process does. */
import { closeSync, constants, fstatSync } from 'node:fs'
import { AgentMailError } from '../../errors.ts'
import { sleep } from '../../system/clock.ts'
import type { Folder } from '../../system/folder.ts'
import { randomFraction } from '../../system/random.ts'
import { systemLock, type TryLock } from '../../system/system-lock.ts'
import { openFolder } from './folder.ts'

const lockMs = 15_000

/** `work` is synchronous, so that nothing can hold the lock for long; the system drops it with its holder. */
export async function whileLocked<T>(
  root: string,
  lockFile: string,
  tryLock: TryLock = systemLock(),
  work: (folder: Folder) => T,
): Promise<T> {
  const deadline = performance.now() + lockMs
  for (let wait = 1; ; wait = Math.min(wait * 2, 20)) {
    const done = openFolder(root, (folder) => {
      const fd = folder.open(lockFile, constants.O_RDWR | constants.O_CREAT, 0o600)
      try {
        if (!tryLock(fd) || !isAt(folder, lockFile, fd)) return undefined
        return { value: work(folder) }
      } finally {
        closeSync(fd)
      }
    })
    if (done) return done.value
    if (performance.now() > deadline) throw busy()
    await sleep(wait * (0.5 + randomFraction()))
  }
}

/** A lock on a file that somebody has removed meanwhile keeps nobody out. */
function isAt(folder: Folder, name: string, fd: number): boolean {
  const [held, there] = [fstatSync(fd, { bigint: true }), folder.stat(name)]
  return held.isFile() && held.ino === there?.ino && held.dev === there.dev
}

const busy = () =>
  new AgentMailError(
    'busy',
    'the labels of local mail are being changed by another process',
    'Try again.',
  )
