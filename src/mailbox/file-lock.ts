/** An exclusive lock on a file that the operating system drops with its holder, however that dies. */
import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { sleep } from '../clock.ts'
import { AgentMailError, hasCode } from '../errors.ts'

/** Takes the lock if it is free. */
export type TryLock = (fd: number) => boolean

export interface LockOptions {
  /** Create the file if there is none; without it, a missing file is `undefined`. */
  create?: boolean
  /** Every write goes to the end of the file. */
  append?: boolean
  /** Tests switch the lock off to show what it holds together. */
  tryLock?: TryLock
  timeoutMs?: number
}

/**
 * Runs `work` on the file at `path` while no other process does. `work` is synchronous, so that
 * nothing can hold the lock for long. A file that was replaced or removed while this caller waited
 * for its lock is let go, and the one now at `path` is taken.
 */
export async function withLockedFile<T>(
  path: string,
  options: LockOptions,
  work: (fd: number) => T,
): Promise<T | undefined> {
  let fd: number | undefined
  try {
    fd = await openLocked(path, options)
    return fd === undefined ? undefined : work(fd)
  } catch (error) {
    throw AgentMailError.is(error) ? error : storageError(error)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Opens and locks; the lock lasts until the descriptor is closed. */
export async function openLocked(path: string, options: LockOptions): Promise<number | undefined> {
  const { tryLock = systemLock(), timeoutMs = 15_000 } = options
  const deadline = Date.now() + timeoutMs
  for (let attempt = 0; ; attempt++) {
    const fd = openRegularFile(path, options)
    if (fd === undefined) return undefined
    let kept = false
    try {
      while (!tryLock(fd)) {
        if (Date.now() > deadline) throw busy()
        await sleep(1 + Math.random() * Math.min(20, 2 + attempt++))
      }
      kept = isStillAt(path, fd)
      if (kept) return fd
    } finally {
      if (!kept) closeSync(fd)
    }
    if (Date.now() > deadline) throw busy()
  }
}

/** Opens without following a link and without waiting on a pipe; anything but a file is refused. */
export function openRegularFile(
  path: string,
  options: { create?: boolean; append?: boolean; readOnly?: boolean } = {},
): number | undefined {
  const flags =
    (options.readOnly ? constants.O_RDONLY : constants.O_RDWR) |
    (constants.O_NOFOLLOW ?? 0) |
    (constants.O_NONBLOCK ?? 0) |
    (options.create ? constants.O_CREAT : 0) |
    (options.append ? constants.O_APPEND : 0)
  let fd: number
  try {
    fd = openSync(path, flags, 0o600)
  } catch (error) {
    if (hasCode(error, 'ENOENT') && !options.create) return undefined
    throw hasCode(error, 'ELOOP', 'EISDIR', 'ENXIO') ? notAFile() : error
  }
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw notAFile()
}

function isStillAt(path: string, fd: number): boolean {
  const held = fstatSync(fd, { bigint: true })
  const there = statSync(path, { bigint: true, throwIfNoEntry: false })
  return there !== undefined && there.ino === held.ino && there.dev === held.dev
}

let loaded: TryLock | undefined

/** fs-native-extensions' lock (OFD locks on Linux, flock on macOS), straight from its prebuilt file: its own loader costs 12 ms. */
function systemLock(): TryLock {
  if (loaded) return loaded
  const file = `fs-native-extensions/prebuilds/${process.platform}-${process.arch}/fs-native-extensions.node`
  let native: { tryLock(fd: number, offset: number, length: number, exclusive: boolean): void }
  try {
    native = createRequire(import.meta.url)(file)
  } catch (cause) {
    throw new AgentMailError(
      'internal',
      `file locks are not available on ${process.platform}-${process.arch}`,
      'AgentMail needs Linux (glibc), macOS or Windows on x64 or arm64; if it is one of these, install it again.',
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

const busy = () =>
  new AgentMailError(
    'busy',
    'the post office is busy: another process has held its lock for too long',
    'Try again. If it lasts, look for a stopped agentmail process and end it; the lock goes with it.',
  )

const storageError = (cause: unknown) =>
  new AgentMailError(
    'storage',
    `the post office could not be read or written (${cause instanceof Error && 'code' in cause ? cause.code : 'internal error'})`,
    'Nothing was changed. Check the .agentmail folder, its permissions and the free space, then try again.',
    { cause },
  )

const notAFile = () =>
  new AgentMailError(
    'storage',
    'a file of the post office is not a regular file',
    'Look into the .agentmail folder and remove the link, folder or pipe that stands there.',
  )
