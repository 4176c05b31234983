/** Lines that must never fail or wait: what nobody reads does not hold up or end its writer. */
import { copyFileSync, fstatSync, readSync, renameSync, statSync, truncateSync } from 'node:fs'
import { steering } from './text.ts'

/** To stderr, one line each, since stdout may carry a protocol. */
export const log = (text: string): void => writeLine(process.stderr, `agentmail: ${text}`)

/** From now on nobody's lines are written, in whichever part of the build they are: for a process whose stderr is taken for its answer. */
export const logNothing = (): void => {
  process.stderr.write = () => true
}

const quietMs = 60_000
/** How many were left out since the line of their kind. */
const leftOut = new Map<string, number>()

/**
 * For what a caller can bring about as often as it likes: one line, and after a minute how many came since.
 *
 * @param kind of a fixed few, in the plural.
 */
export function logSeldom(kind: string, text: string): void {
  const before = leftOut.get(kind)
  leftOut.set(kind, before === undefined ? 0 : before + 1)
  if (before !== undefined) return
  log(text)
  setTimeout(() => {
    const more = leftOut.get(kind) ?? 0
    leftOut.delete(kind)
    if (more > 0) log(`${more} more ${kind} within a minute`)
  }, quietMs).unref()
}

/** What a long-running command has to tell: to stdout. */
export const report = (text: string): void => writeLine(process.stdout, text)

const guarded = new WeakSet<NodeJS.WriteStream>()

function writeLine(stream: NodeJS.WriteStream, text: string): void {
  if (!guarded.has(stream)) stream.on('error', () => {})
  guarded.add(stream)
  if (stream.writableNeedDrain) return // what is kept for later would only grow
  const line = text.replace(/\s*[\r\n]+\s*/g, ' ')
  stream.write(`${stream.isTTY ? line.replace(steering, '\ufffd') : line}\n`)
}

const mostLogBytes = 5 << 20
const logsKept = 3

/**
 * Begins a log anew that has become too large, and keeps the last few beside it. Whoever writes it has it open for
 * appending, and is this process: nothing is written between the copy and the cut.
 */
export function rotateLog(path: string): void {
  try {
    if (statSync(path).size <= mostLogBytes) return
    for (let age = logsKept - 1; age > 0; age--) moveIfThere(`${path}.${age}`, `${path}.${age + 1}`)
    copyFileSync(path, `${path}.1`)
    truncateSync(path)
  } catch {} // a log that cannot be kept small is no reason to stop
}

function moveIfThere(from: string, to: string): void {
  if (statSync(from, { throwIfNoEntry: false })) renameSync(from, to)
}

/** Gives what will have been written to an open log from now on: the last of it. */
export function textFrom(fd: number): (mostBytes: number) => string {
  const start = fstatSync(fd).size
  return (mostBytes) => {
    const { size } = fstatSync(fd)
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(size - start, mostBytes)))
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, size - bytes.length))
  }
}
