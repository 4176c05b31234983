/** Google's login and the profile of Gmail, as far as a login needs them: codes are used once, PKCE is checked, faults can be set. */

import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach } from 'vitest'

export type Fault =
  | 'invalid_grant'
  | 'invalid_client'
  | 'error 500'
  | 'hang'
  | 'garbage'
  | 'no access token'
  | 'no refresh token'
  | 'unticked'

export const client = { client_id: 'agentmail.apps.example', client_secret: 'GOCSPX-client-secret' }
export const modify = 'https://www.googleapis.com/auth/gmail.modify'
export const address = 'jane@example.com'

interface Grant {
  challenge: string
  redirect_uri: string
}

export class FakeGoogleLogin {
  /** What the next requests for a token meet. */
  fault: Fault | undefined
  /** The status that the profile is answered with. */
  profile = 200
  /** What the user does with the consent screen. */
  isDenied = false
  replyAfterMs = 0
  readonly tokenRequests: URLSearchParams[] = []
  readonly revoked: string[] = []
  /** Everything that nobody but the client may see. */
  readonly secrets = [client.client_secret]
  readonly #server: Server
  readonly #grants = new Map<string, Grant>()
  readonly #refreshTokens = new Set<string>()
  readonly #accessTokens = new Set<string>()

  private constructor(server: Server) {
    this.#server = server
    server.on('request', (request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
  }

  static async open(): Promise<FakeGoogleLogin> {
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return new FakeGoogleLogin(server)
  }

  get url(): string {
    const address = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${address.port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** As before any test, but for the tokens that are out. */
  reset(): void {
    this.fault = undefined
    this.profile = 200
    this.isDenied = false
    this.replyAfterMs = 0
    this.tokenRequests.length = 0
    this.revoked.length = 0
  }

  /** A login that was made at some other time. */
  issue(): { access_token: string; refresh_token: string } {
    const refresh_token = this.#secret('1//')
    this.#refreshTokens.add(refresh_token)
    return { access_token: this.#access(), refresh_token }
  }

  /** Ends what was issued. */
  forget(...tokens: string[]): void {
    for (const token of tokens) {
      this.#refreshTokens.delete(token)
      this.#accessTokens.delete(token)
    }
  }

  /** Does what a browser does with the address, and gives where Google sends it. */
  async consent(url: string): Promise<string> {
    const { headers, status } = await fetch(url, { redirect: 'manual' })
    const location = headers.get('location')
    if (!location) throw new Error(`the consent screen was not reached: ${status}`)
    return location
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '', this.url)
    const route = `${request.method} ${url.pathname}`
    if (route === 'GET /o/oauth2/v2/auth') return this.#consent(url.searchParams, response)
    if (route === 'POST /token') {
      return this.#token(new URLSearchParams(await text(request)), response)
    }
    if (route === 'POST /revoke') return this.#revoke(url.searchParams.get('token'), response)
    if (route === 'GET /gmail/v1/users/me/profile') return this.#profile(request, response)
    return json(response, 404, { error: 'not_found' })
  }

  #consent(query: URLSearchParams, response: ServerResponse): ServerResponse {
    const { redirect_uri = '', state = '', code_challenge = '' } = Object.fromEntries(query)
    const wanted = {
      client_id: client.client_id,
      response_type: 'code',
      access_type: 'offline',
      prompt: 'consent',
      scope: modify,
      code_challenge_method: 'S256',
    }
    const isWanted = Object.entries(wanted).every(([name, value]) => query.get(name) === value)
    const isLoopback = /^http:\/\/127\.0\.0\.1:\d+$/.test(redirect_uri)
    const isGuarded = state.length >= 20 && /^[\w-]{43}$/.test(code_challenge)
    if (!isWanted || !isLoopback || !isGuarded) return json(response, 400, { error: 'bad_request' })
    const target = new URL(redirect_uri)
    target.searchParams.set('state', state)
    if (this.isDenied) target.searchParams.set('error', 'access_denied')
    else {
      const code = this.#secret('4/0A')
      this.#grants.set(code, { challenge: code_challenge, redirect_uri })
      target.searchParams.set('code', code)
      target.searchParams.set('scope', modify)
    }
    return response.writeHead(302, { location: target.href }).end()
  }

  async #token(form: URLSearchParams, response: ServerResponse): Promise<unknown> {
    this.tokenRequests.push(form)
    await wait(this.replyAfterMs)
    if (this.fault === 'hang') return undefined
    if (this.fault === 'error 500') return json(response, 500, { error: 'internal_failure' })
    if (this.fault === 'garbage') {
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in to the Wi-Fi')
    }
    const { client_id, client_secret, grant_type } = Object.fromEntries(form)
    const isClient = client_id === client.client_id && client_secret === client.client_secret
    if (!isClient || this.fault === 'invalid_client') {
      return json(response, 401, { error: 'invalid_client', error_description: client_secret })
    }
    const isGranted =
      grant_type === 'refresh_token'
        ? this.#refreshTokens.has(form.get('refresh_token') ?? '')
        : this.#takeGrant(form)
    if (!isGranted || this.fault === 'invalid_grant') {
      const error_description = `Bad Request ${form.get('refresh_token') ?? form.get('code')}`
      return json(response, 400, { error: 'invalid_grant', error_description })
    }
    const isNew = grant_type === 'authorization_code' && this.fault !== 'no refresh token'
    const { access_token, refresh_token } = this.issue()
    return json(response, 200, {
      ...(this.fault !== 'no access token' && { access_token }),
      ...(isNew && { refresh_token }),
      expires_in: 3599,
      scope: this.fault === 'unticked' ? 'openid' : modify,
      token_type: 'Bearer',
    })
  }

  /** A code is good for one try. */
  #takeGrant(form: URLSearchParams): boolean {
    const code = form.get('code') ?? ''
    const grant = this.#grants.get(code)
    this.#grants.delete(code)
    const verifier = form.get('code_verifier') ?? ''
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    return grant?.challenge === challenge && grant.redirect_uri === form.get('redirect_uri')
  }

  #revoke(token: string | null, response: ServerResponse): ServerResponse {
    if (this.fault === 'error 500') return json(response, 500, {})
    const isKnown = this.#refreshTokens.has(token ?? '') || this.#accessTokens.has(token ?? '')
    if (!isKnown || token === null) return json(response, 400, { error: 'invalid_token' })
    this.forget(token)
    this.revoked.push(token)
    return json(response, 200, {})
  }

  #profile(request: IncomingMessage, response: ServerResponse): ServerResponse {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    const status = this.#accessTokens.has(token) ? this.profile : 401
    return json(
      response,
      status,
      status === 200 ? { emailAddress: address } : { error: { code: status } },
    )
  }

  #access(): string {
    const token = this.#secret('ya29.')
    this.#accessTokens.add(token)
    return token
  }

  #secret(prefix: string): string {
    const secret = prefix + randomBytes(24).toString('base64url')
    this.secrets.push(secret)
    return secret
  }
}

function json(response: ServerResponse, status: number, value: unknown): ServerResponse {
  return response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify(value))
}

/** One for all tests of a file, as new at the start of each. */
export function sharedGoogleLogin(): () => FakeGoogleLogin {
  let google: FakeGoogleLogin
  beforeAll(async () => {
    google = await FakeGoogleLogin.open()
  })
  beforeEach(() => google.reset())
  afterAll(() => google.close())
  return () => google
}
