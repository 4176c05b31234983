/** HTTP on one plain connection that is kept for a moment: no more of it than JSON needs, since node:http takes longer to load and to run than all the rest of a command. */
import { connect, type Socket } from 'node:net'
import { elapsedMs } from '../clock.ts'
import { type HttpReply, NoReply } from '../http-request.ts'
import { ReplyReading } from './reply-reading.ts'

export interface LineRequest {
  method: string
  /** With its query, encoded. */
  path: string
  headers: Record<string, string>
  body?: string | undefined
  /** In milliseconds, to the last byte of the reply. */
  limit: number
  outer?: readonly (AbortSignal | undefined)[]
}

/** How long the other side surely keeps a connection, too: one that it has closed would leave a request in doubt. */
const keptMs = 500

export class HttpLine {
  readonly #url: URL
  readonly #maxBytes: number
  #socket: Socket | undefined
  #usedAt = 0
  #isAnswered = false
  #end: (() => void) | undefined

  /** @param maxBytes of a reply that is read. */
  constructor(url: URL, maxBytes: number) {
    this.#url = url
    this.#maxBytes = maxBytes
  }

  get isBusy(): boolean {
    return this.#end !== undefined
  }

  /** Whether the next question goes on the connection on which the last one was answered. */
  get isKept(): boolean {
    return this.#isAnswered && this.#usable() !== undefined
  }

  /** One at a time. Throws `NoReply` and nothing else. */
  ask(request: LineRequest): Promise<HttpReply> {
    const text = textOf(request, this.#url.host)
    const signals = (request.outer ?? []).filter((signal) => signal !== undefined)
    const reading = new ReplyReading(this.#maxBytes)
    return new Promise((resolve, reject) => {
      let socket: Socket | undefined
      let isConnected = false
      let isLate = false
      const settle = (outcome: () => void) => {
        clearTimeout(timer)
        for (const signal of signals) signal.removeEventListener('abort', abort)
        for (const [event, heed] of Object.entries(heeded)) socket?.off(event, heed)
        socket?.on('error', ignore) // nobody waits for it any more
        this.#end = undefined
        if (reading.isKept) this.#keep()
        else this.#drop()
        outcome()
      }
      const fail = (cause: unknown) => settle(() => reject(new NoReply(isConnected, isLate, cause)))
      const abort = () => fail(new Error('This operation was aborted'))
      const heeded = {
        connect: () => {
          isConnected = true
        },
        error: fail,
        data: (chunk: Buffer) => {
          try {
            const reply = reading.take(chunk)
            if (reply) settle(() => resolve(reply))
          } catch (error) {
            fail(error)
          }
        },
        close: () => {
          const reply = reading.ended()
          if (reply) settle(() => resolve(reply))
          else fail(new Error('the connection was closed'))
        },
      }
      const timer = setTimeout(() => {
        isLate = true
        abort()
      }, request.limit)
      this.#end = abort
      for (const signal of signals) signal.addEventListener('abort', abort)
      if (signals.some(({ aborted }) => aborted)) return abort()
      if (text === undefined) return fail(new TypeError('a header or the path is no plain text'))
      socket = this.#usable() ?? this.#open()
      isConnected = !socket.connecting
      for (const [event, heed] of Object.entries(heeded)) socket.on(event, heed)
      socket.off('error', ignore).ref().write(text)
    })
  }

  /** Connects already, for a question that comes soon: the other side gets ready meanwhile. */
  dial(): void {
    if (!this.#socket) this.#open().on('error', ignore).unref()
  }

  /** Ends what is under way. */
  close(): void {
    this.#end?.()
    this.#drop()
  }

  #open(): Socket {
    const { hostname, port } = this.#url
    const host = hostname.replace(/^\[|\]$/g, '')
    this.#usedAt = elapsedMs()
    this.#socket = connect({ host, port: Number(port || 80), noDelay: true })
    return this.#socket
  }

  #usable(): Socket | undefined {
    const isFresh = elapsedMs() - this.#usedAt < keptMs
    if (!this.#socket?.writable || !isFresh) this.#drop()
    return this.#socket
  }

  /** Nobody waits for it meanwhile. */
  #keep(): void {
    this.#usedAt = elapsedMs()
    this.#isAnswered = true
    this.#socket?.unref()
  }

  #drop(): void {
    this.#socket?.destroy()
    this.#socket = undefined
    this.#isAnswered = false
  }
}

const ignore = () => {}

/** Nothing where a part of it would be read as something else. */
function textOf({ method, path, headers, body }: LineRequest, host: string): string | undefined {
  const lines = Object.entries({
    host,
    ...headers,
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  }).map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${path} HTTP/1.1`, ...lines]
  const isPlain = /^[\x21-\x7e]+$/.test(path) && lines.every((line) => /^[\x20-\x7e]+$/.test(line))
  return isPlain ? `${head.join('\r\n')}\r\n\r\n${body ?? ''}` : undefined
}
