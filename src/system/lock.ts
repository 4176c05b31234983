/** An exclusive lock on an open file that the operating system drops with its holder, however that dies. */
import { type BigIntStats, closeSync, fstatSync } from 'node:fs'
import { AgentMailError, hasCode } from '../errors.ts'
import { isSameFile } from './files.ts'
import { addonNear } from './native/near-addon.ts'
import { type Patience, untilAnswered } from './retry.ts'

/** Takes the lock if it is free. The file must be open for writing; the lock goes when it is closed. */
export type Lock = (fd: number) => boolean

interface TryLock {
  tryLock(fd: number, offset: number, length: number, exclusive: boolean): void
}

let native: TryLock | undefined

export const lockIfFree: Lock = (fd) => {
  native ??= load()
  try {
    native.tryLock(fd, 0, 0, true)
    return true
  } catch (error) {
    if (hasCode(error, 'EAGAIN', 'EACCES')) return false
    throw error
  }
}

/** fs-native-extensions' lock (OFD locks on Linux, flock on macOS), straight from its prebuilt file: its own loader costs 12 ms. */
function load(): TryLock {
  const file = `fs-native-extensions/prebuilds/${process.platform}-${process.arch}/fs-native-extensions.node`
  try {
    const { tryLock } = addonNear<TryLock>(file) ?? {}
    if (tryLock) return { tryLock }
    return process.getBuiltinModule('node:module').createRequire(import.meta.url)(file)
  } catch (cause) {
    throw new AgentMailError(
      'internal',
      `file locks are not available on ${process.platform}-${process.arch}`,
      'AgentMail needs Linux (glibc) or macOS on x64 or arm64; if this is one of these, install it again.',
      { cause },
    )
  }
}

export interface ToLock extends Patience {
  /** Opens the file for writing; nothing where there is none. */
  open(): number | undefined
  /** What stands at the file's place: one that was replaced or removed meanwhile is let go for the one that is there. */
  there(): BigIntStats | undefined
  /** What is thrown where others do not let go; without it, nothing is given then. */
  busy?: () => Error
  /** Tests pass one that locks nothing, to show what the lock holds together. */
  lock?: Lock | undefined
}

/** Opens and locks; the lock lasts until the descriptor is closed. Nothing where there is no file. */
export async function openLocked(file: ToLock): Promise<number | undefined> {
  const { lock = lockIfFree, busy } = file
  const opened = await untilAnswered({ patienceMs: 15_000, longestMs: 10, ...file }, () => {
    const fd = file.open()
    if (fd === undefined) return 'missing'
    let isKept = false
    try {
      isKept = lock(fd) && isSameFile(fstatSync(fd, { bigint: true }), file.there())
    } finally {
      if (!isKept) closeSync(fd)
    }
    return isKept ? fd : undefined
  })
  if (opened === undefined && busy) throw busy()
  return opened === 'missing' ? undefined : opened
}
