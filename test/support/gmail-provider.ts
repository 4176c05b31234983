/** The Gmail provider with a token of its own, against whatever speaks for Gmail. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config } from '../../src/config.ts'
import { openGmail } from '../../src/email/providers/gmail.ts'
import type { Limits } from '../../src/email/providers/gmail-api.ts'
import type { Inbox, OutgoingMail, Provider } from '../../src/email/providers/provider.ts'
import { temporaryFolder } from './agentmail.ts'

interface Place {
  apiUrl: string
  loginUrl: string
  token: object
  limits?: Partial<Limits>
}

export function gmailProvider(
  { apiUrl, loginUrl, token, limits }: Place,
  atEnd?: (end: () => void) => void,
): Provider & { inbox: Inbox } {
  const folder = temporaryFolder(atEnd)
  const tokenPath = join(folder, 'token.json')
  const credentialsPath = join(folder, 'credentials.json')
  const client = {
    client_id: 'client',
    client_secret: 'secret-of-the-client',
    redirect_uris: ['http://localhost'],
    auth_uri: `${loginUrl}/o/oauth2/v2/auth`,
    token_uri: `${loginUrl}/token`,
  }
  writeFileSync(tokenPath, JSON.stringify(token), { mode: 0o600 })
  writeFileSync(credentialsPath, JSON.stringify({ installed: client }), { mode: 0o600 })
  const env = {
    GMAIL_TOKEN_PATH: tokenPath,
    GMAIL_CREDENTIALS_PATH: credentialsPath,
    GMAIL_BASE_URL: apiUrl,
    GOOGLE_OAUTH_BASE_URL: loginUrl,
  }
  const provider = openGmail(new Config({}, env), limits)
  const { inbox } = provider
  if (!inbox) throw new Error('Gmail can be read')
  return Object.assign(provider, { inbox })
}

export const mail = (given: Partial<OutgoingMail> = {}): OutgoingMail => ({
  from: undefined,
  to: [{ name: '', address: 'ann@example.com' }],
  cc: [],
  bcc: [],
  reply_to: [],
  subject: 'Tea',
  text: 'At four?',
  html: undefined,
  attachments: [],
  original: undefined,
  key: undefined,
  postmark: undefined,
  ...given,
})

/** What a call fails with. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  const done = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in done) return done.error
  throw new Error(`This did not fail: ${JSON.stringify(done.value)}`)
}
