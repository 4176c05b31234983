/** A Postmark of our own: a real HTTP server with its endpoints and refusals, which also fails as it is told to. */
import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { text } from 'node:stream/consumers'
import { isRecord, jsonOf } from '../../../src/system/text.ts'
import type { AtEnd } from '../at-end.ts'
import { listening } from '../listening.ts'
import { noJson, noToken, notFound, recipientsOf, refusalOf, wrongToken } from './postmark-rules.ts'

export const serverToken = '5f1c9e2a-7d34-4b8e-9a61-0c2d3e4f5a6b'

/** How a request goes wrong: by its answer, or by the lack of one, after the mail was taken or not. */
export type Fault =
  | { status: number; body: object | string | null; headers?: Record<string, string> }
  | 'lose the reply'
  | 'cut the reply'
  | 'hang up'
  | 'never answer'
  | 'never take or answer'

export interface SeenRequest {
  method: string
  /** With its query. */
  url: string
  headers: IncomingHttpHeaders
  /** As it came over the wire. */
  body: string
}

interface SentMail {
  MessageID: string
  ReceivedAt: string
  Recipients: string[]
  body: Record<string, unknown>
}

export class FakePostmark {
  readonly requests: SeenRequest[] = []
  readonly sent: SentMail[] = []
  /** For the requests to come, one each. */
  readonly faults: Fault[] = []
  /** Called once a mail is taken, before that is answered. */
  onSend: (() => void) | undefined

  readonly #server = createServer((request, response) => {
    this.#take(request, response).catch(() => response.destroy())
  })
  #host = ''

  static async start(atEnd?: AtEnd): Promise<FakePostmark> {
    const fake = new FakePostmark()
    fake.#host = await listening(fake.#server, atEnd)
    return fake
  }

  get host(): string {
    return this.#host
  }

  get env() {
    return { POSTMARK_BASE_URL: `http://${this.host}`, POSTMARK_SERVER_TOKEN: serverToken }
  }

  get lastRequest(): SeenRequest {
    const request = this.requests.at(-1)
    if (!request) throw new Error('There was no request')
    return request
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const body = await text(request)
    this.requests.push({ method, url, headers, body })
    const fault = this.faults.shift()
    if (fault === 'hang up') return void response.destroy()
    if (fault === 'never take or answer') return
    if (typeof fault === 'object') return answer(response, fault.status, fault.body, fault.headers)
    const [status, reply] = this.#reply({ method, url, headers, body })
    if (fault === 'never answer') return
    if (fault === 'lose the reply') return void response.destroy()
    if (fault === 'cut the reply') {
      response.writeHead(status, { 'content-length': 1000 })
      return void response.write('{"ErrorCode":0,', () => response.destroy())
    }
    answer(response, status, reply)
  }

  #reply({ method, url, headers, body }: SeenRequest): [number, object] {
    const token = headers['x-postmark-server-token']
    if (token === undefined) return [401, noToken]
    if (token !== serverToken && token !== 'POSTMARK_API_TEST') return [401, wrongToken]
    const { pathname, searchParams } = new URL(url, 'http://fake')
    const path = pathname.replace(/^\/behind\/a\/proxy/, '')
    if (method === 'GET' && path === '/messages/outbound') return [200, this.#search(searchParams)]
    if (method !== 'POST' || !/^\/email(?:\/withTemplate)?$/.test(path)) return [404, notFound]
    if (headers['content-type'] !== 'application/json') return [415, noJson]
    const mail = jsonOf(body)
    if (!isRecord(mail)) return [422, noJson]
    const refused = refusalOf(mail, path.endsWith('withTemplate'))
    if (refused) return [422, refused]
    return [200, this.#accept(mail, token)]
  }

  #accept(body: Record<string, unknown>, token: unknown) {
    const MessageID = randomUUID()
    const SubmittedAt = '2025-03-30T18:00:00.0000000-04:00'
    const isTest = token === 'POSTMARK_API_TEST'
    if (!isTest) {
      this.sent.push({
        MessageID,
        ReceivedAt: SubmittedAt,
        Recipients: recipientsOf(body),
        body,
      })
      this.onSend?.()
    }
    const Message = isTest ? 'Test job accepted' : 'OK'
    return { To: body.To, SubmittedAt, MessageID, ErrorCode: 0, Message }
  }

  /** Newest first; filters by metadata alone. */
  #search(query: URLSearchParams) {
    const wanted = [...query].filter(([name]) => name.startsWith('metadata_'))
    const found = this.sent.toReversed().flatMap(({ body, ...mail }) => {
      const Metadata = isRecord(body.Metadata) ? body.Metadata : {}
      const fits = wanted.every(([name, value]) => Metadata[name.slice(9)] === value)
      return fits ? [{ ...mail, Subject: body.Subject, Metadata, Status: 'Sent' }] : []
    })
    const [offset, count] = [Number(query.get('offset')), Number(query.get('count'))]
    return { TotalCount: found.length, Messages: found.slice(offset, offset + count) }
  }
}

function answer(
  response: ServerResponse,
  status: number,
  body: object | string | null,
  headers: Record<string, string> = {},
): void {
  const type = typeof body === 'string' ? 'text/html' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
