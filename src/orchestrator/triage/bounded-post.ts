/** One POST of JSON on a connection of its own: no redirect is followed, and a reply is read up to 1 MB. */
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export interface Reply {
  status: number
  body: string
  /** As it stands in the header. */
  retryAfter: string | undefined
}

export class TooLarge extends Error {}

const maxBytes = 1 << 20

/** Not by the global fetch, which gives up by itself after five minutes: a model at home may take longer. */
export function boundedPost(
  url: URL,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<Reply> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const length = String(Buffer.byteLength(body))
    const options = { method: 'POST', headers: { ...headers, 'content-length': length } }
    let isAnswered = false
    const asked = request(url, { ...options, agent: false, signal }, (response) => {
      isAnswered = true
      replyOf(response).then(resolve, reject)
    })
    asked.on('error', reject)
    asked.on('close', () => {
      if (!isAnswered) reject(new Error('the connection was closed'))
    })
    asked.end(body)
  })
}

async function replyOf(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > maxBytes) throw new TooLarge()
    chunks.push(chunk)
  }
  return {
    status: response.statusCode ?? 0,
    body: Buffer.concat(chunks).toString('utf8'),
    retryAfter: response.headers['retry-after'],
  }
}
