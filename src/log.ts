/** Log lines for people: stderr, one line each, since stdout may carry a protocol. */

export function log(text: string): void {
  process.stderr.write(`agentmail: ${text.replace(/\s*[\r\n]+\s*/g, ' ')}\n`)
}
