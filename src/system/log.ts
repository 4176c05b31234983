/** Lines that must never fail or wait: what nobody reads does not hold up or end its writer. */
import { steering } from './text.ts'

/** To stderr, one line each, since stdout may carry a protocol. */
export const log = (text: string): void => writeLine(process.stderr, `agentmail: ${text}`)

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
