/** A Gmail account: its token, loaded, refreshed by one process for all, and never shown. */
import { OAuth2Client } from 'google-auth-library'
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { systemClock } from '../../system/clock.ts'
import { log } from '../../system/log.ts'
import { Secrets } from '../../system/redact.ts'
import { type GmailCredentials, readCredentials } from './credentials.ts'
import { type CodeExchange, GoogleLogin, quiet } from './google-login.ts'
import { type GmailPlaces, gmailPlaces } from './places.ts'
import { GmailTokenFile, type KeptToken, type Token } from './token-file.ts'

/** A token that ends sooner might end on its way. */
const leastLifeMs = 60_000

export class GmailAccount {
  readonly places: GmailPlaces
  readonly login: GoogleLogin
  readonly #file: GmailTokenFile
  readonly #secrets = new Secrets()
  /** Without the refresh token: the library would use it by itself, and keep what it gets from the other processes. */
  readonly #client = new OAuth2Client(quiet)
  #token: KeptToken = {}
  #stamp: string | undefined
  #renewing: Promise<void> | undefined

  private constructor(places: GmailPlaces, login: GoogleLogin) {
    this.places = places
    this.login = login
    this.#file = new GmailTokenFile(places)
  }

  /** Reads nothing yet. */
  static of(config: Config): GmailAccount {
    const places = gmailPlaces(config)
    return new GmailAccount(places, new GoogleLogin(config, places.loginCommand))
  }

  get tokenPath(): string {
    return this.places.tokenPath
  }

  get credentialsPath(): string {
    return this.places.credentialsPath
  }

  /** What Google let the user allow, as far as it said so. */
  get scope(): string | undefined {
    return this.#token.scope
  }

  /** The client with a token that is valid now, always the same one. Throws `auth_required` where there is none to be had. */
  async client(): Promise<OAuth2Client> {
    this.#look()
    if (!isFresh(this.#token)) await this.refresh()
    return this.#client
  }

  /** Gets a new access token: from Google, or from another process that has just got one. */
  refresh(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  /** Throws what would stand in the way of a refresh, as far as that is known without Google. */
  checkRenewal(): { credentials: GmailCredentials; refreshToken: string } {
    const { refresh_token: refreshToken } = this.#token
    if (!refreshToken) throw this.#expired()
    return { credentials: this.#clientOf(this.#token), refreshToken }
  }

  /** The text with every secret of the account masked. */
  redact(text: string): string {
    return this.#secrets.redact(text)
  }

  /** `name` is how the file is called in an error. */
  credentials(name = this.places.credentialsName): GmailCredentials {
    const credentials = readCredentials(this.credentialsPath, name)
    this.#secrets.add(credentials.clientSecret)
    return credentials
  }

  async exchange(credentials: GmailCredentials, exchange: CodeExchange): Promise<Token> {
    this.#secrets.add(exchange.code, exchange.codeVerifier)
    const token = await this.login.exchange(credentials, exchange)
    this.#remember(token)
    return token
  }

  /** Keeps the token of a new login. */
  begin(token: Token): Promise<void> {
    return this.#file.begin(token)
  }

  /** Ends the login here, and at Google if that can be reached; nothing where there was none. */
  async end(): Promise<{ isRevoked: boolean } | undefined> {
    let isRevoked = false
    const wasThere = await this.#file.remove(async ({ refresh_token, access_token }) => {
      const token = refresh_token ?? access_token
      isRevoked = token !== undefined && (await this.login.revoke(token))
    })
    return wasThere ? { isRevoked } : undefined
  }

  async #renew(): Promise<void> {
    if (this.#stamp === undefined) this.#look()
    const before = this.#token.access_token
    await this.#file.locked(async (isLocked) => {
      const isNew = this.#look() && this.#token.access_token !== before
      if (isNew && isFresh(this.#token)) return
      const { credentials, refreshToken } = this.checkRenewal()
      const token = await this.login.refresh(credentials, refreshToken)
      const { expiry_date, ...lasting } = this.#token
      this.#use({ ...lasting, ...token }, isLocked ? this.#kept(token) : this.#unkept())
    })
  }

  /** Reads the file if it has changed, and says whether it has. */
  #look(): boolean {
    if (this.#stamp !== undefined && !this.#file.hasChanged(this.#stamp)) return false
    const { token, stamp } = this.#file.read()
    this.#use(token, stamp)
    return true
  }

  #use(token: KeptToken, stamp: string | undefined): void {
    this.#token = token
    this.#stamp = stamp
    const { access_token } = token
    this.#remember(token)
    this.#client.setCredentials(access_token ? { access_token, token_type: 'Bearer' } : {})
  }

  #remember({ access_token, refresh_token, id_token, client_secret }: KeptToken): void {
    this.#secrets.add(access_token, refresh_token, id_token, client_secret)
  }

  /** Where the file cannot be written, the token serves this process alone. */
  #kept(token: Token): string | undefined {
    try {
      return this.#file.renew(token)
    } catch (error) {
      if (AgentMailError.is(error)) throw error
      return this.#unkept()
    }
  }

  #unkept(): string | undefined {
    log(`the Gmail token was refreshed, but its file cannot be written: ${this.tokenPath}`)
    return this.#stamp
  }

  #clientOf({ client_id, client_secret }: KeptToken): GmailCredentials {
    try {
      return this.credentials()
    } catch (error) {
      if (client_id === undefined) throw error
      return { clientId: client_id, clientSecret: client_secret, isWeb: false }
    }
  }

  #expired(): AgentMailError {
    return new AgentMailError(
      'auth_required',
      'the login of this Gmail account cannot be renewed: it has no refresh token',
      `Run: ${this.places.loginCommand}`,
      { details: { reason: 'no_refresh_token' } },
    )
  }
}

const isFresh = ({ access_token, expiry_date }: Token): boolean =>
  access_token !== undefined &&
  (expiry_date === undefined || expiry_date > systemClock.now() + leastLifeMs)
