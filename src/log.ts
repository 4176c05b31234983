/** Log lines for people: stderr, one line each, since stdout may carry a protocol. */

let isGuarded = false

/** Never fails and never waits: a log that nobody reads must not hold up or end its writer. */
export function log(text: string): void {
  if (!isGuarded) process.stderr.on('error', () => {})
  isGuarded = true
  if (process.stderr.writableNeedDrain) return // what is kept for later would only grow
  process.stderr.write(`agentmail: ${text.replace(/\s*[\r\n]+\s*/g, ' ')}\n`)
}
