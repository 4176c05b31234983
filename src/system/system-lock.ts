/** An exclusive lock on an open file that the operating system drops with its holder, however that dies. */
import { createRequire } from 'node:module'
import { AgentMailError, hasCode } from '../errors.ts'

/** Takes the lock if it is free. The file must be open for writing; the lock goes when it is closed. */
export type TryLock = (fd: number) => boolean

let loaded: TryLock | undefined

/** fs-native-extensions' lock (OFD locks on Linux, flock on macOS), straight from its prebuilt file: its own loader costs 12 ms. */
export function systemLock(): TryLock {
  if (loaded) return loaded
  const file = `fs-native-extensions/prebuilds/${process.platform}-${process.arch}/fs-native-extensions.node`
  let native: { tryLock(fd: number, offset: number, length: number, exclusive: boolean): void }
  try {
    native = createRequire(import.meta.url)(file)
  } catch (cause) {
    throw new AgentMailError(
      'internal',
      `file locks are not available on ${process.platform}-${process.arch}`,
      'AgentMail needs Linux (glibc) or macOS on x64 or arm64; if this is one of these, install it again.',
      { cause },
    )
  }
  loaded = (fd) => {
    try {
      native.tryLock(fd, 0, 0, true)
      return true
    } catch (error) {
      if (hasCode(error, 'EAGAIN', 'EACCES')) return false
      throw error
    }
  }
  return loaded
}
