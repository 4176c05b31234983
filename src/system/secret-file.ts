/** A small file of secrets: read whole, changed by one process at a time, replaced in one step, for its owner alone. */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { AgentMailError, hasCode } from '../errors.ts'
import { sleep } from './clock.ts'
import { makeFolder } from './make-folder.ts'
import { randomFraction } from './random.ts'
import { systemLock, type TryLock } from './system-lock.ts'

const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

const maxBytes = 1 << 20

/** Longer than its holder waits for Google. */
const lockMs = 20_000

export interface Secret {
  text: string
  /** Another one whenever the file has changed. */
  stamp: string
}

export class SecretFile {
  readonly path: string
  readonly #tryLock: TryLock | undefined

  /** Tests pass a lock of their own to show what it holds together. */
  constructor(path: string, tryLock?: TryLock) {
    this.path = path
    this.#tryLock = tryLock
  }

  /** Nothing where there is no file. */
  read(): Secret | undefined {
    let fd: number
    try {
      fd = openSync(this.path, O_RDONLY | O_NONBLOCK)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined
      throw error
    }
    try {
      const stat = fstatSync(fd, { bigint: true })
      if (!stat.isFile()) throw failure('ENXIO', 'not a regular file')
      if (stat.size > maxBytes) throw failure('EFBIG', 'too large')
      if (stat.mode & 0o007n) narrow(fd)
      return { text: readFileSync(fd, 'utf8').replace(/^\ufeff/, ''), stamp: stampOf(stat) }
    } finally {
      closeSync(fd)
    }
  }

  /** What the stamp would be if it were read now; nothing where there is nothing to be read. */
  stamp(): string | undefined {
    try {
      return stampOf(statSync(this.path, { bigint: true }))
    } catch {
      return undefined
    }
  }

  /** Runs `work` while no other process does. Who may not write the file cannot lock it, and is told so. */
  async locked<T>(work: (isLocked: boolean) => Promise<T>, { create = false } = {}): Promise<T> {
    const fd = await this.#lock(create)
    try {
      return await work(fd !== undefined)
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  }

  /** The file itself is locked, so that there are no lock files. One that was replaced meanwhile is let go for the new one. */
  async #lock(create: boolean): Promise<number | undefined> {
    const tryLock = this.#tryLock ?? systemLock()
    const deadline = performance.now() + lockMs
    for (;;) {
      const target = targetOf(this.path)
      const fd = openToLock(target, create)
      if (fd === undefined) return undefined
      let isKept = false
      try {
        if (!fstatSync(fd).isFile()) throw failure('ENXIO', 'not a regular file')
        for (let wait = 2; !tryLock(fd); wait = Math.min(wait * 2, 50)) {
          if (performance.now() > deadline) throw busy()
          await sleep(wait * (0.5 + randomFraction()))
        }
        isKept = isStillAt(target, fd)
        if (isKept) return fd
      } finally {
        if (!isKept) closeSync(fd)
      }
      if (performance.now() > deadline) throw busy()
    }
  }

  /** Whoever reads it meanwhile gets the old text or the new. The caller holds the lock. */
  replace(text: string): void {
    const target = targetOf(this.path)
    const temporary = besides(target)
    rmSync(temporary, { force: true })
    const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      try {
        fchmodSync(fd, 0o600)
        writeFileSync(fd, text)
        fsyncSync(fd)
      } finally {
        closeSync(fd)
      }
      renameSync(temporary, target)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
    syncFolder(target)
  }

  /** A link to it stays, and leads nowhere. The caller holds the lock. */
  remove(): void {
    const target = targetOf(this.path)
    rmSync(target)
    rmSync(besides(target), { force: true })
    syncFolder(target)
  }
}

/** Downloaded files can be read by everybody; one that is shared with a group is meant so. */
function narrow(fd: number): void {
  try {
    fchmodSync(fd, 0o600)
  } catch {} // it is another's, who has meant it so
}

/** People keep such files elsewhere and put a link in their place: the link stays. */
function targetOf(path: string, links = 0): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
    if (!isLink || links > 10) return path
    return targetOf(resolve(dirname(path), readlinkSync(path)), links + 1)
  }
}

function openToLock(target: string, create: boolean): number | undefined {
  if (create) makeFolder(dirname(target), 0o700)
  try {
    return openSync(target, O_RDWR | O_NOFOLLOW | O_NONBLOCK | (create ? O_CREAT : 0), 0o600)
  } catch (error) {
    if (!create && hasCode(error, 'ENOENT', 'EACCES', 'EPERM', 'EROFS')) return undefined
    throw error
  }
}

function isStillAt(target: string, fd: number): boolean {
  const [held, there] = [
    fstatSync(fd, { bigint: true }),
    lstatSync(target, { bigint: true, throwIfNoEntry: false }),
  ]
  return held.ino === there?.ino && held.dev === there.dev
}

function syncFolder(target: string): void {
  try {
    const fd = openSync(dirname(target), O_RDONLY)
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch {} // it is in its place, and to call that a failure would be untrue
}

const besides = (target: string): string => join(dirname(target), `.${basename(target)}.new`)

const stampOf = (stat: { dev: bigint; ino: bigint; size: bigint; mtimeNs: bigint }): string =>
  [stat.dev, stat.ino, stat.size, stat.mtimeNs].join(' ')

const failure = (code: string, message: string) => Object.assign(new Error(message), { code })

const busy = () =>
  new AgentMailError('busy', 'another process is using the login of this account', 'Try again.', {
    details: { reason: 'busy' },
  })
