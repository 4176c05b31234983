/** The Gmail provider with a token of its own, against whatever speaks for Gmail. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach } from 'vitest'
import { Config } from '../../../src/config.ts'
import type { RequestLimits } from '../../../src/providers/gmail/api.ts'
import { openGmail } from '../../../src/providers/gmail/gmail.ts'
import type { Inbox, OutgoingMail, Provider } from '../../../src/providers/provider.ts'
import { type AtEnd, afterAllTests } from '../at-end.ts'
import { outgoingMail } from '../email/outgoing-mail.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { FakeGmail } from './fake-gmail.ts'
import type { AddedMail } from './fake-gmailbox.ts'

interface Place {
  apiUrl: string
  loginUrl: string
  token: object
  limits?: Partial<RequestLimits>
}

type Gmail = Provider & { inbox: Inbox }

export function gmailProvider({ apiUrl, loginUrl, token, limits }: Place, atEnd?: AtEnd): Gmail {
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

export const mail = (given: Partial<OutgoingMail> = {}): OutgoingMail =>
  outgoingMail({
    to: [{ name: '', address: 'ann@example.com' }],
    subject: 'Tea',
    text: 'At four?',
    ...given,
  })

export const lines = (...text: string[]): string => text.join('\r\n')

/** One fake Gmail for the tests of a file, healed before each, with the provider on it. */
export function useFakeGmail() {
  const atEnd = afterAllTests()
  const limits = { request: 2000, call: 20_000, send: 2000, pause: 10 }
  let fake: FakeGmail
  let gmail: Gmail
  const open = (token: object = fake.login.grant(), apiUrl = fake.url): Gmail =>
    gmailProvider({ apiUrl, loginUrl: fake.url, token, limits }, atEnd)
  beforeAll(async () => {
    fake = await FakeGmail.start()
    atEnd(() => fake.stop())
    gmail = open()
    // Once without the short limits: the library loads a part of itself with its first request.
    const place = { apiUrl: fake.url, loginUrl: fake.url, token: fake.login.grant() }
    await gmailProvider(place, atEnd).inbox.list({ query: '', limit: 1 })
  })
  beforeEach(() => fake.heal())
  const add = (raw: string | Buffer, given: Partial<AddedMail> = {}): string =>
    fake.addMail({ raw, labelIds: ['INBOX'], ...given })
  return {
    get fake() {
      return fake
    },
    get gmail() {
      return gmail
    },
    open,
    add,
    read: (raw: string | Buffer, given: Partial<AddedMail> = {}) =>
      gmail.inbox.get(add(raw, given)),
  }
}
