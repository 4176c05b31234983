/** Google's login: gives tokens for a code or a refresh token, or says in words why not. */
import { OAuth2Client } from 'google-auth-library'
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { isRecord } from '../../system/text.ts'
import type { GmailCredentials } from './credentials.ts'
import { type Token, tokenOf } from './token-file.ts'

const timeoutMs = 15_000
const revokeTimeoutMs = 10_000

export interface CodeExchange {
  code: string
  codeVerifier: string
  redirect_uri: string
}

export class GoogleLogin {
  readonly #base: string | undefined
  readonly #loginCommand: string

  constructor(config: Config, loginCommand: string) {
    this.#base = baseUrl(config, 'oauthBaseUrl')
    this.#loginCommand = loginCommand
  }

  client(credentials?: GmailCredentials, timeout = timeoutMs): OAuth2Client {
    const at = (path: string) => `${this.#base}${path}`
    return new OAuth2Client({
      ...(credentials && { clientId: credentials.clientId }),
      ...(credentials?.clientSecret && { clientSecret: credentials.clientSecret }),
      ...(this.#base !== undefined && {
        endpoints: {
          oauth2AuthBaseUrl: at('/o/oauth2/v2/auth'),
          oauth2TokenUrl: at('/token'),
          oauth2RevokeUrl: at('/revoke'),
        },
      }),
      ...quiet,
      transporterOptions: {
        ...quiet.transporterOptions,
        timeout,
        responseType: 'json',
        redirect: 'error', // the secrets are for nobody else
        size: 1 << 20,
      },
    })
  }

  async refresh(credentials: GmailCredentials, refresh_token: string): Promise<Token> {
    const client = this.client(credentials)
    client.setCredentials({ refresh_token })
    let reply: unknown
    client.on('tokens', (tokens) => {
      reply = { ...tokens } // the library puts the old refresh token over a new one
    })
    const ask = () => client.refreshAccessToken().then(() => reply)
    return this.#tokens(ask, { invalid_grant: () => deadToken(this.#loginCommand) })
  }

  async exchange(credentials: GmailCredentials, exchange: CodeExchange): Promise<Token> {
    const client = this.client(credentials)
    return this.#tokens(async () => (await client.getToken(exchange)).tokens, {
      invalid_grant: () =>
        new AgentMailError(
          'auth_required',
          'Google did not accept the code: it was used before, or is too old',
          `Run once more: ${this.#loginCommand}`,
        ),
    })
  }

  /** Whether Google knows now that the token is not to be used any more. */
  async revoke(token: string): Promise<boolean> {
    try {
      await this.client(undefined, revokeTimeoutMs).revokeToken(token)
      return true
    } catch (error) {
      return refusalOf(error) === 'invalid_token' // it was dead already
    }
  }

  async #tokens(
    ask: () => Promise<unknown>,
    refusals: Record<string, () => AgentMailError>,
  ): Promise<Token> {
    let reply: unknown
    try {
      reply = await ask()
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === undefined) throw unreachable()
      const words = new Map(Object.entries(refusals)).get(refusal)
      throw words?.() ?? (/client$/.test(refusal) ? badClient : refused)(refusal)
    }
    const token = isRecord(reply) ? tokenOf(reply) : {}
    if (token.access_token) return token
    throw new AgentMailError(
      'internal',
      "Google's login gave an answer that holds no token",
      'Try again later; what was there is untouched.',
      { details: { reason: 'unreachable' } },
    )
  }
}

/** No retries, and no logging of the library's own, which would show tokens where GOOGLE_SDK_NODE_LOGGING is set. */
export const quiet = {
  useAuthRequestParameters: false,
  transporterOptions: { retryConfig: { retry: 0 } },
} as const

/** Without the slash at its end. */
export function baseUrl(config: Config, name: 'oauthBaseUrl' | 'gmailBaseUrl'): string | undefined {
  const text = config.text(name)?.trim().replace(/\/+$/, '')
  if (text === undefined || (URL.canParse(text) && /^https?:/i.test(text))) return text
  const env = name === 'oauthBaseUrl' ? 'GOOGLE_OAUTH_BASE_URL' : 'GMAIL_BASE_URL'
  throw new AgentMailError('bad_config', `${env} must be an address with http:// or https://`)
}

/** The status of an answer, or nothing where none came. */
export function statusOf(error: unknown): number | undefined {
  const response = isRecord(error) ? error.response : undefined
  return isRecord(response) && typeof response.status === 'number' ? response.status : undefined
}

/** The word that OAuth gives for a request it refuses. */
function refusalOf(error: unknown): string | undefined {
  const response = isRecord(error) ? error.response : undefined
  const data = isRecord(response) ? response.data : undefined
  const word = isRecord(data) ? data.error : undefined
  const isRefused = [400, 401].includes(statusOf(error) ?? 0)
  return isRefused && typeof word === 'string' && /^[a-z_]{1,40}$/.test(word) ? word : undefined
}

const deadToken = (loginCommand: string) =>
  new AgentMailError(
    'auth_required',
    'Google no longer accepts the login of this Gmail account (invalid_grant). Usual causes: the consent screen was left in Testing, which ends a login after 7 days; a client of type Web instead of Desktop; the password was changed; six months idle; the access was revoked',
    `Run: ${loginCommand}`,
    { details: { reason: 'dead_token' } },
  )

const badClient = (refusal: string) =>
  new AgentMailError(
    'auth_required',
    `Google does not know the OAuth client of client_secret.json, or its secret is another (${refusal})`,
    'Download the JSON of your OAuth client of type "Desktop app" once more at https://console.cloud.google.com/apis/credentials and put it in the place of the old one.',
    { details: { reason: 'bad_credentials' } },
  )

const refused = (refusal: string) =>
  new AgentMailError(
    'auth_required',
    `Google refuses the login of this Gmail account (${refusal})`,
    'Look at the OAuth client and the consent screen at https://console.cloud.google.com/apis/credentials, then log in again.',
    { details: { reason: 'refused' } },
  )

const unreachable = () =>
  new AgentMailError(
    'internal',
    "Google's login cannot be reached, or does not work at the moment",
    'Try again later; what was there is untouched.',
    { details: { reason: 'unreachable' } },
  )
