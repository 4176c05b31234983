/** HTTP with server-sent events, the transport of 2024: answers on GET /sse, requests to POST /messages. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server'
import type { AddressBook } from '../addresses/address-book.ts'
import type { Project } from '../coordination/coordination.ts'
import { makeServer } from '../mcp/server.ts'
import { agentOf, coordinationToolset } from '../mcp/toolsets/coordination.ts'
import { sessionOfCall } from '../sessions/session-of-call.ts'
import { uuid } from '../system/random.ts'
import { HttpError, readJsonBody, sendText } from './http-exchange.ts'

const keepAliveMs = 15_000
const maxSessions = 10_000
const maxCallsUnderWay = 200
/** A client that does not read its stream is let go at this much. */
const maxUnreadBytes = 8 << 20

export class SseSessions {
  readonly #sessions = new Map<string, SseTransport>()
  readonly #timer: NodeJS.Timeout
  readonly #book: AddressBook
  readonly #track: (work: Promise<unknown>) => void

  /** @param track is told of each call that is under way. */
  constructor(book: AddressBook, track: (work: Promise<unknown>) => void) {
    this.#book = book
    this.#track = track
    this.#timer = setInterval(() => {
      for (const session of this.#sessions.values()) session.keepAlive()
    }, keepAliveMs)
    this.#timer.unref()
  }

  /** Answers GET /sse: the stream stays open until the client goes, and the agents that call by it are alive for as long. */
  async open(project: Project, response: ServerResponse): Promise<void> {
    if (this.#sessions.size >= maxSessions) {
      throw new HttpError(503, 'too many open streams: close some and try again')
    }
    const id = uuid()
    const session = new SseTransport(response, `/messages?sessionId=${id}`)
    this.#sessions.set(id, session)
    response.on('close', () => {
      this.#sessions.delete(id)
      session.onclose?.()
    })
    await this.#serverOf(project, response).connect(session)
  }

  #serverOf(project: Project, response: ServerResponse): Server {
    const held = new Map<string, () => void>()
    response.on('close', () => {
      for (const letGo of held.values()) letGo()
    })
    return makeServer(coordinationToolset, async (tool, args, signal, meta) => {
      const session = sessionOfCall(meta)
      const answering = tool.call(
        async () => ({ project, book: this.#book, signal, session }),
        args,
      )
      this.#track(answering)
      const result = await answering
      const agent = agentOf(tool.name, args, result)
      if (agent && !held.has(agent) && !response.destroyed) held.set(agent, project.hold(agent))
      return result
    })
  }

  /** Answers POST /messages: what the request asks is answered on its stream. */
  async receive(
    request: IncomingMessage,
    response: ServerResponse,
    id: string | null,
  ): Promise<void> {
    const session = this.#sessions.get(id ?? '')
    if (!session) {
      request.resume()
      throw new HttpError(
        404,
        'no such session: open /sse first, and post to the address that it names',
      )
    }
    const body = await readJsonBody(request)
    let message: JSONRPCMessage
    try {
      message = parseJSONRPCMessage(body)
    } catch {
      throw new HttpError(400, 'Invalid Request', { code: -32600 })
    }
    if (!session.take(message)) {
      throw new HttpError(429, 'too many calls under way: wait for the answers to some of them')
    }
    sendText(response, 202, 'Accepted', { 'content-type': 'text/plain' })
  }

  close(): void {
    clearInterval(this.#timer)
    for (const session of this.#sessions.values()) void session.close()
  }
}

class SseTransport implements Transport {
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #response: ServerResponse
  readonly #endpoint: string
  readonly #open = new Set<RequestId>()

  constructor(response: ServerResponse, endpoint: string) {
    this.#response = response
    this.#endpoint = endpoint
  }

  async start(): Promise<void> {
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    this.#write(`event: endpoint\ndata: ${this.#endpoint}\n\n`)
  }

  /** Whether there was room for it among the calls that are under way. */
  take(message: JSONRPCMessage): boolean {
    if (isJSONRPCRequest(message)) {
      if (this.#open.size >= maxCallsUnderWay) return false
      this.#open.add(message.id)
    } else if ('method' in message && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId
      if (typeof id === 'string' || typeof id === 'number') this.#open.delete(id)
    }
    this.onmessage?.(message)
    return true
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message) && message.id !== undefined) this.#open.delete(message.id)
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  }

  keepAlive(): void {
    this.#write(': still here\n\n')
  }

  async close(): Promise<void> {
    this.#response.end()
  }

  #write(text: string): void {
    this.#response.write(text)
    if (this.#response.writableLength > maxUnreadBytes) this.#response.destroy()
  }
}
