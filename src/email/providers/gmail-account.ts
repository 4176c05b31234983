/** The Google account: its token, and how it is renewed. */
import { readFile } from 'node:fs/promises'
import { OAuth2Client } from 'google-auth-library'
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { isRecord, jsonOf } from '../../json.ts'

export class GmailAccount {
  readonly tokenPath: string
  readonly #oauthUrl: string
  #client: OAuth2Client | undefined

  private constructor(tokenPath: string, oauthUrl: string) {
    this.tokenPath = tokenPath
    this.#oauthUrl = oauthUrl
  }

  static of(config: Config): GmailAccount {
    return new GmailAccount(
      config.text('gmailToken') ?? '',
      config.text('oauthBaseUrl') ?? 'https://oauth2.googleapis.com',
    )
  }

  async client(): Promise<OAuth2Client> {
    if (this.#client) return this.#client
    const token = jsonOf(await readFile(this.tokenPath, 'utf8').catch(() => ''))
    if (!isRecord(token)) throw loginRequired()
    this.#client = new OAuth2Client({
      clientId: 'client',
      clientSecret: 'secret',
      endpoints: { oauth2TokenUrl: `${this.#oauthUrl}/token` },
    })
    this.#client.setCredentials(token)
    return this.#client
  }

  async refresh(): Promise<void> {
    const client = await this.client()
    try {
      await client.refreshAccessToken()
    } catch {
      throw loginRequired()
    }
  }

  redact(text: string): string {
    return text
  }
}

const loginRequired = () =>
  new AgentMailError('auth_required', 'no usable token', 'Run `agentmail gmail login`.')
