/** Files and folders on the disk: opened without surprises, written for good, put in their place in one step. */
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { hasCode } from '../errors.ts'
import { randomId } from './random.ts'
import { isRecord } from './text.ts'

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

export interface OpenOptions {
  /** Create the file if there is none; without it, a missing file is `undefined`. */
  create?: boolean
  /** Every write goes to the end of the file. */
  append?: boolean
  readOnly?: boolean
  /** It is for its owner alone, whoever could read it so far. */
  isPrivate?: boolean
}

/** Never through a link, and without waiting for the other end of a pipe. */
export function openRegularFile(path: string, options: OpenOptions & { create: true }): number
export function openRegularFile(path: string, options?: OpenOptions): number | undefined
export function openRegularFile(path: string, options: OpenOptions = {}): number | undefined {
  const flags =
    (options.readOnly ? O_RDONLY : O_RDWR) |
    (options.create ? O_CREAT : 0) |
    (options.append ? O_APPEND : 0)
  let fd: number
  try {
    fd = openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600)
  } catch (error) {
    if (hasCode(error, 'ENOENT') && !options.create) return undefined
    throw error
  }
  const stat = fstatSync(fd)
  if (stat.isFile()) {
    if (options.isPrivate && stat.mode & 0o077) ifAllowed(() => fchmodSync(fd, 0o600))
    return fd
  }
  closeSync(fd)
  throw notRegular(path)
}

/** What another has made is that other's to open or close to the rest. */
function ifAllowed(change: () => void): void {
  try {
    change()
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'EROFS')) throw error
  }
}

/** Takes from everybody but its owner what they may do with a file or folder; false where that is nothing, or it is a link. */
export function makePrivate(path: string, { isLook = false } = {}): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!(found?.isFile() || found?.isDirectory()) || (found.mode & 0o077) === 0) return false
  if (!isLook) ifAllowed(() => chmodSync(path, found.isFile() ? 0o600 : 0o700))
  return true
}

/** Runs `work` on an open file, which is closed afterwards; `missing` is the answer where there is none. */
export function readRegularFile<T>(path: string, work: (fd: number) => T, missing: T): T {
  const fd = openRegularFile(path, { readOnly: true })
  if (fd === undefined) return missing
  try {
    return work(fd)
  } finally {
    closeSync(fd)
  }
}

/** The text of a small file. Of one that has become larger than it can be meant, its beginning. */
export const textOfFile = (path: string): string => readRegularFile(path, textHeld, '')

export function textHeld(fd: number): string {
  const bytes = Buffer.allocUnsafe(Math.min(fstatSync(fd).size, 4096))
  return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0))
}

/** In the system's own words. */
export const notRegular = (path: string, isFolder = false) =>
  Object.assign(new Error(isFolder ? 'is a folder' : 'not a regular file'), {
    ...{ code: isFolder ? 'EISDIR' : 'ENXIO', syscall: 'open', path },
  })

/** Whether a link, a folder or a pipe was found where a file should be. */
export const isNotRegular = (error: unknown): error is NodeJS.ErrnoException =>
  hasCode(error, 'ENXIO', 'ELOOP', 'EISDIR') && isRecord(error) && error.syscall === 'open'

export const isSameFile = (one: BigIntStats, other: BigIntStats | undefined): boolean =>
  one.ino === other?.ino && one.dev === other.dev

/** With those above it. Not by Node's own `recursive`: that tries for ever where a folder is there and takes no others, as /proc. */
export function makeFolder(path: string, mode = 0o777): void {
  const folder = resolve(path)
  if (isFolder(folder)) return
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder), mode)
  try {
    mkdirSync(folder, mode)
  } catch (error) {
    if (!isFolder(folder)) throw error // else somebody was faster
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** With all that is in it; at once, so that nobody takes what is left of it for the whole. */
export function removeFolder(path: string): void {
  const removed = `${path}.${randomId(8)}`
  renameSync(path, removed)
  rmSync(removed, { recursive: true, force: true })
}

/** Takes from all but its owner what they may do with an open file; one of somebody else stays as it is. */
export function keepForOwner(fd: number): void {
  const { mode } = fstatSync(fd)
  if ((mode & 0o077) === 0) return
  try {
    fchmodSync(fd, mode & 0o700)
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EROFS')) throw error
  }
}

/** Where no position is given, where the file is at. */
export function writeAll(fd: number, bytes: Buffer, position?: number): void {
  for (let done = 0; done < bytes.length; ) {
    const at = position === undefined ? null : position + done
    done += writeSync(fd, bytes, done, bytes.length - done, at)
  }
}

/** When it returns, all that was written to the file is on disk. */
export const syncFile = (fd: number): void => fsyncSync(fd)

/** A new, renamed or removed file is only so for good once its folder is on disk. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return // folders cannot be opened there
  const fd = openSync(dirname(path), 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Where files are put: a folder that is held open, or just a path. */
export interface Place {
  at(name: string): string
  open(name: string, flags: number, mode?: number): number
  sync(): void
}

const placeAround = (path: string): Place => ({
  at: (name) => join(dirname(path), name),
  open: (name, flags, mode) => openSync(join(dirname(path), name), flags | O_NOFOLLOW, mode),
  sync() {
    try {
      syncFolder(path)
    } catch {} // it is in its place, and to call that a failure would be untrue
  },
})

export interface NewFile {
  content: Iterable<Buffer>
  /** Its name until it has its place. What has that name goes, so it is chosen by chance or the caller holds a lock. */
  temporary: string
  mode?: number
  /** Runs before anything is written. */
  prepare?: (fd: number) => void
}

/** Writes a file anew beside itself and puts it in its place in one step. The caller holds the file's lock, or can say when nothing is left to do but that step whether it `isWanted`. */
export function replaceFile(
  path: string,
  content: Iterable<Buffer>,
  options: Partial<NewFile> = {},
  isWanted?: () => boolean,
): boolean {
  const name = basename(path)
  const file = { content, temporary: `${name}.new`, ...options }
  return replaceIn(placeAround(path), name, file, isWanted)
}

/** The same; `isWanted` is asked when nothing is left to do but the one step. */
export function replaceIn(
  place: Place,
  name: string,
  file: NewFile,
  isWanted = () => true,
): boolean {
  return withTemporary(place, file, () => {
    if (!isWanted()) return 'refused'
    moveIn(place, file.temporary, place, name)
    return 'moved'
  })
}

/** Makes a file, complete and for good, unless something has its name: then the answer is false. */
export function createIn(place: Place, name: string, file: NewFile): boolean {
  return withTemporary(place, file, () =>
    nameAlso(place, file.temporary, place, name) ? 'named' : 'refused',
  )
}

/** Writes the file to disk; it goes again unless `use` has moved it. */
function withTemporary(
  place: Place,
  { content, temporary, mode = 0o600, prepare }: NewFile,
  use: () => 'moved' | 'named' | 'refused',
): boolean {
  const fd = openNew(place, temporary, mode)
  let isMoved = false
  try {
    prepare?.(fd)
    for (const bytes of content) writeAll(fd, bytes)
    fsyncSync(fd)
    const used = use()
    isMoved = used === 'moved'
    if (used !== 'refused') place.sync()
    return used !== 'refused'
  } finally {
    closeSync(fd)
    if (!isMoved) removeFile(place.at(temporary))
  }
}

/** What a killed process has left there is in nobody's way. */
function openNew(place: Place, name: string, mode: number): number {
  const open = () => place.open(name, O_RDWR | O_CREAT | O_EXCL, mode)
  try {
    return open()
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  removeFile(place.at(name))
  return open()
}

/** If it is there. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

/** Over whatever has the new name. */
export const moveFile = (from: string, to: string): void => renameSync(from, to)

export const moveIn = (from: Place, name: string, to: Place, newName: string): void =>
  moveFile(from.at(name), to.at(newName))

/** A second name for a file, since a rename would go over what has that name: then the answer is false. Where a disk knows no second names, it loses the first. */
export function nameAlso(from: Place, name: string, to: Place, newName: string): boolean {
  try {
    linkSync(from.at(name), to.at(newName))
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error
  }
  if (lstatSync(to.at(newName), { throwIfNoEntry: false })) return false
  moveIn(from, name, to, newName)
  return true
}

/** The same by whole paths. */
export const nameFileAlso = (from: string, to: string): boolean =>
  nameAlso(placeAround(from), basename(from), placeAround(to), basename(to))

/** To a name that nothing has: then the answer is false. */
export function moveIfFree(from: string, to: string): boolean {
  const isMoved = nameFileAlso(from, to)
  if (isMoved) removeFile(from)
  return isMoved
}
