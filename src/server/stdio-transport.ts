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

const maxLineBytes = 10 << 20
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
  /** Requests that wait for their answer: how many under each id, and in all. */
  readonly #pending = new Map<RequestId, number>()
  #pendingCount = 0
  /** Lines that the system has not taken yet. */
  #unwritten = 0
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
  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message)
    this.#settle(answeredBy(message))
  }

  #write(message: object): Promise<void> {
    this.#unwritten++
    return new Promise((resolve) => {
      const hasRoom = this.#output.write(`${JSON.stringify(message)}\n`, () => {
        this.#unwritten--
        resolve()
        this.#regulate()
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
      this.#pendingCount++
      this.#regulate()
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId
      // Not passed on: a message that was taken out of its mailbox must reach its reader.
      if ((typeof id === 'string' || typeof id === 'number') && this.#pending.has(id)) return
    }
    this.onmessage?.(message)
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    void this.#write({ jsonrpc: '2.0', id, error: { code, message } })
  }

  #settle(id: RequestId | undefined): void {
    const count = id === undefined ? 0 : (this.#pending.get(id) ?? 0)
    if (id !== undefined && count > 0) {
      this.#pendingCount--
      if (count > 1) this.#pending.set(id, count - 1)
      else this.#pending.delete(id)
    }
    this.#regulate()
  }

  /** Reads on only while there is room for answers; after the last line, ends when all are given. */
  #regulate(): void {
    if (this.#ended && this.#pendingCount === 0 && this.#unwritten === 0) {
      void this.close()
      return
    }
    const shouldWait = this.#blockedOutput || this.#pendingCount >= maxPending
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

/** The id of the request that a message settles: its response, or the word that its subscription stands. */
function answeredBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message)) return message.id
  if (message.method !== 'notifications/subscriptions/acknowledged') return undefined
  const id = message.params?._meta?.['io.modelcontextprotocol/subscriptionId']
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
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
