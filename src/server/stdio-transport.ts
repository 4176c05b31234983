/** MCP on standard input and output, one JSON message a line: every line gets an answer, and none is fatal. */
import type { Readable, Writable } from 'node:stream'
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  PARSE_ERROR,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'

export const maxLineBytes = 10 << 20
const maxDepth = 100
/** More requests than this at once, and reading waits: memory stays flat however fast a client writes. */
const maxPending = 64

const newline = 0x0a
const invalidRequest = -32600

export class StdioTransport implements Transport {
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']

  readonly #input: Readable
  readonly #output: Writable
  #parts: Buffer[] = []
  #length = 0
  /** Passing over the rest of a line that is too long. */
  #skipping = false
  readonly #pending = new Map<RequestId, number>()
  #blockedOutput = false
  #ended = false
  readonly finished: Promise<void>
  #finish: () => void = () => {}

  constructor(input: Readable, output: Writable) {
    this.#input = input
    this.#output = output
    this.finished = new Promise((resolve) => {
      this.#finish = resolve
    })
  }

  async start(): Promise<void> {
    this.#input.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#input.on('end', () => this.#end())
    this.#input.on('error', () => this.#end())
    this.#output.on('drain', () => {
      this.#blockedOutput = false
      this.#regulate()
    })
  }

  /** Resolves once the message is handed to the system. */
  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve) => {
      const hasRoom = this.#output.write(`${JSON.stringify(message)}\n`, () => {
        if ('id' in message && !('method' in message)) this.#settle(message.id)
        resolve()
      })
      this.#blockedOutput ||= !hasRoom
      this.#regulate()
    })
  }

  async close(): Promise<void> {
    this.#input.pause()
    this.onclose?.()
    this.#finish()
  }

  #read(chunk: Buffer): void {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(newline, start)
      const part = chunk.subarray(start, end === -1 ? chunk.length : end)
      if (!this.#skipping) {
        this.#parts.push(part)
        this.#length += part.length
        if (this.#length > maxLineBytes) {
          this.#skipping = true
          this.#dropLine()
          this.#refuse(null, invalidRequest, `Message is longer than ${maxLineBytes} bytes`)
        }
      }
      if (end === -1) return
      if (!this.#skipping) this.#takeLine()
      this.#skipping = false
      start = end + 1
    }
  }

  #dropLine(): void {
    this.#parts = []
    this.#length = 0
  }

  #takeLine(): void {
    const [first] = this.#parts
    const line = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts)
    this.#dropLine()
    const text = line.toString('utf8')
    if (text.trim() === '') return
    const read = messageFrom(text)
    if ('refusal' in read) this.#refuse(read.id, read.code, read.refusal)
    else this.#deliver(read.message)
  }

  #deliver(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      this.#pending.set(message.id, (this.#pending.get(message.id) ?? 0) + 1)
      this.#regulate()
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId
      // A cancelled request is not answered, so nobody may wait for its answer.
      if (typeof id === 'string' || typeof id === 'number') this.#settle(id)
    }
    this.onmessage?.(message)
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    const hasRoom = this.#output.write(
      `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`,
    )
    this.#blockedOutput ||= !hasRoom
    this.#regulate()
  }

  #settle(id: RequestId | undefined): void {
    if (id === undefined) return
    const count = this.#pending.get(id) ?? 0
    if (count > 1) this.#pending.set(id, count - 1)
    else this.#pending.delete(id)
    this.#regulate()
  }

  /** Reads on only while there is room for answers; after the last line, ends when all are given. */
  #regulate(): void {
    if (this.#ended && this.#pending.size === 0) {
      void this.close()
      return
    }
    const shouldWait = this.#blockedOutput || this.#pending.size >= maxPending
    if (shouldWait && !this.#input.isPaused()) this.#input.pause()
    else if (!shouldWait && this.#input.isPaused()) this.#input.resume()
  }

  #end(): void {
    if (this.#ended) return
    if (this.#length > 0) this.#takeLine()
    this.#ended = true
    this.#regulate()
  }
}

type Read = { message: JSONRPCMessage } | { refusal: string; code: number; id: RequestId | null }

/** The message on a line, or the answer to a line that is none. */
function messageFrom(text: string): Read {
  if (isNestedDeeperThan(maxDepth, text)) {
    const refusal = `Message is nested deeper than ${maxDepth} levels`
    return { refusal, code: invalidRequest, id: null }
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { refusal: 'Parse error', code: PARSE_ERROR, id: null }
  }
  try {
    return { message: parseJSONRPCMessage(value) }
  } catch {
    return { refusal: 'Invalid Request', code: invalidRequest, id: idOf(value) }
  }
}

/** The id to answer a malformed request with, where it has a usable one. */
function idOf(value: unknown): RequestId | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null
  const { id } = value
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : null
}

/** Counts brackets outside strings, so that no parser meets a depth that would exhaust its stack. */
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
