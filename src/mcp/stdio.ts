/** MCP on standard input and output: every line gets its answer, one after the other, and none is fatal. */
import type { Writable } from 'node:stream'
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { log } from '../system/log.ts'
import { readMessages } from './json-rpc.ts'
import { makeServer, type OpenToolset } from './server.ts'

/** Should a request ever stay without an answer, the next one is served after this time. */
const answerMs = 60_000

/** So many requests that may take long are answered beside the others. */
const maxBeside = 64
const tooManyCode = -32000

/** Serves until the client closes its input (0), a signal comes (0), or the client stops reading (1); then closes the toolset. */
export async function serveOnStdio<Context>(open: OpenToolset<Context>): Promise<number> {
  const transport = new StdioTransport(process.stdin, process.stdout, open)
  const ended = new Promise<number>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => resolve(0))
    transport.ended.then((isComplete) => resolve(isComplete ? 0 : 1))
  })
  serveOn(transport, open)
  const exitCode = await ended
  await open.close()
  return exitCode
}

/** For a server that ends by rules of its own. */
export function serveOn<Context>(
  transport: StdioTransport,
  { toolset, answer }: Pick<OpenToolset<Context>, 'toolset' | 'answer'>,
): void {
  serveStdio(() => makeServer(toolset, answer), {
    transport,
    onerror: (error) => log(`protocol: ${error.message}`),
  })
}

interface Calls extends Pick<OpenToolset<unknown>, 'mayTakeLong' | 'stopWaiting'> {
  /** A request that the client has an answer to already. */
  answered?: RequestId | undefined
}

/**
 * Takes up a request when the answer to the one before has left. So two messages sent in a row
 * arrive in that order, a killed server has at most one message in its hands, and memory stays flat
 * however fast a client writes and however slowly it reads.
 */
export class StdioTransport implements Transport {
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']

  readonly #input: AsyncIterable<Buffer>
  readonly #output: Writable
  readonly #calls: Calls
  #answered: RequestId | undefined
  /** The requests that are being answered. */
  readonly #open = new Map<RequestId, () => void>()
  readonly #beside = new Set<Promise<void>>()
  /** Settled when the system has taken everything that was written. */
  #written: Promise<void> = Promise.resolve()
  #closed = false
  /** Whether everything was answered when it ended: false when the client stopped reading. */
  readonly ended: Promise<boolean>
  #end: (isComplete: boolean) => void = () => {}

  constructor(input: AsyncIterable<Buffer>, output: Writable, calls: Calls = {}) {
    this.#input = input
    this.#output = output
    this.#calls = calls
    this.#answered = calls.answered
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  async start(): Promise<void> {
    this.#output.on('error', () => {
      log('the client reads no more, and the server ends')
      this.#end(false)
      void this.close()
    })
    this.#serve()
      .catch((error) => log(`standard input failed: ${error.message}`))
      .finally(() => this.close())
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const answered = answeredBy(message)
    if (answered === undefined || answered !== this.#answered) await this.#write(message)
    else this.#answered = undefined
    if (answered !== undefined) this.#open.get(answered)?.()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.onclose?.()
    this.#end(true)
  }

  async #serve(): Promise<void> {
    for await (const read of readMessages(this.#input)) {
      if (this.#closed) return
      if ('error' in read) this.#write({ jsonrpc: '2.0', ...read })
      else if (isJSONRPCRequest(read.message)) await this.#take(read.message)
      else this.#hear(read.message)
      await this.#written
    }
    this.#calls.stopWaiting?.()
    await Promise.all(this.#beside)
    await this.#written
  }

  async #take(request: JSONRPCRequest): Promise<void> {
    const isBeside = this.#mayTakeLong(request) && !this.#open.has(request.id)
    if (isBeside && this.#beside.size >= maxBeside) {
      const error = { code: tooManyCode, message: `more than ${maxBeside} calls wait at once` }
      await this.#write({ jsonrpc: '2.0', id: request.id, error })
      return
    }
    const answered = this.#answer(request)
    if (!isBeside) return answered
    this.#beside.add(answered)
    answered.then(() => this.#beside.delete(answered))
  }

  #mayTakeLong({ method, params }: JSONRPCRequest): boolean {
    if (method !== 'tools/call' || !this.#calls.mayTakeLong) return false
    return this.#calls.mayTakeLong(String(params?.name))
  }

  async #answer(request: JSONRPCRequest): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, answerMs)
      this.#open.set(request.id, () => {
        clearTimeout(timer)
        resolve()
      })
      this.onmessage?.(request)
    })
    this.#open.delete(request.id)
  }

  /** A request that the client has cancelled gets no answer. */
  #hear(message: JSONRPCMessage): void {
    this.onmessage?.(message)
    if (!('method' in message) || message.method !== 'notifications/cancelled') return
    const id = message.params?.requestId
    if (typeof id === 'string' || typeof id === 'number') this.#open.get(id)?.()
  }

  #write(message: object): Promise<void> {
    this.#written = new Promise((resolve) => {
      this.#output.write(`${JSON.stringify(message)}\n`, () => resolve())
    })
    return this.#written
  }
}

/** The id of the request that a message settles: its response, or the word that its subscription stands. */
function answeredBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message)) return message.id
  if (message.method !== 'notifications/subscriptions/acknowledged') return undefined
  const id = message.params?._meta?.['io.modelcontextprotocol/subscriptionId']
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
