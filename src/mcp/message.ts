/** Reads a JSON-RPC message from text, and says what is wrong with text that is none. */
import {
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'

const maxDepth = 100
const invalidRequest = -32600

/** The error that it is answered with. */
export interface Refused {
  id: RequestId | null
  error: { code: number; message: string }
}
export type Read = { message: JSONRPCMessage } | Refused

/** One message, checked before any parser meets a depth that would exhaust its stack. */
export function readMessage(text: string): Read {
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

export const refusal = (message: string, id: RequestId | null = null): Refused => ({
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
