/** Files of lines in Logs/: one that was cut short spoils no other. */
import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import { AgentMailError } from '../errors.ts'
import { keepForOwner, syncFile, writeAll } from '../system/files.ts'
import { endsInsideLine } from '../system/lines.ts'
import type { Vault } from './vault.ts'

export const logFolders = ['Logs']

/** No line of ours is as long. */
const maxLineBytes = 64 << 10
const lineFeed = 0x0a
const { O_RDWR, O_APPEND, O_CREAT } = constants

/** @param options.isForGood false for what may be lost when the system itself goes down. */
export function appendLine(
  place: Vault,
  name: string,
  text: string,
  { isForGood = true }: { isForGood?: boolean } = {},
): void {
  const { folder } = place.make(logFolders)
  try {
    const fd = folder.open(name, O_RDWR | O_APPEND | O_CREAT, 0o600)
    try {
      const stat = fstatSync(fd)
      if (!stat.isFile()) throw new AgentMailError('storage', `Logs/${name} is not a file`)
      keepForOwner(fd)
      const bytes = Buffer.from(`${endsInsideLine(fd, stat.size) ? '\n' : ''}${text}\n`)
      writeAll(fd, bytes)
      if (isForGood) syncFile(fd)
    } finally {
      closeSync(fd)
    }
    if (isForGood) folder.sync()
  } finally {
    folder.close()
  }
}

/** Whether it can be read back as a line. */
export const fitsLine = (text: string): boolean => Buffer.byteLength(text) <= maxLineBytes

/** The finished lines of an open file, but for those that are too long; in the end, where the next one begins. */
export function* linesOf(fd: number, from = 0): Generator<string, number> {
  const lines = placedLinesOf(fd, from)
  let next = lines.next()
  for (; !next.done; next = lines.next()) yield next.value.text
  return next.value
}

/** The same, with where each begins. */
export function* placedLinesOf(
  fd: number,
  from = 0,
): Generator<{ text: string; at: number }, number> {
  const part = Buffer.allocUnsafe(maxLineBytes)
  let rest = Buffer.alloc(0)
  let isTooLong = false
  let begin = from
  for (let position = from; ; ) {
    const count = readSync(fd, part, 0, part.length, position)
    if (count === 0) return begin
    position += count
    rest = Buffer.concat([rest, part.subarray(0, count)])
    for (let end = rest.indexOf(lineFeed); end !== -1; end = rest.indexOf(lineFeed)) {
      const at = begin
      const text = isTooLong || end > maxLineBytes ? undefined : rest.toString('utf8', 0, end)
      isTooLong = false
      rest = rest.subarray(end + 1)
      begin = position - rest.length
      if (text !== undefined) yield { text, at }
    }
    if (rest.length > maxLineBytes) {
      isTooLong = true
      rest = Buffer.alloc(0)
    }
  }
}
