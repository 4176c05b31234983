/** Changes the file of a note: in one step, for good, and never over what somebody else has put there. */
import { type BigIntStats, closeSync, constants, fchmodSync, fchownSync, unlinkSync } from 'node:fs'
import {
  createIn,
  isSameFile,
  keepForOwner,
  moveIn,
  type NewFile,
  nameAlso,
  replaceIn,
} from '../system/files.ts'
import type { Folder } from '../system/folder.ts'
import { lockIfFree } from '../system/lock.ts'
import { randomId } from '../system/random.ts'
import { type NoteFile, openNote } from './note-file.ts'
import type { Found } from './vault.ts'

/** Where a note is put: a folder of the vault, and whether what is there is for its owner alone. */
export type NoteFolder = Pick<Found, 'folder' | 'isPrivate'>

/** Puts new bytes in the place of a locked note, unless somebody who takes no locks has changed it: then nothing is done and the answer is false. */
export const replaceNote = (
  { folder, isPrivate }: NoteFolder,
  name: string,
  old: NoteFile,
  bytes: Buffer,
): boolean =>
  replaceIn(folder, name, fileOf(bytes, isPrivate, old.stat), () =>
    isUnchanged(old.stat, folder.stat(name)),
  )

/** Makes a note of this name, unless there is one: then the answer is false. */
export const createNote = ({ folder, isPrivate }: NoteFolder, name: string, bytes: Buffer) =>
  createIn(folder, name, fileOf(bytes, isPrivate))

/** Makes a file of this name, or puts these bytes in the place of the one that is there. */
export function putFile({ folder, isPrivate }: NoteFolder, name: string, bytes: Buffer): void {
  replaceIn(folder, name, fileOf(bytes, isPrivate, folder.stat(name)))
}

/** Gives a locked note another name or folder: the same file, never over another. */
export function moveNoteFile(
  note: NoteFile,
  from: Folder,
  name: string,
  to: Folder,
  newName: string,
): boolean {
  if (isSameFile(note.stat, to.stat(newName))) return finishMove(note, from, name, to, newName)
  if (!nameAlso(from, name, to, newName)) return false
  const put = to.stat(newName)
  if (!isSameFile(note.stat, put)) {
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
  if (isSameFile(note.stat, from.stat(name))) unlinkSync(from.at(name))
  from.sync()
}

/** The file has the new name already: from a move that was cut short, or because the system takes both names for one. */
function finishMove(note: NoteFile, from: Folder, name: string, to: Folder, newName: string): true {
  const hasBoth = to.entries().some((entry) => entry.name === newName)
  if (!hasBoth) moveIn(from, name, to, newName)
  to.sync()
  if (hasBoth) removeOldName(note, from, name)
  else from.sync()
  return true
}

const temporaryName = /^\.[0-9A-Za-z]{12}\.agentmail-new$/

function fileOf(bytes: Buffer, isPrivate: boolean, like?: BigIntStats): NewFile {
  return {
    content: [bytes],
    temporary: `.${randomId(12)}.agentmail-new`,
    mode: isPrivate ? 0o600 : 0o666,
    prepare(fd) {
      lockIfFree(fd) // tells it from one that a dead process has left
      if (like) giveSameRights(fd, like)
      if (isPrivate) keepForOwner(fd)
    },
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
    if (lockIfFree(fd)) unlinkSync(folder.at(name))
  } finally {
    closeSync(fd)
  }
}

/** The time of the last write can be set back, that of the last change cannot. */
const isUnchanged = (one: BigIntStats, other: BigIntStats | undefined): boolean =>
  isSameFile(one, other) &&
  one.size === other?.size &&
  one.mtimeNs === other.mtimeNs &&
  one.ctimeNs === other.ctimeNs
