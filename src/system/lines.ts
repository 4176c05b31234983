/** Reads a file of lines piece by piece, without ever holding more than a piece and a line. */
import { readSync } from 'node:fs'

export interface TextLine {
  /** Offset of its first byte in the file. */
  start: number
  /** Offset just after it, newline included. */
  end: number
  /** Its bytes without the newline, valid until the next line is asked for; nothing where it is too long to be read. */
  bytes: Buffer | undefined
  /** False for a last line that has no newline: a write that was cut short. */
  whole: boolean
}

const newline = 0x0a
const pieceSize = 1 << 16
/** Forty times what the longest message takes. A string of Node ends at 512 MB, and memory may end before. */
const maxLine = 1 << 24

export function* readLines(fd: number, from = 0): Generator<TextLine> {
  let buffer = Buffer.allocUnsafe(pieceSize)
  let bufferStart = from
  let filled = 0
  for (;;) {
    if (filled === maxLine) {
      const end = endOfLine(fd, bufferStart + filled)
      yield { start: bufferStart, bytes: undefined, ...end }
      bufferStart = end.end
      filled = 0
    }
    if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
    const count = readSync(fd, buffer, filled, buffer.length - filled, bufferStart + filled)
    if (count === 0) break
    const searchFrom = filled
    filled += count
    const filledPart = buffer.subarray(0, filled)
    let lineStart = 0
    let lineEnd = filledPart.indexOf(newline, searchFrom)
    while (lineEnd !== -1) {
      yield {
        start: bufferStart + lineStart,
        end: bufferStart + lineEnd + 1,
        bytes: filledPart.subarray(lineStart, lineEnd),
        whole: true,
      }
      lineStart = lineEnd + 1
      lineEnd = filledPart.indexOf(newline, lineStart)
    }
    buffer.copyWithin(0, lineStart, filled)
    bufferStart += lineStart
    filled -= lineStart
  }
  if (filled > 0) {
    const bytes = buffer.subarray(0, filled)
    yield { start: bufferStart, end: bufferStart + filled, bytes, whole: false }
  }
}

/** Where the line ends that `from` is inside of. */
function endOfLine(fd: number, from: number): Pick<TextLine, 'end' | 'whole'> {
  const piece = Buffer.allocUnsafe(maxLine >> 4)
  for (let offset = from; ; ) {
    const count = readSync(fd, piece, 0, piece.length, offset)
    if (count === 0) return { end: offset, whole: false }
    const found = piece.subarray(0, count).indexOf(newline)
    if (found !== -1) return { end: offset + found + 1, whole: true }
    offset += count
  }
}

/** A line as it stands in the file, its newline included, piece by piece. */
export function* bytesOfLine(fd: number, { start, end }: TextLine): Generator<Buffer> {
  for (let offset = start; offset < end; ) {
    const piece = Buffer.allocUnsafe(Math.min(end - offset, maxLine >> 4))
    const count = readSync(fd, piece, 0, piece.length, offset)
    if (count === 0) return
    yield piece.subarray(0, count)
    offset += count
  }
}

/**
 * The offset of the first line from `position` on whose end (its last 100 bytes at most) is not one
 * to pass over. Much faster than reading line by line.
 */
export function passOverLines(
  fd: number,
  position: number,
  isPassedOver: (lineEnd: string) => boolean,
): number {
  const piece = Buffer.allocUnsafe(pieceSize)
  let offset = position
  for (;;) {
    const text = piece.toString('latin1', 0, readSync(fd, piece, 0, piece.length, offset))
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (!isPassedOver(text.slice(Math.max(start, end - 100), end))) return offset + start
      start = end + 1
    }
    if (start === 0) return offset
    offset += start
  }
}

/** Whether what is appended next would start in the middle of a line. */
export function endsInsideLine(fd: number, size: number): boolean {
  if (size === 0) return false
  const last = Buffer.alloc(1)
  return readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== newline
}

/** Where the last so many lines begin; fewer, where they are longer than so many bytes. */
export function startOfLastLines(
  fd: number,
  size: number,
  most: { lines: number; bytes: number },
): number {
  const piece = Buffer.allocUnsafe(pieceSize)
  const lowest = Math.max(0, size - most.bytes)
  let start = size
  let left = most.lines
  for (let from = size; from > lowest; ) {
    const length = Math.min(pieceSize, from - lowest)
    from -= length
    const read = piece.subarray(0, readSync(fd, piece, 0, length, from))
    // A line begins after a newline, but for the one that ends the file.
    for (let at = read.lastIndexOf(newline); at !== -1; at = before(read, at)) {
      if (from + at + 1 === size) continue
      start = from + at + 1
      if (--left === 0) return start
    }
  }
  return lowest === 0 ? 0 : start
}

const before = (bytes: Buffer, at: number): number =>
  at === 0 ? -1 : bytes.lastIndexOf(newline, at - 1)
