/** Postmark's own client for one exchange, which leaves the reply to us: it takes any 200 for success, and loses why a connection failed. */
import { Models, ServerClient } from 'postmark'
import { jsonOf } from '../../json.ts'

export interface PostmarkReply {
  status: number
  /** Nothing where it is no JSON. */
  body: unknown
  /** As it stands in the header. */
  retryAfter: string | null
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
      fetch: async (url, init) => {
        settle(exchange(url, { ...init, signal, redirect: 'manual' }))
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

/** The signal holds until the whole reply has been read. */
async function exchange(...request: Parameters<typeof fetch>): Promise<PostmarkReply> {
  const response = await fetch(...request)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > maxReplyBytes) break
    chunks.push(chunk)
  }
  return {
    status: response.status,
    body: jsonOf(Buffer.concat(chunks).toString('utf8')),
    retryAfter: response.headers.get('retry-after'),
  }
}
