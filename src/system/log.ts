/** Lines that must never fail or wait: what nobody reads does not hold up or end its writer. */

/** To stderr, one line each, since stdout may carry a protocol. */
export const log = (text: string): void => writeLine(process.stderr, `agentmail: ${text}`)

/** What a long-running command has to tell: to stdout. */
export const report = (text: string): void => writeLine(process.stdout, text)

const guarded = new WeakSet<NodeJS.WriteStream>()

function writeLine(stream: NodeJS.WriteStream, text: string): void {
  if (!guarded.has(stream)) stream.on('error', () => {})
  guarded.add(stream)
  if (stream.writableNeedDrain) return // what is kept for later would only grow
  stream.write(`${text.replace(/\s*[\r\n]+\s*/g, ' ')}\n`)
}
