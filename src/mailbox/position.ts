/** Where unread mail starts in a mailbox, remembered so that a long one costs no more than a short one. */
import { type BigIntStats, closeSync, fstatSync, ftruncateSync, rmSync, writeSync } from 'node:fs'
import { openRegularFile, textOfFile } from '../system/files.ts'

/**
 * The remembered offset: no line before it is unread. It holds only while the file is just as this
 * program left it (same inode, size and time); after anybody else's edit, or a crash between the
 * edit and this note of it, it is unknown and the file is read from its start. Losing it costs time, never mail.
 */
export function rememberedPosition(path: string, fd: number): number | undefined {
  try {
    const [key, offset] = textOfFile(path).split(' ')
    const position = Number(offset)
    return key === keyOf(fstatSync(fd, { bigint: true })) && Number.isSafeInteger(position)
      ? position
      : undefined
  } catch {
    return undefined
  }
}

/** A failure is passed over: the mail is already safe, and the file is read from its start next time. */
export function rememberPosition(path: string, fd: number, offset: number): void {
  try {
    const file = openRegularFile(path, { create: true, isPrivate: true })
    try {
      ftruncateSync(file)
      writeSync(file, `${keyOf(fstatSync(fd, { bigint: true }))} ${offset}`, 0)
    } finally {
      closeSync(file)
    }
  } catch {}
}

export function forgetPosition(path: string): void {
  try {
    rmSync(path, { force: true, recursive: true })
  } catch {}
}

const keyOf = (stat: BigIntStats): string =>
  [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(':')
