/** The login of a server that has a token: a form, what it sends, and how often that may be wrong. */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { checked } from '../../connection/queries.ts'
import { AgentMailError } from '../../errors.ts'
import { ownUser } from '../../person/own-user.ts'
import { requiredLine } from '../../tools/coordination/fields.ts'
import { tokenRequired } from '../guards.ts'
import { allow, type Exchange, HttpError, readBody, sendText } from '../http-exchange.ts'
import { type Door, refuseOtherSites } from './door.ts'
import type { PageParts } from './page-call.ts'
import { readPageFile } from './page-files.ts'

const maxFormBytes = 8 << 10
const wordsMark = '<!-- words -->'
const name = requiredLine('the name')

export class Login {
  readonly #parts: Pick<PageParts, 'token' | 'isToken'>
  readonly #door: Door
  readonly #wrong = new WrongTries()
  #form: { html: string; policy: string } | undefined

  constructor(parts: Pick<PageParts, 'token' | 'isToken'>, door: Door) {
    this.#parts = parts
    this.#door = door
  }

  /** GET and POST /login. */
  async answer(exchange: Exchange): Promise<void> {
    const { request, response } = exchange
    allow(request, ['GET', 'HEAD', 'POST'])
    if (this.#parts.token === undefined) return toPage(request, response)
    if (request.method === 'POST') return this.#take(exchange)
    if (this.#door.isOpenTo(request, response)) return toPage(request, response)
    this.#send(response, 200)
  }

  /** The form instead of the page. */
  ask(response: ServerResponse): void {
    this.#send(response, tokenRequired.status, '', tokenRequired.headers)
  }

  async #take({ request, response }: Exchange): Promise<void> {
    refuseOtherSites(request)
    const form = await readForm(request)
    const address = request.socket.remoteAddress ?? ''
    const waitSeconds = this.#wrong.waitSeconds(address)
    if (waitSeconds > 0) {
      const words = `There were too many wrong tries: try again in ${waitSeconds} s.`
      return this.#send(response, 429, words, { 'retry-after': String(waitSeconds) })
    }
    if (!this.#parts.isToken((form.get('token') ?? '').trim())) {
      this.#wrong.add(address)
      const words = 'That is not the token.' // what it is stands beside its field
      return this.#send(response, tokenRequired.status, words, tokenRequired.headers)
    }
    try {
      const who = (form.get('name') ?? '').trim()
      this.#door.begin({ request, response }, who === '' ? ownUser() : checked(name, who))
    } catch (error) {
      if (!AgentMailError.is(error, 'invalid_request')) throw error
      return this.#send(
        response,
        error.httpStatus,
        'The name must be one line of at most 255 characters.',
      )
    }
    toPage(request, response)
  }

  /** @param words of ours alone: they are not made inert. */
  #send(
    response: ServerResponse,
    status: number,
    words = '',
    headers: Record<string, string> = {},
  ): void {
    this.#form ??= readFormPage()
    const { html, policy } = this.#form
    const alert = words === '' ? '' : `<p class="wrong" role="alert" id="wrong">${words}</p>`
    sendText(response, status, html.replace(wordsMark, alert), {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      // With none at all a browser says of the form that it comes from nowhere, and it would be refused.
      'referrer-policy': 'same-origin',
      ...headers,
    })
  }
}

/** A style may stand in it, and no other than its own. */
function readFormPage(): { html: string; policy: string } {
  const html = readPageFile('login.html').toString('utf8')
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = `default-src 'none'; script-src 'self'; style-src 'sha256-${hash}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
  return { html, policy }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    request.resume()
    throw new HttpError(415, 'Content-Type must be application/x-www-form-urlencoded')
  }
  return new URLSearchParams((await readBody(request, maxFormBytes)).toString('utf8'))
}

/** What stands behind # in the address stays there. */
function toPage(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  sendText(response, 303, '', { location: '/', 'content-type': 'text/plain' })
}

const maxWrong = 10
const minuteMs = 60_000
const maxAddresses = 10_000

/** So many a minute of each address. */
class WrongTries {
  /** When they were. */
  readonly #times = new Map<string, number[]>()

  /** Until the next may be tried; 0 where it may be now. */
  waitSeconds(address: string): number {
    const times = this.#recent(address)
    const [first = 0] = times
    if (times.length < maxWrong) return 0
    return Math.max(1, Math.ceil((first + minuteMs - performance.now()) / 1000))
  }

  add(address: string): void {
    if (this.#times.size >= maxAddresses) this.#times.clear()
    this.#times.set(address, [...this.#recent(address), performance.now()])
  }

  #recent(address: string): number[] {
    const since = performance.now() - minuteMs
    return (this.#times.get(address) ?? []).filter((at) => at > since)
  }
}
