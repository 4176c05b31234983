/** Where Google sends the browser after a login: to a server on this machine that takes one answer. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type LoginAnswer = { code: string } | { error: string }

/**
 * What the address of a redirect says, if it belongs to the login with this state.
 *
 * @example answerIn('http://127.0.0.1:4711/?state=abc&code=4/x', 'abc') // { code: '4/x' }
 */
export function answerIn(address: string, state: string): LoginAnswer | undefined {
  const query = new URLSearchParams(address.trim().replace(/^[^?]*\?|#.*$/g, ''))
  const only = (name: string) => (query.getAll(name).length === 1 ? query.get(name) : null) || ''
  if (!isSame(only('state'), state)) return undefined
  const [code, error] = [only('code'), only('error')]
  if (error !== '') return { error }
  return code === '' ? undefined : { code }
}

/** Hashes of one length, so that the comparison tells nothing about the state. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(hashOf(one), hashOf(other))
const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

export class RedirectServer {
  /** Where the browser is to be sent. */
  readonly uri: string
  readonly answer: Promise<LoginAnswer>
  readonly #server: Server

  private constructor(server: Server, answer: Promise<LoginAnswer>) {
    const address = server.address()
    this.uri = `http://127.0.0.1:${isBound(address) ? address.port : 0}`
    this.answer = answer
    this.#server = server
  }

  static async open(state: string): Promise<RedirectServer> {
    const server = createServer()
    const answer = new Promise<LoginAnswer>((resolve) => {
      let isAnswered = false
      server.on('request', (request, response) => {
        const found = request.method === 'GET' ? answerIn(request.url ?? '', state) : undefined
        if (!found || isAnswered) return send(response, 400, pages.unknown)
        isAnswered = true
        response.once('close', () => resolve(found)) // the process may end soon after
        send(response, 200, 'code' in found ? pages.done : pages.refused)
      })
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve)
    })
    return new RedirectServer(server, answer)
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

const isBound = (address: AddressInfo | string | null): address is AddressInfo =>
  typeof address === 'object' && address !== null

const pages = {
  done: 'AgentMail has the answer of Google: your terminal says how it went on. You can close this window.',
  refused: 'AgentMail was not given access: your terminal says more. You can close this window.',
  unknown: 'This is not the answer that AgentMail waits for.',
} as const

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  })
  response.end(
    `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>AgentMail</title><p>${text}</p></html>\n`,
  )
}
