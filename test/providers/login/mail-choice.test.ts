/** Which mail service is used, and by which login: what is named wins, then what is set up, then what is kept. */
import { symlinkSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { Config, type Environment } from '../../../src/config.ts'
import { providerName, readableProvider } from '../../../src/email/mail-provider.ts'
import { imapAccount } from '../../../src/providers/imap/account.ts'
import {
  type KeptLogin,
  keepLogin,
  keptLoginPath,
} from '../../../src/providers/imap/login/kept-login.ts'
import { failureOf } from '../../support/failure-of.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const login: KeptLogin = {
  address: 'jane@example.com',
  imap: { host: 'imap.example.com', port: 993, isSecure: true, isLoopback: false },
  smtp: { host: 'smtp.example.com', port: 465, isSecure: true, isLoopback: false },
  user: 'jane',
  password: 'kept-password',
}

async function homeWith(kept?: KeptLogin): Promise<(env?: Environment) => Config> {
  const XDG_CONFIG_HOME = temporaryFolder()
  onTestFinished(() => {
    globalThis.agentmailSecrets = undefined
  })
  if (kept) await keepLogin(new Config({}, { XDG_CONFIG_HOME }), kept)
  return (env = {}) => new Config({}, { XDG_CONFIG_HOME, ...env })
}

const refusal = (config: Config) => failureOf((async () => imapAccount(config))())

/** With the server that sends. */
const whole = (config: Config) => {
  const account = imapAccount(config)
  return { ...account, smtp: account.smtp() }
}

const imap = { AGENTMAIL_IMAP_URL: 'imaps://paul:of-the-url@imap.example.com' }
const smtp = { AGENTMAIL_SMTP_URL: 'smtps://paul:of-the-url@smtp.example.net' }
const postmark = { POSTMARK_SERVER_TOKEN: 'token-of-postmark' }

it('is the one that is named, else the first that is set up', async () => {
  const [none, kept] = [await homeWith(), await homeWith(login)]
  const cases: [Config, string, string][] = [
    [none(), 'gmail', 'gmail'],
    [kept(), 'imap', 'imap'],
    [kept(postmark), 'postmark', 'imap'],
    [kept(smtp), 'smtp', 'imap'],
    [none({ ...postmark, ...smtp }), 'smtp', 'gmail'],
    [none({ ...postmark, ...smtp, ...imap }), 'imap', 'imap'],
    [kept({ AGENTMAIL_MAIL: 'gmail' }), 'gmail', 'gmail'],
    [kept({ ...imap, AGENTMAIL_MAIL: 'local' }), 'local', 'local'],
    [none({ AGENTMAIL_MAIL: 'imap' }), 'imap', 'imap'],
  ]
  for (const [config, name, readable] of cases) {
    expect([providerName(config), readableProvider(config)]).toEqual([name, readable])
  }
  const linked = await homeWith()
  symlinkSync('/nowhere', `${linked().text('configHome')}/agentmail`)
  expect(providerName(linked())).toBe('gmail')
})

it('logs in with what is kept, unless the settings say otherwise', async () => {
  const kept = await homeWith(login)
  const { address, imap: server, login: as, smtp: out } = imapAccount(kept())
  const pass = 'kept-password'
  expect([address, server, as]).toEqual([login.address, login.imap, { user: 'jane', pass }])
  expect(out()).toEqual({ ...login.smtp, login: { user: 'jane', pass } })
  expect(whole(kept({ AGENTMAIL_MAIL_TOKEN: 'a-token' }))).toMatchObject({
    login: { user: 'jane', token: 'a-token' },
    smtp: { login: { user: 'jane', token: 'a-token' } },
  })
  expect(whole(kept({ ...imap, ...smtp }))).toMatchObject({
    login: { user: 'paul', pass: 'of-the-url' },
    smtp: { host: 'smtp.example.net', login: { user: 'paul', pass: 'of-the-url' } },
  })
  expect(whole(kept({ ...smtp }))).toMatchObject({
    login: { user: 'jane', pass },
    smtp: { login: { user: 'paul', pass: 'of-the-url' } },
  })
})

it('gives a kept password to no server but those that it was kept with', async () => {
  const kept = await homeWith(login)
  const from = { AGENTMAIL_MAIL_FROM: 'jane@example.com' }
  const other = { ...from, AGENTMAIL_IMAP_URL: 'imaps://jane@imap.other.test' }
  expect(await refusal(kept(other))).toMatchObject({
    code: 'server_config',
  })
  const read = { ...from, AGENTMAIL_IMAP_URL: 'imaps://jane:mine@imap.other.test' }
  expect(await failureOf((async () => imapAccount(kept(read)).smtp())())).toMatchObject({
    message: 'AGENTMAIL_SMTP_URL is not set',
  })
  const same = { ...from, AGENTMAIL_IMAP_URL: 'imaps://jane:mine@imap.example.com' }
  expect(imapAccount(kept(same)).smtp()).toMatchObject({ host: 'smtp.example.com' })
})

it('says what to do where there is no login, or one by a token that is not there', async () => {
  const none = await homeWith()
  expect(await refusal(none())).toMatchObject({
    code: 'auth_required',
    next: expect.stringContaining('agentmail mail login'),
  })
  const byToken = await homeWith({ ...login, password: undefined })
  expect(await refusal(byToken())).toMatchObject({
    next: expect.stringContaining('AGENTMAIL_MAIL_TOKEN'),
  })
})

it('makes the kept password a secret of every configuration', async () => {
  const kept = await homeWith(login)
  globalThis.agentmailSecrets = undefined
  expect(kept().secrets()).not.toContain('kept-password')
  imapAccount(kept())
  expect(kept().secrets()).toContain('kept-password')
  expect(keptLoginPath(kept())).toMatch(/agentmail\/mail\.json$/)
})
