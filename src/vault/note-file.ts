/** The file of a note: read whole, changed by one writer at a time, replaced in one step, never half. */
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { sleep } from '../clock.ts'
import { AgentMailError, hasCode } from '../errors.ts'
import { randomFraction, randomId } from '../random.ts'
import { systemLock } from '../system-lock.ts'
import type { Folder } from './folder.ts'

/** A reply carries the note twice and escaped, and clients read lines of 10 MiB at most. */
export const maxNoteBytes = 4 << 20

const lockMs = 15_000

/** A note that is open, and as it was read. */
export interface NoteFile {
  fd: number
  stat: BigIntStats
  /** Missing where the note is too large. */
  bytes: Buffer | undefined
  /** A hash of the bytes. */
  etag(): string
}

/** Runs `use` on the note of this name; the answer is nothing where there is none. */
export function readNoteFile<T>(
  folder: Folder,
  name: string,
  use: (file: NoteFile) => T,
): T | undefined {
  const fd = openIfThere(folder, name, constants.O_RDONLY)
  if (fd === undefined) return undefined
  try {
    return use(readOpened(fd))
  } finally {
    closeSync(fd)
  }
}

/** Locks the note itself, so that there are no lock files. One that was replaced meanwhile is let go for the new one. */
export async function lockNote(
  folder: Folder,
  name: string,
  tryLock = systemLock(),
): Promise<NoteFile | undefined> {
  const deadline = performance.now() + lockMs
  for (;;) {
    const fd = openNote(folder, name, constants.O_RDWR)
    if (fd === undefined) return undefined
    let isKept = false
    try {
      for (let wait = 1; !tryLock(fd); wait = Math.min(wait * 2, 20)) {
        if (performance.now() > deadline) throw busy(name)
        await sleep(wait * (0.5 + randomFraction()))
      }
      isKept = isSame(fstatSync(fd, { bigint: true }), folder.stat(name))
      if (isKept) return readOpened(fd)
    } catch (error) {
      isKept = false
      throw error
    } finally {
      if (!isKept) closeSync(fd)
    }
    if (performance.now() > deadline) throw busy(name)
  }
}

/** Puts new bytes in the place of a locked note, unless somebody who takes no locks has changed it: then nothing is done and the answer is false. */
export function replaceNote(folder: Folder, name: string, old: NoteFile, bytes: Buffer): boolean {
  return withTemporary(folder, bytes, Number(old.stat.mode) & 0o7777, (temporary) => {
    if (!isUnchanged(old.stat, folder.stat(name))) return false
    renameSync(folder.at(temporary), folder.at(name))
    return true
  })
}

/** Makes a note of this name, unless there is one: then the answer is false. */
export function createNote(folder: Folder, name: string, bytes: Buffer): boolean {
  return withTemporary(folder, bytes, undefined, (temporary) =>
    putInPlace(folder, temporary, folder, name),
  )
}

/** Gives a locked note another name or folder: the same file, never over another. */
export function moveNoteFile(
  note: NoteFile,
  from: Folder,
  name: string,
  to: Folder,
  newName: string,
): boolean {
  if (isSame(note.stat, to.stat(newName))) return finishMove(note, from, name, to, newName)
  if (!putInPlace(from, name, to, newName)) return false
  const put = to.stat(newName)
  if (!isSame(note.stat, put)) {
    // The old name was given to another file at that moment, which keeps the names it has elsewhere.
    if (put && put.nlink > 1n) unlinkSync(to.at(newName))
    return false
  }
  to.sync()
  removeOldName(note, from, name)
  return true
}

/** A file that somebody has put there meanwhile stays. */
function removeOldName(note: NoteFile, from: Folder, name: string): void {
  if (isSame(note.stat, from.stat(name))) unlinkSync(from.at(name))
  from.sync()
}

/** The file has the new name already: from a move that was cut short, or because the system takes both names for one. */
function finishMove(note: NoteFile, from: Folder, name: string, to: Folder, newName: string): true {
  const hasBoth = to.entries().some((entry) => entry.name === newName)
  if (!hasBoth) renameSync(from.at(name), to.at(newName))
  to.sync()
  if (hasBoth) removeOldName(note, from, name)
  else from.sync()
  return true
}

/** A second name for the file, since a rename would go over what stands there. */
function putInPlace(from: Folder, name: string, to: Folder, newName: string): boolean {
  try {
    linkSync(from.at(name), to.at(newName))
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error
  }
  if (to.stat(newName)) return false // a file system without links
  renameSync(from.at(name), to.at(newName))
  return true
}

const temporaryName = /^\.[0-9A-Za-z]{12}\.agentmail-new$/

/** Writes a file beside the note; it goes again unless `use` gives it the note's place. */
function withTemporary(
  folder: Folder,
  bytes: Buffer,
  mode: number | undefined,
  use: (name: string) => boolean,
): boolean {
  const name = `.${randomId(12)}.agentmail-new`
  const { O_RDWR, O_CREAT, O_EXCL } = constants
  const fd = folder.open(name, O_RDWR | O_CREAT | O_EXCL)
  try {
    systemLock()(fd) // tells it from one that a dead process has left
    if (mode !== undefined) fchmodSync(fd, mode)
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
    fsyncSync(fd)
    if (!use(name)) return false
    folder.sync()
    return true
  } finally {
    closeSync(fd)
    if (folder.stat(name)) unlinkSync(folder.at(name))
  }
}

/** Removes what a process left behind that was killed while it wrote. */
export function removeLeftover(folder: Folder, name: string): void {
  if (!temporaryName.test(name)) return
  const fd = openNote(folder, name, constants.O_RDWR)
  if (fd === undefined) return
  try {
    if (systemLock()(fd)) unlinkSync(folder.at(name))
  } finally {
    closeSync(fd)
  }
}

function openNote(folder: Folder, name: string, flags: number): number | undefined {
  const fd = openIfThere(folder, name, flags)
  if (fd === undefined || fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw notRegular()
}

function openIfThere(folder: Folder, name: string, flags: number): number | undefined {
  try {
    return folder.open(name, flags)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

const notRegular = () => Object.assign(new Error('not a regular file'), { code: 'ENXIO' })

function readOpened(fd: number): NoteFile {
  const stat = fstatSync(fd, { bigint: true })
  if (!stat.isFile()) throw notRegular()
  const bytes = stat.size > maxNoteBytes ? undefined : readAll(fd, Number(stat.size))
  return { fd, stat, bytes, etag: () => (bytes ? etagOf(bytes) : hashOf(partsOf(fd))) }
}

/** Nothing where it has grown too large meanwhile. */
function readAll(fd: number, expected: number): Buffer | undefined {
  const parts: Buffer[] = []
  let size = 0
  for (const part of partsOf(fd, expected + 1)) {
    size += part.length
    if (size > maxNoteBytes) return undefined
    parts.push(part)
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts)
}

function* partsOf(fd: number, room = 1 << 20): Generator<Buffer> {
  for (let position = 0; ; ) {
    const part = Buffer.allocUnsafe(room)
    const count = readSync(fd, part, 0, room, position)
    if (count > 0) yield part.subarray(0, count)
    if (count < room) return // a regular file gives less only at its end
    position += count
  }
}

export const etagOf = (bytes: Buffer): string => hashOf([bytes])

function hashOf(parts: Iterable<Buffer>): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

const isSame = (one: BigIntStats, other: BigIntStats | undefined): boolean =>
  one.ino === other?.ino && one.dev === other.dev

/** The time of the last write can be set back, that of the last change cannot. */
const isUnchanged = (one: BigIntStats, other: BigIntStats | undefined): boolean =>
  isSame(one, other) &&
  one.size === other?.size &&
  one.mtimeNs === other.mtimeNs &&
  one.ctimeNs === other.ctimeNs

const busy = (name: string) =>
  new AgentMailError('busy', `${name} is being written by another process`, 'Try again.')
