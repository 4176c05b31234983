/** Streamable HTTP at /mcp: hands a request to the SDK, which serves both protocol eras, and streams its answer back. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { AddressBook } from '../addresses/address-book.ts'
import type { Coordination } from '../coordination/coordination.ts'
import { makeServer } from '../mcp/server.ts'
import { coordinationToolset } from '../mcp/toolsets/coordination.ts'
import { sessionOfCall } from '../sessions/session-of-call.ts'
import { logSeldom } from '../system/log.ts'
import { deafMs, letGoOfDeaf, readJsonBody, sendText } from './http-exchange.ts'

const maxHandlers = 1000

export class StreamableHttp {
  readonly #coordination: Coordination
  readonly #book: AddressBook
  readonly #handlers = new Map<string, McpHttpHandler>()

  constructor(coordination: Coordination, book: AddressBook) {
    this.#coordination = coordination
    this.#book = book
  }

  async handle(project: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const handler = this.#handlerOf(project)
    const parsedBody = await readJsonBody(request)
    const gone = new AbortController()
    response.on('close', () => {
      if (!response.writableFinished) gone.abort()
    })
    const answer = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: protocolHeaders(request),
        signal: gone.signal,
      }),
      { parsedBody },
    )
    if (gone.signal.aborted) {
      await answer.body?.cancel().catch(() => {})
      return
    }
    const { connection: _, ...headers } = Object.fromEntries(answer.headers) // that is Node's to say
    if (headers['content-type'] === 'application/json') {
      return sendText(response, answer.status, await answer.text(), headers)
    }
    response.writeHead(answer.status, headers)
    try {
      for await (const chunk of answer.body ?? []) {
        if (!response.write(chunk)) await drained(response)
        if (response.destroyed) return
      }
    } catch (error) {
      if (!gone.signal.aborted) {
        const reason = error instanceof Error ? error.message : error
        logSeldom('answers that were cut short', `an answer was cut short: ${reason}`)
      }
    }
    response.end()
    letGoOfDeaf(response)
  }

  /** Ends what is still open. */
  async close(): Promise<void> {
    await Promise.all([...this.#handlers.values()].map((handler) => handler.close()))
  }

  #handlerOf(name: string): McpHttpHandler {
    const known = this.#handlers.get(name)
    if (known) return known
    if (this.#handlers.size >= maxHandlers) this.#handlers.clear() // a request keeps its own
    const server = () =>
      makeServer(coordinationToolset, (tool, args, signal, meta) => {
        const project = this.#coordination.project(name)
        const session = sessionOfCall(meta)
        return tool.call(async () => ({ project, book: this.#book, signal, session }), args)
      })
    const handler = createMcpHandler(server, { onerror: () => {} })
    this.#handlers.set(name, handler)
    return handler
  }
}

/** What the protocol looks at, and nothing else: no token goes further than the guards. */
function protocolHeaders(request: IncomingMessage): Record<string, string> {
  const wanted = Object.entries(request.headers).filter(
    ([name]) => name === 'accept' || name === 'content-type' || name.startsWith('mcp-'),
  )
  return Object.fromEntries(wanted.map(([name, value]) => [name, String(value)]))
}

/** Resolves when the client has read on, or is gone; one that does not read is let go. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), deafMs)
    const done = () => {
      clearTimeout(timer)
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
