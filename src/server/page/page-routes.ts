/** The page at / and what it asks: the built files, the door that lets a person in, and the table of /api/page. */
import { tokenRequired } from '../guards.ts'
import { allow, type Exchange, HttpError, sendJson } from '../http-exchange.ts'
import { deciding } from './deciding.ts'
import { Door } from './door.ts'
import { helping } from './helping.ts'
import { Login } from './login.ts'
import type { PageHandler, PageParts, PageTable } from './page-call.ts'
import { isPageFile, sendPageFile } from './page-files.ts'
import { PageStreams } from './stream.ts'
import { watching } from './watching.ts'

const root = '/api/page'

/** Nothing comes from elsewhere, nothing stands in the page itself, and it stands in no other. */
const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

export class PageRoutes {
  readonly #table: PageTable
  readonly #streams: PageStreams
  readonly #door: Door
  readonly #login: Login

  constructor(parts: PageParts) {
    this.#streams = new PageStreams(parts)
    this.#door = new Door(parts)
    this.#login = new Login(parts, this.#door)
    this.#table = {
      ...helping(parts),
      ...watching(parts),
      ...deciding(parts),
      ...this.#streams.table,
      'POST /logout': async (call) => {
        this.#door.end(call)
        return { ok: true }
      },
    }
  }

  owns(path: string): boolean {
    return isPageFile(path) || path === '/login' || path === root || path.startsWith(`${root}/`)
  }

  /** Ends the streams of events that are open. */
  closeStreams(): void {
    this.#streams.close()
  }

  async answer(exchange: Exchange, path: string): Promise<void> {
    const { request, response } = exchange
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    try {
      if (path === '/login') await this.#login.answer(exchange)
      else if (isPageFile(path)) this.#file(exchange, path)
      else await this.#call(exchange, path.slice(root.length))
    } catch (error) {
      request.resume()
      throw error
    }
  }

  #file({ request, response }: Exchange, path: string): void {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const isBrowser = path === '/' && /\btext\/html\b/.test(request.headers.accept ?? '')
    // Who logs in needs its script before.
    if (path === '/login.js' || this.#door.isOpenTo(request, response)) {
      allow(request, ['GET', 'HEAD'])
      sendPageFile(request, response, path)
    } else if (isRead && isBrowser) {
      this.#login.ask(response)
    } else {
      const { status, message, headers } = tokenRequired
      throw new HttpError(status, message, { headers })
    }
  }

  async #call(exchange: Exchange, path: string): Promise<void> {
    const { request, response } = exchange
    const call = this.#door.enter(exchange, path === '' && request.method === 'GET')
    const answer = await this.#handler(exchange, path)(call)
    if (answer !== undefined) sendJson(response, 200, answer)
  }

  #handler({ request }: Exchange, path: string): PageHandler {
    const key = `${request.method} ${path}`
    const handler = Object.hasOwn(this.#table, key) ? this.#table[key] : undefined
    if (handler) return handler
    const others = Object.keys(this.#table).filter((one) => one.endsWith(` ${path}`))
    if (others.length > 0)
      allow(
        request,
        others.map((one) => one.slice(0, -path.length - 1)),
      )
    throw new HttpError(404, 'not found: the page asks for nothing like that')
  }
}
