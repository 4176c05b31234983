/** One HTTP request and its answer: reads a body within bounds, writes JSON and text. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readJson } from '../mcp/json-rpc.ts'
import { logSeldom } from '../system/log.ts'

const maxBodyBytes = 1 << 20
const throwAwayMs = 2000
/** A client that does not read for this long is let go. */
export const deafMs = 60_000

/** One request, and where its answer goes. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  query: URLSearchParams
}

/** An answer that ends an exchange early, in JSON-RPC's form, which every caller can read. */
export class HttpError extends Error {
  readonly status: number
  readonly code: number
  readonly headers: Record<string, string>
  /** For programs. */
  readonly data: object | undefined

  constructor(
    status: number,
    message: string,
    options: { code?: number; headers?: Record<string, string>; data?: object } = {},
  ) {
    super(message)
    this.status = status
    this.code = options.code ?? -32000
    this.headers = options.headers ?? {}
    this.data = options.data
  }
}

export function allow(request: IncomingMessage, methods: string[]): void {
  if (methods.includes(request.method ?? '')) return
  request.resume()
  throw new HttpError(405, `method not allowed: use ${methods.join(' or ')}`, {
    headers: { allow: methods.join(', ') },
  })
}

/** A page of another site cannot say so of what it sends, unless it is allowed to. */
export const isCalledJson = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.split(';')[0]?.trim().toLowerCase() === 'application/json'

/** The JSON of a body: not too large, not too deep, in UTF-8, and called JSON. */
export async function readJsonBody(
  request: IncomingMessage,
  maxBytes = maxBodyBytes,
): Promise<unknown> {
  if (!isCalledJson(request)) {
    request.resume()
    throw new HttpError(415, 'Content-Type must be application/json')
  }
  const bytes = await readBody(request, maxBytes)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new HttpError(400, 'Parse error: the body is not UTF-8', { code: -32700 })
  }
  const read = readJson(text)
  if ('error' in read) throw new HttpError(400, read.error.message, { code: read.error.code })
  return read.value
}

export async function readBody(request: IncomingMessage, maxBytes = maxBodyBytes): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.toLowerCase()
  if (encoding !== undefined && encoding !== 'identity') {
    request.resume()
    throw new HttpError(415, 'Content-Encoding is not supported: send the body as it is')
  }
  const chunks: Buffer[] = []
  let size = 0
  const tooLarge = async () => {
    await thrownAway(request)
    return new HttpError(413, `the body is larger than ${maxBytes} bytes`)
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw await tooLarge()
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) {
        request.removeAllListeners('data')
        chunks.length = 0
        tooLarge().then(reject)
      } else chunks.push(chunk)
    })
    request.on('end', () => {
      if (size <= maxBytes) resolve(Buffer.concat(chunks))
    })
    request.on('error', () => {}) // its client has gone, and it is closed
    request.on('close', () => {
      if (request.complete || size > maxBytes) return
      logSeldom(
        'bodies that ended early',
        `a client went before its body had come: ${requestName(request)}`,
      )
      reject(new HttpError(400, 'the body ended early'))
    })
  })
}

/** For the log, and no longer than it can be read. What stands behind /inbound is a secret. */
export const requestName = ({ method, url = '' }: IncomingMessage): string =>
  `${method} ${url
    .split('?', 1)[0]
    ?.replace(/(inbound)\/.*/is, '$1/…')
    .slice(0, 200)}`

/** Lets the client finish sending, within bounds: one that is cut off while it sends does not read its answer. */
function thrownAway(request: IncomingMessage): Promise<void> {
  request.resume()
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, throwAwayMs)
    for (const event of ['end', 'close'] as const) {
      request.on(event, () => {
        clearTimeout(timer)
        resolve()
      })
    }
  })
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  sendText(response, status, JSON.stringify(value), {
    'content-type': 'application/json',
    ...headers,
  })
}

export function sendHttpError(response: ServerResponse, error: HttpError): void {
  const { status, headers, code, message, data } = error
  sendJson(response, status, { jsonrpc: '2.0', id: null, error: { code, message, data } }, headers)
}

export function sendText(
  response: ServerResponse,
  status: number,
  text: string | Buffer,
  headers: Record<string, string>,
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  response.writeHead(status, {
    'content-length': Buffer.byteLength(text),
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  response.end(text)
  letGoOfDeaf(response)
}

/** A client has its time to read what is left of its answer. */
export function letGoOfDeaf(response: ServerResponse): void {
  if (response.writableFinished) return
  const timer = setTimeout(() => response.destroy(), deafMs)
  response.on('close', () => clearTimeout(timer))
}
