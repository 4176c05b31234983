/** A browser at the page, as far as the server sees it: keeps its cookie and its csrf token, and sends them along. */
import * as z from 'zod'
import { type Asked, ask, type Reply } from './http.ts'

const bootSchema = z.object({ csrf: z.string(), who: z.string(), instance: z.string() })

export const cookieIn = ({ headers }: Reply): string =>
  headers['set-cookie']?.[0]?.split(';')[0] ?? ''

/** What the form of the login sends. */
export const loginForm = (fields: Record<string, string>): Asked => ({
  method: 'POST',
  path: '/login',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: String(new URLSearchParams(fields)),
})

export class PageVisitor {
  readonly url: string
  cookie: string
  csrf = ''

  private constructor(url: string, cookie: string) {
    this.url = url
    this.cookie = cookie
  }

  /** @param login what is filled in, at a server that has a token. */
  static async enter(url: string, login?: { token: string; name?: string }): Promise<PageVisitor> {
    const cookie = login ? cookieIn(await ask(url, loginForm({ name: '', ...login }))) : ''
    const visitor = new PageVisitor(url, cookie)
    const reply = await visitor.get('')
    visitor.cookie = cookieIn(reply) || cookie
    visitor.csrf = bootSchema.parse(JSON.parse(reply.text)).csrf
    return visitor
  }

  /** @param path behind /api/page. */
  get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    return ask(this.url, { path: `/api/page${path}`, headers: { ...this.#own, ...headers } })
  }

  post(path: string, body: object = {}, headers: Record<string, string> = {}): Promise<Reply> {
    const all = {
      'content-type': 'application/json',
      'x-agentmail-page': this.csrf,
      ...this.#own,
      ...headers,
    }
    return ask(this.url, {
      method: 'POST',
      path: `/api/page${path}`,
      headers: all,
      body: JSON.stringify(body),
    })
  }

  async who(): Promise<string> {
    return bootSchema.parse(JSON.parse((await this.get('')).text)).who
  }

  get #own(): Record<string, string> {
    return this.cookie === '' ? {} : { cookie: this.cookie }
  }
}
