/** Reads JSON-RPC messages, from text or one a line from a stream, and says what is wrong with text that is none. */
import {
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'

const maxDepth = 100
const maxLineBytes = 10 << 20
const newline = 0x0a
const invalidRequest = -32600

/** The error that it is answered with. */
interface Refused {
  id: RequestId | null
  error: { code: number; message: string }
}
type Read = { message: JSONRPCMessage } | Refused

/** One after the other, as they are asked for: nothing is read ahead but what the stream has at hand. */
export async function* readMessages(input: AsyncIterable<Buffer>): AsyncGenerator<Read> {
  for await (const line of linesOf(input)) {
    if (line === undefined) yield refusal(`Message is longer than ${maxLineBytes} bytes`)
    else if (line.trim() !== '') yield readMessage(line)
  }
}

/** Lines, the last one also without its newline; nothing in place of one that is too long, which is never held. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string | undefined> {
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

/** One message, checked before any parser meets a depth that would exhaust its stack. */
function readMessage(text: string): Read {
  const read = readJson(text)
  if ('error' in read) return read
  try {
    return { message: parseJSONRPCMessage(read.value) }
  } catch {
    return refusal('Invalid Request', idOf(read.value))
  }
}

/** Any JSON that is not nested too deeply. */
export function readJson(text: string): { value: unknown } | Refused {
  if (isNestedDeeperThan(maxDepth, text)) {
    return refusal(`Message is nested deeper than ${maxDepth} levels`)
  }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { id: null, error: { code: PARSE_ERROR, message: 'Parse error' } }
  }
}

const refusal = (message: string, id: RequestId | null = null): Refused => ({
  id,
  error: { code: invalidRequest, message },
})

/** The id to answer a malformed request with, where it has a usable one. */
function idOf(value: unknown): RequestId | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null
  const { id } = value
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : null
}

/** Counts brackets outside strings. */
function isNestedDeeperThan(limit: number, text: string): boolean {
  if (text.length <= limit) return false
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index)
    if (inString) {
      if (character === 0x5c) index++
      else if (character === 0x22) inString = false
    } else if (character === 0x22) inString = true
    else if (character === 0x5b || character === 0x7b) {
      if (++depth > limit) return true
    } else if (character === 0x5d || character === 0x7d) depth--
  }
  return false
}
