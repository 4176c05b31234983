/** Changes the file of a note: in one step, for good, and never over what somebody else has put there. */
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { hasCode } from '../errors.ts'
import type { Folder } from '../system/folder.ts'
import { randomId } from '../system/random.ts'
import { systemLock } from '../system/system-lock.ts'
import { isSame, type NoteFile, openNote } from './note-file.ts'

/** Puts new bytes in the place of a locked note, unless somebody who takes no locks has changed it: then nothing is done and the answer is false. */
export function replaceNote(folder: Folder, name: string, old: NoteFile, bytes: Buffer): boolean {
  return withTemporary(folder, bytes, old.stat, (temporary) => {
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

/** Makes a file of this name, or puts these bytes in the place of the one that is there. */
export function putFile(folder: Folder, name: string, bytes: Buffer): void {
  withTemporary(folder, bytes, folder.stat(name), (temporary) => {
    renameSync(folder.at(temporary), folder.at(name))
    return true
  })
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
  like: BigIntStats | undefined,
  use: (name: string) => boolean,
): boolean {
  const name = `.${randomId(12)}.agentmail-new`
  const { O_RDWR, O_CREAT, O_EXCL } = constants
  const fd = folder.open(name, O_RDWR | O_CREAT | O_EXCL)
  try {
    systemLock()(fd) // tells it from one that a dead process has left
    if (like) giveSameRights(fd, like)
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

/** So that whoever could read and write the note still can. */
function giveSameRights(fd: number, { uid, gid, mode }: BigIntStats): void {
  try {
    fchownSync(fd, Number(uid), Number(gid))
  } catch {} // only the system's administrator may give files away
  fchmodSync(fd, Number(mode) & 0o7777)
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

/** The time of the last write can be set back, that of the last change cannot. */
const isUnchanged = (one: BigIntStats, other: BigIntStats | undefined): boolean =>
  isSame(one, other) &&
  one.size === other?.size &&
  one.mtimeNs === other.mtimeNs &&
  one.ctimeNs === other.ctimeNs
