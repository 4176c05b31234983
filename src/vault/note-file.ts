/** The file of a note: how large it may be, read whole, and changed by one writer at a time. */
import { type BigIntStats, closeSync, constants, fstatSync, readSync } from 'node:fs'
import { AgentMailError, hasCode } from '../errors.ts'
import { notRegular } from '../system/files.ts'
import type { Folder } from '../system/folder.ts'
import { type Lock, openLocked } from '../system/lock.ts'

/** A reply carries the note twice and escaped, and clients read lines of 10 MiB at most. */
export const maxNoteBytes = 4 << 20
const maxReplyBytes = 10_000_000

/** To hash more would hold up everybody else. */
const maxHashedBytes = 64 << 20

/** A note that is open, and as it was read. */
export interface NoteFile {
  fd: number
  stat: BigIntStats
  /** Missing where the note is too large. */
  bytes: Buffer | undefined
  /** A hash of the bytes; none for what is far too large for a note. */
  etag(): string | undefined
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
    return use(readOpened(fd, name))
  } finally {
    closeSync(fd)
  }
}

/** Locks the note itself, so that there are no lock files. */
export async function lockNote(
  folder: Folder,
  name: string,
  lock?: Lock,
): Promise<NoteFile | undefined> {
  const fd = await openLocked({
    open: () => openNote(folder, name, constants.O_RDWR),
    there: () => folder.stat(name),
    busy: () => busy(name),
    lock,
  })
  if (fd === undefined) return undefined
  try {
    return readOpened(fd, name)
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

export function openNote(folder: Folder, name: string, flags: number): number | undefined {
  const fd = openIfThere(folder, name, flags)
  if (fd === undefined || fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw notRegular(name)
}

function openIfThere(folder: Folder, name: string, flags: number): number | undefined {
  try {
    return folder.open(name, flags)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function readOpened(fd: number, name: string): NoteFile {
  const stat = fstatSync(fd, { bigint: true })
  if (!stat.isFile()) throw notRegular(name, stat.isDirectory())
  const bytes = stat.size > maxNoteBytes ? undefined : readAll(fd, Number(stat.size))
  return { fd, stat, bytes, etag: () => (bytes ? etagOf(bytes) : etagOfLarge(fd, stat.size)) }
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

const etagOfLarge = (fd: number, size: bigint): string | undefined =>
  size > maxHashedBytes ? undefined : hashOf(partsOf(fd))

export const etagOf = (bytes: Buffer): string => hashOf([bytes])

function hashOf(parts: Iterable<Buffer>): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

export const busy = (name: string) =>
  new AgentMailError('busy', `${name} is being written by another process`, 'Try again.')

export function checkSize(path: string, bytes: number): void {
  if (bytes > maxNoteBytes) throw tooLarge(`${path} would be ${bytes} bytes`, { size: bytes })
}

export function checkReply<Reply extends { path: string; etag: string }>(note: Reply): Reply {
  const bytes = replyBytes(note)
  if (bytes <= maxReplyBytes) return note
  throw tooLarge(`a reply with ${note.path} would be ${bytes} bytes`, {
    size: bytes,
    etag: note.etag,
  })
}

export const fitsReply = (value: unknown): boolean => replyBytes(value) <= maxReplyBytes

function replyBytes(value: unknown): number {
  const text = JSON.stringify(value)
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text))
}

export const tooLarge = (message: string, details: { size: number; etag?: string | null }) =>
  new AgentMailError(
    'invalid_request',
    `${message}, more than a client can take (${maxNoteBytes} a note, ${maxReplyBytes} a reply)`,
    'Split it into several notes.',
    { details },
  )
