/** Google's side of OAuth for the fake: codes with PKCE, tokens, refreshing, revoking. */
import { createHash, randomBytes } from 'node:crypto'

interface Answer {
  status: number
  body?: unknown
  location?: string
}

const newToken = (kind: string) => `${kind}-${randomBytes(12).toString('hex')}`

export class FakeGmailTokens {
  /** Each refresh is answered with a dead refresh token. */
  isDead = false
  refreshes = 0
  readonly accessTokens = new Set<string>()
  readonly #refreshTokens = new Set<string>()
  readonly #codes = new Map<string, { challenge: string; redirect: string }>()

  /** What a token file holds after a login. */
  grant() {
    const tokens = {
      access_token: newToken('access'),
      refresh_token: newToken('refresh'),
      expiry_date: Date.now() + 3_600_000,
      token_type: 'Bearer',
      scope: 'https://www.googleapis.com/auth/gmail.modify',
    }
    this.accessTokens.add(tokens.access_token)
    this.#refreshTokens.add(tokens.refresh_token)
    return tokens
  }

  /** The token is known no longer, as after its hour. */
  expire(): void {
    this.accessTokens.clear()
  }

  answer(method: string, path: string, query: URLSearchParams, form: URLSearchParams): Answer {
    if (method === 'GET' && path === '/o/oauth2/v2/auth') return this.#consent(query)
    if (method === 'POST' && path === '/token') return this.#token(form)
    if (method === 'POST' && path === '/revoke') {
      const token = form.get('token') ?? query.get('token') ?? ''
      const isKnown = this.#refreshTokens.delete(token) || this.accessTokens.delete(token)
      return isKnown ? { status: 200, body: {} } : refused('invalid_token')
    }
    return { status: 404, body: { error: 'not_found' } }
  }

  /** Whoever asks is taken to have agreed. */
  #consent(query: URLSearchParams): Answer {
    const redirect = query.get('redirect_uri') ?? ''
    const isWhole =
      query.get('response_type') === 'code' &&
      query.get('code_challenge_method') === 'S256' &&
      URL.canParse(redirect)
    if (!isWhole) return refused('invalid_request')
    const code = newToken('code')
    this.#codes.set(code, { challenge: query.get('code_challenge') ?? '', redirect })
    const location = new URL(redirect)
    location.searchParams.set('code', code)
    location.searchParams.set('state', query.get('state') ?? '')
    return { status: 302, location: location.href }
  }

  #token(form: URLSearchParams): Answer {
    if (form.get('grant_type') === 'authorization_code') {
      const code = this.#codes.get(form.get('code') ?? '')
      this.#codes.delete(form.get('code') ?? '')
      const verifier = form.get('code_verifier') ?? ''
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      const isGood = code?.challenge === challenge && code.redirect === form.get('redirect_uri')
      if (!isGood) return refused('invalid_grant')
      const { expiry_date: _, ...tokens } = this.grant()
      return { status: 200, body: { ...tokens, expires_in: 3599 } }
    }
    this.refreshes++
    if (this.isDead || !this.#refreshTokens.has(form.get('refresh_token') ?? '')) {
      return refused('invalid_grant')
    }
    const access_token = newToken('access')
    this.accessTokens.add(access_token)
    return { status: 200, body: { access_token, expires_in: 3599, token_type: 'Bearer' } }
  }
}

const refused = (error: string): Answer => ({
  status: 400,
  body: { error, error_description: 'Bad Request' },
})
