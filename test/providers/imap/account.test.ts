/** Where an IMAP account is, as the settings say it. */
import { describe, expect, it } from 'vitest'
import { Config } from '../../../src/config.ts'
import { AgentMailError } from '../../../src/errors.ts'
import { imapAccount } from '../../../src/providers/imap/account.ts'
import { senderOf } from '../../../src/providers/own-sender.ts'

const smtp = { AGENTMAIL_SMTP_URL: 'smtp://jane%40example.com:p%40ss@mail.example.com' }

const accountWith = (env: Record<string, string>) =>
  imapAccount(new Config({}, { ...smtp, ...env }))

function failure(env: Record<string, string>): AgentMailError {
  try {
    accountWith(env)
  } catch (error) {
    if (AgentMailError.is(error)) return error
    throw error
  }
  throw new Error('was taken')
}

describe('an account of IMAP mail', () => {
  it('is read from the two addresses, special characters decoded', () => {
    const url = 'imaps://jane%40example.com:p%40ss%2F%23%25%20%C3%BC@imap.example.com'
    const { smtp: sends, ...account } = accountWith({ AGENTMAIL_IMAP_URL: url })
    const user = 'jane@example.com'
    expect(account).toEqual({
      address: user,
      imap: { host: 'imap.example.com', port: 993, isSecure: true, isLoopback: false },
      login: { user, pass: 'p@ss/#% ü', setting: 'AGENTMAIL_IMAP_URL' },
    })
    expect(sends()).toEqual({
      ...{ host: 'mail.example.com', port: 587, isSecure: false, isLoopback: false },
      login: { user, pass: 'p@ss', setting: 'AGENTMAIL_SMTP_URL' },
    })
  })

  it('has the usual ports, and knows its own machine', () => {
    const of = (url: string) => accountWith({ AGENTMAIL_IMAP_URL: url }).imap
    expect(of('imap://a%40b.c:x@127.0.0.1')).toMatchObject({ port: 143, isLoopback: true })
    expect(of('imap://a%40b.c:x@[::1]:1143')).toMatchObject({ host: '::1', port: 1143 })
    expect(of('imaps://a%40b.c:x@MÜNCHEN.example')).toMatchObject({
      host: 'xn--mnchen-3ya.example',
      port: 993,
    })
  })

  it('is there to be read without a server that sends, and without a sender', () => {
    const url = 'imaps://jane:secret@imap.example.com'
    const account = imapAccount(new Config({}, { AGENTMAIL_IMAP_URL: url }))
    expect(account).toMatchObject({ address: undefined, login: { user: 'jane' } })
    expect(() => account.smtp()).toThrow('AGENTMAIL_SMTP_URL is not set')
  })

  it('sends as the address that is set, or else as its user', () => {
    const from = { AGENTMAIL_MAIL_FROM: 'Jane <jane@example.org>' }
    expect(senderOf(new Config({}, from), 'jane')).toMatchObject({ address: 'jane@example.org' })
    const none = new Config({}, {})
    expect(senderOf(none, 'jane@example.com')).toEqual({ name: '', address: 'jane@example.com' })
    for (const user of ['jane', undefined])
      expect(() => senderOf(none, user)).toThrow('nobody is named as the sender')
  })

  it('logs in with a token where there is one and no password, for reading and for sending', () => {
    const account = accountWith({
      AGENTMAIL_IMAP_URL: 'imaps://jane%40example.com@imap.example.com',
      AGENTMAIL_SMTP_URL: 'smtps://jane%40example.com@smtp.example.com',
      AGENTMAIL_MAIL_TOKEN: 'ya29.token',
    })
    const login = { user: 'jane@example.com', token: 'ya29.token' }
    expect(account.login).toEqual(login)
    expect(account.smtp()).toMatchObject({ port: 465, login })
  })

  it.each([
    'not an address hunter2',
    'https://jane%40example.com:hunter2@imap.example.com',
    'imaps://imap.example.com',
    'imaps://jane%40example.com@imap.example.com',
    'imaps://:hunter2@imap.example.com',
    'imaps://jane%40example.com:hunter2@imap.example.com/INBOX',
    'imaps://jane%40example.com:hunter2@imap.example.com?x=1',
    'imaps://jane%40example.com:hunter2@imap.example.com:0',
    'imaps://jane%0d%0a:hunter2@imap.example.com',
    'imaps://jane%40example.com:hunter2%00@imap.example.com',
    'imaps://jane%zz:hunter2@imap.example.com',
  ])('is none at %s, and nothing of that is told', (url) => {
    const error = failure({ AGENTMAIL_IMAP_URL: url })
    expect(error.code).toBe('server_config')
    expect(error.text).not.toContain('hunter2')
  })

  it('that is not set up says how to', () => {
    expect(failure({})).toMatchObject({ code: 'auth_required' })
    expect(failure({}).next).toContain('agentmail mail login')
  })
})
