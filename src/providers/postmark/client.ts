/** Postmark's own client for one exchange, which leaves the reply to us: it takes any 200 for success, and loses why a connection failed. */
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Models, ServerClient } from 'postmark'
import { jsonOf } from '../../system/text.ts'

export interface PostmarkReply {
  status: number
  /** Nothing where it is no JSON. */
  body: unknown
  /** As it stands in the header. */
  retryAfter: string | undefined
}

/** There was no reply, or not the whole of one. */
export class NoReply extends Error {
  /** Without a connection the request cannot have gone out. */
  readonly wasConnected: boolean

  constructor(wasConnected: boolean, cause: unknown) {
    super('no reply', { cause })
    this.wasConnected = wasConnected
  }
}

/** More than any reply of Postmark's that we ask for. */
const maxReplyBytes = 4 << 20

export class PostmarkClient extends ServerClient {
  readonly #exchanged: Promise<PostmarkReply>

  constructor(base: URL, token: string, signal: AbortSignal) {
    let settle: (reply: Promise<PostmarkReply>) => void
    const exchanged = new Promise<PostmarkReply>((resolve) => {
      settle = resolve
    })
    super(token, {
      useHttps: base.protocol === 'https:',
      requestHost: `${base.host}${base.pathname.replace(/\/+$/, '')}`,
      fetch: async (url, init = {}) => {
        settle(exchange(new URL(String(url)), init, signal))
        return Response.json({})
      },
    })
    this.#exchanged = exchanged
  }

  post(path: string, body: object): Promise<PostmarkReply> {
    const { POST } = Models.ClientOptions.HttpMethod
    return this.#reply(this.processRequestWithBody(POST, path, body))
  }

  search(filter: Record<string, string | number>): Promise<PostmarkReply> {
    return this.#reply(this.getOutboundMessages(filter))
  }

  /** Waits for both at once, so that neither fails unseen. */
  async #reply(asked: Promise<unknown>): Promise<PostmarkReply> {
    const [reply] = await Promise.all([this.#exchanged, asked])
    return reply
  }
}

/** On a connection of its own: one that was kept open may have been closed, which would leave a send in doubt. */
function exchange(url: URL, init: RequestInit, signal: AbortSignal): Promise<PostmarkReply> {
  const isSecure = url.protocol === 'https:'
  const headers = Object.fromEntries(
    Object.entries(init.headers ?? {}).map(([name, value]) => [name, String(value)]),
  )
  const body = typeof init.body === 'string' ? init.body : undefined
  if (body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(body))
  return new Promise((resolve, reject) => {
    let isConnected = false
    const fail = (cause: unknown) => reject(new NoReply(isConnected, cause))
    const options = { method: init.method ?? 'GET', headers, agent: false, signal }
    const request = (isSecure ? requestHttps : requestHttp)(url, options, (response) => {
      replyOf(response).then(resolve, fail)
    })
    request.on('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        isConnected = true
      }),
    )
    request.on('error', fail)
    request.end(body)
  })
}

async function replyOf(response: IncomingMessage): Promise<PostmarkReply> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > maxReplyBytes) break
    chunks.push(chunk)
  }
  return {
    status: response.statusCode ?? 0,
    body: jsonOf(Buffer.concat(chunks).toString('utf8')),
    retryAfter: response.headers['retry-after'],
  }
}
