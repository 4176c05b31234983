/** Runs work on a file of the post office while no other process does. */
import { closeSync, lstatSync } from 'node:fs'
import { AgentMailError } from '../errors.ts'
import { type OpenOptions, openRegularFile } from '../system/files.ts'
import { type Lock, openLocked } from '../system/lock.ts'
import { asStorageError } from '../system/post-office-folder.ts'

export interface LockOptions extends OpenOptions {
  /** Tests switch the lock off to show what it holds together. */
  lock?: Lock | undefined
  patienceMs?: number
}

/** `work` is synchronous, so that nothing can hold the lock for long. Nothing where there is no file. */
export async function withLockedFile<T>(
  path: string,
  options: LockOptions,
  work: (fd: number) => T,
): Promise<T | undefined> {
  let fd: number | undefined
  try {
    fd = await openLockedFile(path, options)
    return fd === undefined ? undefined : work(fd)
  } catch (error) {
    throw asStorageError(error)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** The lock lasts until the descriptor is closed. */
export const openLockedFile = (
  path: string,
  { lock, patienceMs, ...options }: LockOptions,
): Promise<number | undefined> =>
  openLocked({
    open: () => openRegularFile(path, { ...options, isPrivate: true }),
    there: () => lstatSync(path, { bigint: true, throwIfNoEntry: false }),
    busy,
    lock,
    ...(patienceMs !== undefined && { patienceMs }),
  })

const busy = () =>
  new AgentMailError(
    'busy',
    'the post office is busy: another process has held its lock for too long',
    'Try again. If it lasts, look for a stopped agentmail process and end it; the lock goes with it.',
  )
