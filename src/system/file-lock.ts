/** Runs work on a file of the post office while no other process does. */
import { closeSync, fstatSync, statSync } from 'node:fs'
import { AgentMailError } from '../errors.ts'
import { sleep } from './clock.ts'
import { type OpenOptions, openRegularFile } from './regular-file.ts'
import { asStorageError } from './storage-error.ts'
import { systemLock, type TryLock } from './system-lock.ts'

export interface LockOptions extends OpenOptions {
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
    throw asStorageError(error)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** Opens and locks; the lock lasts until the descriptor is closed. */
export async function openLocked(path: string, options: LockOptions): Promise<number | undefined> {
  const { tryLock = systemLock(), timeoutMs = 15_000 } = options
  const deadline = Date.now() + timeoutMs
  let longestWait = 2
  for (;;) {
    const fd = openRegularFile(path, options)
    if (fd === undefined) return undefined
    let kept = false
    try {
      while (!tryLock(fd)) {
        if (Date.now() > deadline) throw busy()
        await sleep(1 + Math.random() * longestWait)
        longestWait = Math.min(longestWait + 1, 20)
      }
      kept = isStillAt(path, fd)
      if (kept) return fd
    } finally {
      if (!kept) closeSync(fd)
    }
    if (Date.now() > deadline) throw busy()
  }
}

function isStillAt(path: string, fd: number): boolean {
  const held = fstatSync(fd, { bigint: true })
  const there = statSync(path, { bigint: true, throwIfNoEntry: false })
  return there !== undefined && there.ino === held.ino && there.dev === held.dev
}

const busy = () =>
  new AgentMailError(
    'busy',
    'the post office is busy: another process has held its lock for too long',
    'Try again. If it lasts, look for a stopped agentmail process and end it; the lock goes with it.',
  )
