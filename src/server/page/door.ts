/** The door of the page: a person comes in by a session of the browser, a program by the token, another site not at all. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { checked } from '../../connection/queries.ts'
import { ownUser } from '../../person/own-user.ts'
import { requiredLine } from '../../tools/coordination/fields.ts'
import { isSameSecret, tokenRequired } from '../guards.ts'
import { type Exchange, HttpError, isCalledJson } from '../http-exchange.ts'
import { type PageSession, PageSessions } from './door-sessions.ts'
import type { PageCall, PageParts } from './page-call.ts'

/** Longer than a session lasts without use: the server is who ends it. */
const cookieSeconds = 24 * 3600

const csrfHeader = 'x-agentmail-page'
const nameHeader = 'x-agentmail-name'

type DoorParts = Pick<PageParts, 'token' | 'mayCall' | 'isByHttps'>

export class Door {
  readonly #parts: DoorParts
  readonly #sessions = new PageSessions()

  constructor(parts: DoorParts) {
    this.#parts = parts
  }

  /** Whether the page itself may be seen. */
  isOpenTo(request: IncomingMessage, response: ServerResponse): boolean {
    const isOpen = this.#parts.token === undefined || this.#hasToken(request)
    return this.#sessionOf(request, response) !== undefined || isOpen
  }

  /**
   * Who asks something at /api/page; others are refused.
   * @param isFirst what a page asks before it has a session.
   */
  enter({ request, response, query }: Exchange, isFirst: boolean): PageCall {
    refuseOtherSites(request)
    const hasToken = this.#hasToken(request)
    const isGuest = this.#parts.token === undefined && isFirst
    const session =
      this.#sessionOf(request, response) ??
      (isGuest ? this.begin({ request, response }, ownUser()) : undefined)
    if (!session && !hasToken) throw this.#refusal()
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      // Who has the token is no other site's page.
      if (!hasToken) checkCsrf(request.headers[csrfHeader], session)
      if (!isCalledJson(request)) throw new HttpError(403, 'Content-Type must be application/json')
    }
    const who = (hasToken ? nameIn(request) : undefined) ?? session?.who ?? ownUser()
    return { request, response, query, who, session }
  }

  /** A new session for this browser, instead of the one that it had. */
  begin({ request, response }: Pick<Exchange, 'request' | 'response'>, who: string): PageSession {
    this.#endOf(request)
    const { session, secret } = this.#sessions.begin(who)
    this.#tell(request, response, secret, cookieSeconds)
    return session
  }

  end({ request, response }: Exchange): void {
    this.#endOf(request)
    this.#tell(request, response, '', 0)
  }

  #hasToken(request: IncomingMessage): boolean {
    return this.#parts.token !== undefined && this.#parts.mayCall(request)
  }

  #sessionOf(request: IncomingMessage, response: ServerResponse): PageSession | undefined {
    for (const secret of secretsIn(request)) {
      const used = this.#sessions.use(secret, response)
      if (!used) continue
      if (used.isToBeTold) this.#tell(request, response, secret, cookieSeconds)
      return used.session
    }
    return undefined
  }

  #endOf(request: IncomingMessage): void {
    for (const secret of secretsIn(request)) this.#sessions.end(secret)
  }

  #tell(request: IncomingMessage, response: ServerResponse, secret: string, seconds: number): void {
    const parts = [
      `${cookieName(request)}=${secret}`,
      `Max-Age=${seconds}`,
      ...['Path=/', 'HttpOnly', 'SameSite=Strict'],
      ...(this.#parts.isByHttps(request) ? ['Secure'] : []),
    ]
    response.setHeader('set-cookie', parts.join('; '))
  }

  /** The page knows by its code to begin anew. */
  #refusal(): HttpError {
    const data = { code: 'login' }
    if (this.#parts.token === undefined) {
      return new HttpError(401, 'a session is required: ask GET /api/page first', { data })
    }
    const { status, message, headers } = tokenRequired
    return new HttpError(status, message, { headers, data })
  }
}

/** Pages of other ports of this machine are other sites, though browsers send them the same cookies. */
export function refuseOtherSites({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site']
  if (site !== 'cross-site' && site !== 'same-site') return
  throw new HttpError(403, 'pages of other sites may not use this server: open its own page')
}

function checkCsrf(given: string | string[] | undefined, session: PageSession | undefined): void {
  if (session && typeof given === 'string' && isSameSecret(given, session.csrf)) return
  throw new HttpError(
    403,
    `${csrfHeader} must be what GET /api/page gave as csrf in this session: load the page again`,
    { data: { code: 'csrf' } },
  )
}

/** Percent-encoded, as a header has no letters but English ones. */
function nameIn({ headers }: IncomingMessage): string | undefined {
  const told = headers[nameHeader]
  if (typeof told !== 'string') return undefined
  try {
    return checked(requiredLine(nameHeader), decodeURIComponent(told))
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw new HttpError(400, `${nameHeader} must be percent-encoded UTF-8`)
  }
}

/** Browsers tell hosts apart and not ports: each server of a machine has a name of its own. */
const cookieName = ({ socket }: IncomingMessage): string => `agentmail_page_${socket.localPort}`

function secretsIn(request: IncomingMessage): string[] {
  const start = `${cookieName(request)}=`
  const cookies = (request.headers.cookie ?? '').split(';').map((one) => one.trim())
  return cookies.filter((one) => one.startsWith(start)).map((one) => one.slice(start.length))
}
