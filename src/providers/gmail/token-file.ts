/** The token of a Gmail account, in the fields of google-auth-library; what else stands in its file stays there. */
import { AgentMailError } from '../../errors.ts'
import { SecretFile } from '../../system/secret-file.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import type { GmailPlaces } from './places.ts'

/** As Google gives it. */
export interface Token {
  access_token?: string
  refresh_token?: string
  /** Unix milliseconds. */
  expiry_date?: number
  scope?: string
  token_type?: string
  id_token?: string
}

/** As it is kept: some programs write the client into the same file. */
export interface KeptToken extends Token {
  client_id?: string
  client_secret?: string
}

const texts = ['access_token', 'refresh_token', 'scope', 'token_type', 'id_token'] as const
const clientTexts = ['client_id', 'client_secret'] as const

export class GmailTokenFile {
  readonly #file: SecretFile
  readonly #places: GmailPlaces

  constructor(places: GmailPlaces) {
    this.#file = new SecretFile(places.tokenPath)
    this.#places = places
  }

  /** Throws `auth_required` where there is nothing to be used. */
  read(): { token: KeptToken; stamp: string } {
    const { value, stamp } = this.#content()
    if (value === undefined) throw this.#unusable('no_token', 'you are not logged in to Gmail')
    const token = tokenOf(value, [...texts, ...clientTexts])
    if (token.access_token || token.refresh_token) return { token, stamp }
    throw this.#unusable('bad_token', `${this.#places.tokenName} holds no token`)
  }

  /** Whether the file is another one than when it had this stamp. */
  hasChanged(stamp: string | undefined): boolean {
    return this.#file.stamp() !== stamp
  }

  async locked<T>(work: (isLocked: boolean) => Promise<T>): Promise<T> {
    try {
      return await this.#file.locked(work)
    } catch (error) {
      if (AgentMailError.is(error) || codeOf(error) === undefined) throw error
      throw this.#unusable('bad_token', `${this.#places.tokenName} cannot be read`)
    }
  }

  /** Merges what Google gave for the refresh token, which it does not give again. The caller holds the lock. */
  renew(token: Token): string | undefined {
    const { value } = this.#content()
    if (value === undefined) return undefined // who removed it meanwhile has logged out
    return this.#write({ ...value, expiry_date: undefined, ...token })
  }

  /** Keeps the token of a new login: of the old one nothing is left. */
  async begin(token: Token): Promise<void> {
    const write = async () => {
      const others = Object.entries(this.#old()).filter(([name]) => !isOwn(name))
      this.#write({ ...Object.fromEntries(others), ...token })
    }
    try {
      await this.#file.locked(write, { create: true })
    } catch (cause) {
      if (AgentMailError.is(cause)) throw cause
      throw new AgentMailError(
        'storage',
        `the token could not be written to ${this.#places.tokenPath} (${codeOf(cause)})`,
        'Make that place writable, or name another with GMAIL_TOKEN_PATH.',
      )
    }
  }

  /** Gives what was there, as far as it could be read, to `before`; nothing to remove is `false`. */
  async remove(before: (token: KeptToken) => Promise<void>): Promise<boolean> {
    try {
      return await this.#file.locked(async () => {
        if (this.#file.stamp() === undefined) return false
        await before(tokenOf(this.#old()))
        this.#file.remove()
        return true
      })
    } catch (cause) {
      if (AgentMailError.is(cause)) throw cause
      throw new AgentMailError(
        'storage',
        `the token at ${this.#places.tokenPath} could not be removed (${codeOf(cause)})`,
        'Remove it by hand.',
      )
    }
  }

  #write(value: Record<string, unknown>): string | undefined {
    this.#file.replace(`${JSON.stringify(value, null, 2)}\n`)
    return this.#file.stamp()
  }

  #content(): { value: Record<string, unknown> | undefined; stamp: string } {
    const { tokenName } = this.#places
    let secret: { text: string; stamp: string } | undefined
    try {
      secret = this.#file.read()
    } catch {
      throw this.#unusable('bad_token', `${tokenName} cannot be read`)
    }
    // An empty one is that of a login which was killed.
    if (!secret || secret.text === '') return { value: undefined, stamp: secret?.stamp ?? '' }
    const value = jsonOf(secret.text)
    if (isRecord(value)) return { value, stamp: secret.stamp }
    throw this.#unusable('bad_token', `${tokenName} is damaged: it is not JSON`)
  }

  /** Nothing where it cannot be read: a new login may replace it. */
  #old(): Record<string, unknown> {
    try {
      return this.#content().value ?? {}
    } catch {
      return {}
    }
  }

  #unusable(reason: string, message: string): AgentMailError {
    return new AgentMailError('auth_required', message, `Run: ${this.#places.loginCommand}`, {
      details: { reason },
    })
  }
}

/** The fields that are what they should be. A token goes into a header, so it holds nothing that could end one. */
export function tokenOf(
  value: Record<string, unknown>,
  names: readonly string[] = texts,
): KeptToken {
  const isUsable = (field: unknown) => typeof field === 'string' && /^[\x20-\x7e]+$/.test(field)
  const { expiry_date } = value
  return {
    ...Object.fromEntries(
      names.filter((name) => isUsable(value[name])).map((name) => [name, value[name]]),
    ),
    ...(typeof expiry_date === 'number' && { expiry_date }),
  }
}

const codeOf = (error: unknown): string | undefined =>
  isRecord(error) && typeof error.code === 'string' ? error.code : undefined

const isOwn = (name: string): boolean =>
  [...texts, ...clientTexts, 'expiry_date'].some((own) => own === name)
