/** Mail by SMTP against a real server: the suite of all providers, and what only SMTP has. */
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Config } from '../../src/config.ts'
import { AgentMailError, isNotSent } from '../../src/errors.ts'
import type { OutgoingMail } from '../../src/providers/provider.ts'
import { openSmtp } from '../../src/providers/smtp/smtp.ts'
import { allFaults, type Fault, providerSuite } from '../suites/provider-suite.ts'
import { never, outgoingMail } from '../support/email/outgoing-mail.ts'
import { type SmtpFault, startSmtpServer } from '../support/providers/smtp-server.ts'

const credentials = { user: 'jane@example.com', password: 'p@ss/w:rd#% ü' }
const secrets = [
  credentials.password,
  encodeURIComponent(credentials.password),
  'hunter2-secret',
  'words of the server',
]

const openWith = (url: string, env: Record<string, string> = {}) =>
  openSmtp(
    new Config({}, { AGENTMAIL_SMTP_URL: url, AGENTMAIL_MAIL_FROM: 'Me <me@example.org>', ...env }),
  )

const faults: Record<Fault, SmtpFault> = {
  refuses: { at: 'text', code: 554 },
  'refuses-login': { at: 'login', code: 535 },
  limits: { at: 'recipient', code: 450 },
  'loses-reply': { at: 'reply', how: 'cut' },
  hangs: { at: 'reply', how: 'hang' },
}

providerSuite('smtp', { faults: allFaults }, async () => {
  const server = await startSmtpServer(credentials)
  return {
    provider: openWith(server.url),
    received: server.received,
    breakNext: (fault) => server.failNext(faults[fault]),
    secrets,
    close: server.close,
  }
})

const mailTo = (...to: string[]): OutgoingMail =>
  outgoingMail({ to: to.map((address) => ({ name: '', address })) })

async function failureOf(sending: Promise<unknown>): Promise<AgentMailError> {
  const error = await sending.then(
    () => new Error('was sent'),
    (thrown: unknown) => thrown,
  )
  if (!AgentMailError.is(error)) throw error
  for (const secret of secrets)
    expect(JSON.stringify([error.text, error.details])).not.toContain(secret)
  return error
}

describe('a mail server', () => {
  let server: Awaited<ReturnType<typeof startSmtpServer>>
  beforeAll(async () => {
    server = await startSmtpServer(credentials)
  })
  afterAll(() => server.close())

  it('gets the envelope of exactly the recipients, each once, over TLS and with a login', async () => {
    const provider = openWith(server.url)
    const mail = mailTo('a@example.com', 'b@example.com')
    const receipt = await provider.send(
      { ...mail, cc: mailTo('b@example.com').to, bcc: mailTo('c@example.com').to },
      never,
    )
    const arrival = server.arrivals.at(-1)
    expect(arrival).toMatchObject({
      from: 'me@example.org',
      to: ['a@example.com', 'b@example.com', 'c@example.com'],
      isEncrypted: true,
      user: credentials.user,
      hello: '[127.0.0.1]',
    })
    expect(receipt).toMatchObject({ thread_id: undefined })
    expect(arrival?.raw.toString()).toContain(`Message-ID: ${receipt.message_id}\r\n`)
    expect(provider.account).toBe('jane@example.com@127.0.0.1')
  })

  const certain: [SmtpFault, code: string, smtp_code: number | undefined][] = [
    [{ at: 'connect', code: 554 }, 'send_failed', 554],
    [{ at: 'connect', code: 421 }, 'rate_limited', 421],
    [{ at: 'greeting', how: 'cut' }, 'send_failed', undefined],
    [{ at: 'login', code: 535 }, 'auth_required', 535],
    [{ at: 'login', code: 454 }, 'send_failed', 454],
    [{ at: 'login', code: 421 }, 'rate_limited', 421],
    [{ at: 'sender', code: 553 }, 'send_failed', 553],
    [{ at: 'sender', code: 451 }, 'rate_limited', 451],
    [{ at: 'envelope', how: 'cut' }, 'send_failed', undefined],
    [{ at: 'text', code: 554 }, 'send_failed', 554],
    [{ at: 'text', code: 452 }, 'rate_limited', 452],
    [{ at: 'text', code: 421 }, 'rate_limited', 421],
  ]
  it.each(certain)(
    'that fails with %j has certainly sent nothing',
    async (fault, code, smtp_code) => {
      const before = server.arrivals.length
      server.failNext(fault)
      const error = await failureOf(openWith(server.url).send(mailTo('a@example.com'), never))
      expect(isNotSent(error)).toBe(true)
      expect([error.code, error.details?.smtp_code]).toEqual([code, smtp_code])
      expect(server.arrivals).toHaveLength(before)
    },
  )

  it.each([false, true])(
    'that refuses one of the recipients sends to nobody (one at a time: %s)',
    async (withoutPipelining) => {
      const strict = await startSmtpServer({ ...credentials, withoutPipelining })
      const provider = openWith(strict.url)
      for (const to of [
        ['a@example.com', 'refused@example.com', 'b@example.com'],
        ['refused@example.com', 'a@example.com'],
        ['refused@example.com'],
      ]) {
        const error = await failureOf(provider.send(mailTo(...to), never))
        expect(isNotSent(error)).toBe(true)
        expect(error).toMatchObject({
          code: 'send_failed',
          details: { refused: [{ address: 'refused@example.com', smtp_code: 550 }] },
        })
        expect(error.message).toContain('refused@example.com (SMTP 550)')
      }
      strict.failNext({ at: 'recipient', code: 450 })
      const later = await failureOf(provider.send(mailTo('a@example.com', 'b@example.com'), never))
      expect([later.code, isNotSent(later)]).toEqual(['rate_limited', true])
      await provider.send(mailTo('a@example.com'), never)
      expect(strict.arrivals.map(({ to }) => to)).toEqual([['a@example.com']])
      await strict.close()
    },
  )

  it('that takes longer than it may is left, and only what may have been taken is unclear', async () => {
    // What comes to the reply needs time enough to come so far.
    for (const [at, isCertain, AGENTMAIL_SEND_TIMEOUT_SECONDS] of [
      ['greeting', true, '0.3'],
      ['envelope', true, '0.3'],
      ['reply', false, '2'],
    ] as const) {
      const impatient = openWith(server.url, { AGENTMAIL_SEND_TIMEOUT_SECONDS })
      server.failNext({ at, how: 'hang' })
      const error = await failureOf(impatient.send(mailTo('a@example.com'), never))
      expect([at, error.code, isNotSent(error)]).toEqual([at, 'send_failed', isCertain])
    }
  })

  it('is left at once when nobody waits any more', async () => {
    for (const at of ['greeting', 'envelope'] as const) {
      server.failNext({ at, how: 'hang' })
      const stop = new AbortController()
      const sending = failureOf(openWith(server.url).send(mailTo('a@example.com'), stop.signal))
      await until(server.hasFailed)
      stop.abort()
      expect(isNotSent(await sending)).toBe(true)
      await until(() => server.clients() === 0)
    }
  })

  it('is told apart from one that is not there, and from one that speaks no SMTP', async () => {
    const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = other.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const noSmtp = await failureOf(
      openWith(`smtp://127.0.0.1:${port}`).send(mailTo('a@example.com'), never),
    )
    await new Promise((resolve) => other.close(resolve))
    const gone = await failureOf(
      openWith(`smtp://127.0.0.1:${port}`).send(mailTo('a@example.com'), never),
    )
    expect([noSmtp, gone].map((error) => [error.code, isNotSent(error)])).toEqual([
      ['send_failed', true],
      ['send_failed', true],
    ])
    expect(gone.details?.reason).toBe('ECONNREFUSED')
  })

  it('gets no login and no mail when its certificate cannot be trusted', async () => {
    const secure = await startSmtpServer({ ...credentials, secure: true })
    const error = await failureOf(openWith(secure.url).send(mailTo('a@example.com'), never))
    expect([error.code, isNotSent(error), secure.arrivals]).toEqual(['send_failed', true, []])
    expect(error.message).toBe(
      'there is no safe connection to the mail server: its certificate has expired',
    )
    await secure.close()
  })

  it('far away gets no password without TLS, nor over a TLS that cannot be trusted', async () => {
    for (const withoutTls of [true, false]) {
      const distant = await startSmtpServer({ ...credentials, withoutTls })
      // An address of this machine that is not known as such.
      const url = distant.url.replace('127.0.0.1', '0.0.0.0')
      const error = await failureOf(openWith(url).send(mailTo('a@example.com'), never))
      expect([error.code, isNotSent(error)]).toEqual(['send_failed', true])
      expect(error.message).toBe(
        `there is no safe connection to the mail server: ${withoutTls ? 'it has no STARTTLS at that port' : 'its certificate has expired'}`,
      )
      expect([distant.arrivals, distant.logins()]).toEqual([[], 0])
      await openWith(distant.url).send(mailTo('a@example.com'), never)
      expect([distant.arrivals.length, distant.logins()]).toEqual([1, 1])
      await distant.close()
    }
  })

  it('is not given a mail larger than it takes', async () => {
    const mail = { ...mailTo('a@example.com'), text: 'x'.repeat(1_100_000) }
    const error = await failureOf(openWith(server.url).send(mail, never))
    expect([error.code, isNotSent(error)]).toEqual(['invalid_request', true])
  })

  it('gets mail of the user of the login where nobody else is named, and is not asked where nobody is', async () => {
    const nobody = { AGENTMAIL_MAIL_FROM: '' }
    const own = openWith(server.url, nobody)
    await own.send(mailTo('a@example.com'), never)
    expect(server.arrivals.at(-1)?.from).toBe(credentials.user)
    const unnamed = openWith(server.url.replace('%40example.com', ''), nobody)
    const error = await failureOf(unnamed.send(mailTo('a@example.com'), never))
    expect([error.code, error.message, isNotSent(error)]).toEqual([
      'invalid_request',
      'nobody is named as the sender',
      true,
    ])
  })
})

describe('the address of a mail server', () => {
  it.each([
    '',
    'mail.example.com',
    'http://user:hunter2-secret@host',
    'smtp://user:hunter2-secret@',
    'smtp://user:hunter2-secret%zz@host',
    'smtp://user:hunter2-secret@host:0',
    'smtp://user:hunter2-secret@host:99999',
    'smtp://user:hunter2-secret@host/path',
    'smtp://user:hunter2-secret@host?tls=no',
    'smtp://user:x#hunter2-secret@host',
    'smtp://user:hunter2-secret%0d%0a@host',
    'smtp://user@host',
    'smtp://:hunter2-secret@host',
    'smtp://user:hunter2-secret@ho st',
  ])('is refused without showing it: %s', async (url) => {
    const error = await failureOf(Promise.resolve().then(() => openWith(url)))
    expect(error.code).toBe('server_config')
  })

  it.each([
    ['smtp://mail.example.com', 'mail.example.com'],
    ['smtps://jane%40example.com:p%40ss@mail.example.com', 'jane@example.com@mail.example.com'],
    [' smtp://u:p@[::1]:2525/ ', 'u@::1'],
    ['smtp://u:p@bücher.example:25', 'u@xn--bcher-kva.example'],
  ])('names the account: %s', (url, account) => {
    expect(openWith(url).account).toBe(account)
  })
})

describe('the sender of SMTP mail', () => {
  it.each(['nobody', 'a@example.com, b@example.com', 'a@example.com\r\nBcc: b@example.com'])(
    'is refused at the start: %j',
    async (sender) => {
      const opening = async () => openWith('smtp://localhost', { AGENTMAIL_MAIL_FROM: sender })
      const error = await failureOf(opening())
      expect([error.code, error.message.slice(0, 19)]).toEqual([
        'server_config',
        'AGENTMAIL_MAIL_FROM',
      ])
    },
  )
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}
