/** What a person has notices posted to: it keeps what came, and answers as the test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { AtEnd } from '../at-end.ts'
import { listening } from '../listening.ts'

export interface Came {
  method: string | undefined
  path: string | undefined
  headers: IncomingMessage['headers']
  body: string
  /** By the test's own clock, where it has one. */
  at: number
}

export class Receiver {
  readonly url: string
  /** In the order in which they came. */
  readonly came: Came[]
  /** How the next are answered; with 200 when it is empty. */
  readonly #answers: ((response: ServerResponse) => void)[]

  private constructor(host: string, came: Came[], answers: ((response: ServerResponse) => void)[]) {
    this.url = `http://${host}/secret-path-4711`
    this.came = came
    this.#answers = answers
  }

  static async start(
    now: () => number = Date.now,
    atEnd: AtEnd = onTestFinished,
  ): Promise<Receiver> {
    const came: Came[] = []
    const answers: ((response: ServerResponse) => void)[] = []
    const server = createServer(async (request, response) => {
      const { method, url: path, headers } = request
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      came.push({ method, path, headers, body, at: now() })
      const answer = answers.shift() ?? ((one) => one.end('{"ok":true}'))
      answer(response)
    })
    return new Receiver(await listening(server, atEnd), came, answers)
  }

  /** Once each, in this order. */
  answer(...answers: (number | ((response: ServerResponse) => void))[]): void {
    for (const answer of answers) {
      this.#answers.push(
        typeof answer === 'number' ? (response) => response.writeHead(answer).end() : answer,
      )
    }
  }

  get bodies(): unknown[] {
    return this.came.map(({ body }) => JSON.parse(body))
  }

  get subjects(): string[] {
    return this.came.map(({ body }) => JSON.parse(body).subject)
  }
}
