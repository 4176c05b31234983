/** Log lines for people: stderr, one line each, since stdout may carry a protocol. */

export function log(text: string): void {
  if (process.stderr.writableNeedDrain) return // nobody reads, and what is kept for later would only grow
  process.stderr.write(`agentmail: ${text.replace(/\s*[\r\n]+\s*/g, ' ')}\n`)
}
