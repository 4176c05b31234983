/** One HTTP request on a connection of its own, in bounded time: no redirect is followed, nothing is asked again. */
import type { IncomingMessage } from 'node:http'
import { systemClock } from './clock.ts'
import { type Bounds, TimeLimit } from './time-limit.ts'

/** The time is for the whole exchange, to the last byte of the reply. */
export interface HttpRequest extends Bounds {
  url: URL
  headers?: Record<string, string>
  /** Is posted; without it the request is a GET. */
  json?: object | undefined
  /** The same, as plain text. */
  text?: string | undefined
}

interface ReplyHead {
  status: number
  /** By their names in small letters. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** By the header Retry-After. */
  retryAfterSeconds: number | undefined
}

/** A reply that is used while it comes. */
export interface OpenReply extends ReplyHead {
  chunks: AsyncIterable<Buffer>
}

export interface HttpReply extends ReplyHead {
  /** Nothing where it is larger than what is read of it. */
  body: string | undefined
}

/** There was no reply, or not the whole of one. */
export class NoReply extends Error {
  /** Without a connection it cannot have gone out. */
  readonly mayHaveGoneOut: boolean
  /** Whether the time was up. */
  readonly isLate: boolean

  constructor(mayHaveGoneOut: boolean, isLate: boolean, cause: unknown) {
    super('no reply', { cause })
    this.mayHaveGoneOut = mayHaveGoneOut
    this.isLate = isLate
  }
}

/**
 * Throws `NoReply` and nothing else.
 *
 * @example await exchange({ url: new URL('https://example.com'), limit: 5000 }, 1 << 20)
 */
export const exchange = async (request: HttpRequest, maxBytes: number): Promise<HttpReply> =>
  wholeReply(await openReply(request), maxBytes)

export async function wholeReply(
  { chunks, ...head }: OpenReply,
  maxBytes: number,
): Promise<HttpReply> {
  const read: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > maxBytes) return { ...head, body: undefined }
    read.push(chunk)
  }
  return { ...head, body: Buffer.concat(read).toString('utf8') }
}

/**
 * Not by a connection that was kept open: the other side may have closed it, which would leave a
 * request in doubt. Nor by the global fetch, which gives up by itself after five minutes, and does
 * not say whether there was a connection.
 */
export async function openReply(asked: HttpRequest): Promise<OpenReply> {
  const { url, json, text } = asked
  const isSecure = url.protocol === 'https:'
  // Loaded when it is needed: most commands make no request, and few of those go over TLS.
  const { request } = await (isSecure ? import('node:https') : import('node:http'))
  const time = new TimeLimit(asked)
  let isConnected = false
  const failed = (cause: unknown) => new NoReply(isConnected, time.isOver, cause)
  const body = json ? JSON.stringify(json) : text
  const type = json ? 'application/json' : 'text/plain; charset=utf-8'
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(body === undefined ? {} : headersOf(body, type)), ...asked.headers },
    agent: false,
    signal: time.signal,
  }
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const asking = request(url, options, resolve)
      asking.on('socket', (socket) =>
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          isConnected = true
        }),
      )
      asking.on('error', reject)
      asking.on('close', () => {
        time.end()
        reject(new Error('the connection was closed'))
      })
      asking.end(body)
    })
    const { statusCode: status = 0, headers } = response
    const retryAfterSeconds = secondsOf(headers['retry-after'])
    return { status, headers, retryAfterSeconds, chunks: chunksOf(response, failed) }
  } catch (error) {
    time.end()
    throw failed(error)
  }
}

const headersOf = (body: string, type: string) => ({
  'content-type': type,
  'content-length': String(Buffer.byteLength(body)),
})

async function* chunksOf(
  response: IncomingMessage,
  failed: (cause: unknown) => NoReply,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of response) yield chunk
  } catch (error) {
    throw failed(error)
  }
}

/** Retry-After is a number of seconds or a date. */
export function secondsOf(retryAfter: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined
  const seconds = /^\d{1,9}(\.\d+)?$/.test(retryAfter.trim())
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - systemClock.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}
