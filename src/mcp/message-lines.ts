/** Reads JSON-RPC messages from a stream, one a line, and says what is wrong with a line that is none. */
import type { Readable } from 'node:stream'
import { type Read, readMessage, refusal } from './message.ts'

const maxLineBytes = 10 << 20
const newline = 0x0a

/** One after the other, as they are asked for: nothing is read ahead but what the stream has at hand. */
export async function* readMessages(input: Readable): AsyncGenerator<Read> {
  for await (const line of linesOf(input)) {
    if (line === undefined) yield refusal(`Message is longer than ${maxLineBytes} bytes`)
    else if (line.trim() !== '') yield readMessage(line)
  }
}

/** Lines, the last one also without its newline; nothing in place of one that is too long, which is never held. */
async function* linesOf(input: Readable): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = []
  let length = 0
  const take = () => {
    const line = length > maxLineBytes ? undefined : Buffer.concat(parts).toString('utf8')
    parts = []
    length = 0
    return line
  }
  for await (const chunk of input) {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(newline, start)
      const part = chunk.subarray(start, end === -1 ? chunk.length : end)
      length += part.length
      if (length > maxLineBytes) parts = []
      else parts.push(part)
      if (end === -1) break
      if (length > 0) yield take()
      start = end + 1
    }
  }
  if (length > 0) yield take()
}
