/** A small file of secrets: read whole, changed by one process at a time, replaced in one step, for its owner alone. */
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { AgentMailError, hasCode } from '../errors.ts'
import { makeFolder, notRegular, openRegularFile, replaceFile, syncFolder } from './files.ts'
import { type Lock, openLocked } from './lock.ts'

const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants

const maxBytes = 1 << 20

/** Longer than its holder waits for Google. */
const patienceMs = 20_000

export interface Secret {
  text: string
  /** Another one whenever the file has changed. */
  stamp: string
}

export class SecretFile {
  readonly path: string
  readonly #lock: Lock | undefined

  /** Tests pass a lock of their own to show what it holds together. */
  constructor(path: string, lock?: Lock) {
    this.path = path
    this.#lock = lock
  }

  /** Nothing where there is no file. */
  read(): Secret | undefined {
    return this.#read(O_RDONLY | O_NONBLOCK, (fd, { mode }) => {
      if (mode & 0o007n) narrow(fd)
    })
  }

  /** The same, but refused (EPERM) where anybody else can read or write it, and (ELOOP) where it is a link. */
  readAlone(): Secret | undefined {
    return this.#read(O_RDONLY | O_NONBLOCK | O_NOFOLLOW, (_fd, { mode, uid }) => {
      const isOwn = process.getuid === undefined || uid === BigInt(process.getuid())
      if (!isOwn || mode & 0o077n) throw Object.assign(new Error('not alone'), { code: 'EPERM' })
    })
  }

  #read(flags: number, check: (fd: number, stat: BigIntStats) => void): Secret | undefined {
    let fd: number
    try {
      fd = openSync(this.path, flags)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined
      throw error
    }
    try {
      const stat = fstatSync(fd, { bigint: true })
      if (!stat.isFile()) throw notRegular(this.path)
      if (stat.size > maxBytes) throw Object.assign(new Error('too large'), { code: 'EFBIG' })
      check(fd, stat)
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

  /** Takes a link away that stands in its place, and says whether there was one. */
  unlink(): boolean {
    if (!this.isLink()) return false
    rmSync(this.path)
    return true
  }

  isLink(): boolean {
    return lstatSync(this.path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  }

  /** Runs `work` while no other process does. Who may not write the file cannot lock it, and is told so. */
  async locked<T>(work: (isLocked: boolean) => Promise<T>, { create = false } = {}): Promise<T> {
    const fd = await this.#open(create)
    try {
      return await work(fd !== undefined)
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  }

  /** The file itself is locked, so that there are no lock files. */
  #open(create: boolean): Promise<number | undefined> {
    let target = this.path
    return openLocked({
      open: () => {
        target = targetOf(this.path)
        return openToLock(target, create)
      },
      there: () => lstatSync(target, { bigint: true, throwIfNoEntry: false }),
      busy,
      patienceMs,
      lock: this.#lock,
    })
  }

  /** Whoever reads it meanwhile gets the old text or the new. The caller holds the lock. */
  replace(text: string): void {
    const target = targetOf(this.path)
    replaceFile(target, [Buffer.from(text)], {
      temporary: basename(besides(target)),
      prepare: (fd) => fchmodSync(fd, 0o600),
    })
  }

  /** A link to it stays, and leads nowhere. The caller holds the lock. */
  remove(): void {
    const target = targetOf(this.path)
    rmSync(target)
    rmSync(besides(target), { force: true })
    try {
      syncFolder(target)
    } catch {} // it is gone, and to call that a failure would be untrue
  }
}

/** Downloaded files can be read by everybody; one that is shared with a group is meant so. */
function narrow(fd: number): void {
  try {
    fchmodSync(fd, 0o600)
  } catch {} // it is another's, who has meant it so
}

/** People keep such files, or their folders, elsewhere and put a link in their place: the link stays. The same whether the file is there or not yet. */
export function targetOf(path: string, links = 0): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()
    if (links > 10) return path
    const folder = dirname(path)
    if (!isLink) return folder === path ? path : join(targetOf(folder, links), basename(path))
    return targetOf(resolve(dirname(path), readlinkSync(path)), links + 1)
  }
}

function openToLock(target: string, create: boolean): number | undefined {
  if (create) makeFolder(dirname(target), 0o700)
  try {
    return openRegularFile(target, { create })
  } catch (error) {
    if (!create && hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return undefined
    throw error
  }
}

const besides = (target: string): string => join(dirname(target), `.${basename(target)}.new`)

const stampOf = (stat: { dev: bigint; ino: bigint; size: bigint; mtimeNs: bigint }): string =>
  [stat.dev, stat.ino, stat.size, stat.mtimeNs].join(' ')

const busy = () =>
  new AgentMailError('busy', 'another process is using the login of this account', 'Try again.', {
    details: { reason: 'busy' },
  })
