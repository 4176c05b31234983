/** Stands between a client and a coordination server, and loses the answers that it is told to lose. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listening } from '../listening.ts'

export class LossyProxy {
  /** The tools whose answers were lost, after the server had done the work. */
  readonly lost: string[] = []
  /** How many requests have no answer yet, and a client that wants one. */
  waiting = 0

  readonly #target: string
  readonly #server: Server
  #host = ''
  readonly #losing = new Set<string>()

  private constructor(target: string) {
    this.#target = target
    this.#server = createServer((request, response) => {
      this.#pass(request, response).catch(() => response.destroy())
    })
  }

  static async start(target: string): Promise<LossyProxy> {
    const proxy = new LossyProxy(target)
    proxy.#host = await listening(proxy.#server)
    return proxy
  }

  get url(): string {
    return `http://${this.#host}`
  }

  /** The next one, once. */
  loseAnswerTo(tool: string): void {
    this.#losing.add(tool)
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.waiting++
    const gone = new AbortController()
    response.on('close', () => {
      this.waiting--
      gone.abort()
    })
    const body = await text(request)
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && !/^(?:host|connection|content-length)$/.test(name)
        ? [[name, value]]
        : [],
    )
    const answer = await fetch(`${this.#target}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...(body === '' ? {} : { body }),
      signal: gone.signal,
    })
    const content = await answer.text()
    const tool = String(request.headers['mcp-name'])
    if (this.#losing.delete(tool)) {
      this.lost.push(tool)
      response.destroy()
      return
    }
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
    })
    response.end(content)
  }
}
