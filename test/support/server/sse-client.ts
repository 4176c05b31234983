/** A client of the transport of 2024, raw: it posts what it is told to, and keeps what comes on its stream. */
import { type IncomingMessage, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { type Answer, answerSchema, type Id, requestLine } from '../mcp/protocol.ts'
import { type Asked, ask, type Reply } from './http.ts'

export class SseClient {
  readonly #url: string
  readonly #stream: IncomingMessage
  /** Where it posts to. */
  readonly endpoint: string
  readonly answers: Answer[] = []
  /** What came on the stream and is no answer. */
  readonly faults: string[] = []
  readonly closed: Promise<void>
  isClosed = false
  onAnswer: (answer: Answer) => void = () => {}
  #rest = ''
  #lastId = 0
  readonly #waiting = new Map<Id, (answer: Answer) => void>()

  private constructor(url: string, stream: IncomingMessage, endpoint: string, rest: string) {
    this.#url = url
    this.#stream = stream
    this.endpoint = endpoint
    this.closed = new Promise((resolve) => {
      stream.on('close', () => {
        this.isClosed = true
        resolve()
      })
    })
    stream.on('data', (text: string) => this.#read(text))
    stream.on('error', () => {}) // `closed` tells
    this.#read(rest)
  }

  static open(url: string, path = '/sse'): Promise<SseClient> {
    return new Promise((resolve, reject) => {
      const asking = request(`${url}${path}`, { agent: false }, (stream) => {
        let text = ''
        stream.setEncoding('utf8')
        const begin = (chunk: string) => {
          text += chunk
          const [start, endpoint = ''] = /^event: endpoint\ndata: ([^\n]+)\n\n/.exec(text) ?? []
          if (start === undefined) return
          stream.off('data', begin)
          resolve(new SseClient(url, stream, endpoint, text.slice(start.length)))
        }
        stream.on('data', begin)
      })
      onTestFinished(() => {
        asking.destroy()
      })
      asking.on('error', reject)
      asking.end()
    })
  }

  post(body: string | Buffer, options: Partial<Asked> = {}): Promise<Reply> {
    return ask(this.#url, {
      method: 'POST',
      path: this.endpoint,
      headers: { 'content-type': 'application/json' },
      body,
      ...options,
    })
  }

  /** Posts a request, and gives its answer from the stream. */
  async request(method: string, params?: object): Promise<Answer> {
    const id = `request-${++this.#lastId}`
    const answered = this.answer(id)
    answered.catch(() => {}) // where the post is refused, nobody waits for it
    const { status, text } = await this.post(requestLine(id, method, params))
    if (status !== 202) throw new Error(`${method} was refused with ${status}: ${text}`)
    return answered
  }

  call(name: string, args: object = {}): Promise<Answer> {
    return this.request('tools/call', { name, arguments: args })
  }

  /** The answer to come to that id, or an error if the stream ends without it. */
  answer(id: Id): Promise<Answer> {
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve))
    const closed = this.closed.then(() => Promise.reject(new Error(`closed before ${id} came`)))
    return Promise.race([answered, closed])
  }

  close(): void {
    this.#stream.destroy()
  }

  #read(text: string): void {
    const events = (this.#rest + text).split('\n\n')
    this.#rest = events.pop() ?? ''
    for (const event of events) this.#take(event)
  }

  #take(event: string): void {
    if (event.startsWith(':')) return
    const [, data = ''] = /^event: message\ndata: ([^\n]+)$/.exec(event) ?? []
    const { data: answer } = answerSchema.safeParse(data === '' ? undefined : JSON.parse(data))
    if (!answer) {
      this.faults.push(event)
      return
    }
    this.answers.push(answer)
    this.onAnswer(answer)
    this.#waiting.get(answer.id)?.(answer)
    this.#waiting.delete(answer.id)
  }
}
