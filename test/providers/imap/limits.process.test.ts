/** What an IMAP account is spared: logins that were refused, mails that were fetched before, and waiting for a copy of what has left. */
import { beforeAll, describe, expect, it } from 'vitest'
import { Config } from '../../../src/config.ts'
import { openProvider } from '../../../src/email/mail-provider.ts'
import { keepLogin } from '../../../src/providers/imap/login/kept-login.ts'
import type { Inbox, Provider } from '../../../src/providers/provider.ts'
import { afterAllTests } from '../../support/at-end.ts'
import { outgoingMail } from '../../support/email/outgoing-mail.ts'
import { eventually } from '../../support/eventually.ts'
import { failureOf } from '../../support/failure-of.ts'
import { describeWith } from '../../support/parts.ts'
import { CuttingProxy } from '../../support/providers/cutting-proxy.ts'
import { dovecotPassword } from '../../support/providers/dovecot.ts'
import { type ImapAccount, ImapPlace } from '../../support/providers/imap-place.ts'
import { type Pair, Passage } from '../../support/system/passage.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Counts what the server says. */
class Meter extends Passage {
  bytes = 0

  protected override between({ client, server }: Pair): void {
    client.on('data', (chunk) => server.write(chunk))
    server.on('data', (chunk) => {
      this.bytes += chunk.length
      client.write(chunk)
    })
  }
}

const unread = { query: 'is:unread', limit: 10 }
const head = (subject: string) => `From: ada@example.com\r\nSubject: ${subject}\r\n`
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describeWith('dovecot', 'an account by IMAP', () => {
  const atEnd = afterAllTests()
  let place: ImapPlace
  beforeAll(async () => {
    place = await ImapPlace.start({}, atEnd)
  })

  describe('whose login was refused', () => {
    /** By a login that is kept, through somebody in between. */
    async function scene() {
      const account = place.account()
      const proxy = await CuttingProxy.start(place.dovecot.port)
      const config = new Config({}, { XDG_CONFIG_HOME: temporaryFolder(), AGENTMAIL_MAIL: 'imap' })
      const server = { host: '127.0.0.1', isSecure: false, isLoopback: true }
      const logIn = (password: string, { user } = account) =>
        keepLogin(config, {
          ...{ address: user, user, password },
          imap: { ...server, port: proxy.port },
          smtp: { ...server, port: 9 },
        })
      await logIn('wrong')
      const provider = await openProvider(config, 'imap')
      return { account, proxy, logIn, provider, inbox: inboxOf(provider) }
    }

    it('is not entered again and again, but at once by a new login', async () => {
      const { account, proxy, logIn, provider, inbox } = await scene()
      account.deliver(`${head('Hello')}\r\nHi`)
      const refused = { code: 'auth_required', message: 'the mail server refused the login' }
      expect(await failureOf(inbox.list(unread))).toMatchObject(refused)
      proxy.hold() // whoever asks now gets no answer
      for (let again = 0; again < 3; again++)
        expect(await failureOf(inbox.list(unread))).toMatchObject(refused)
      proxy.heal()
      await logIn(dovecotPassword)
      expect((await inbox.list(unread)).mails).toMatchObject([{ subject: 'Hello' }])
      await logIn(dovecotPassword, place.account())
      proxy.cutAll()
      expect(await failureOf(inbox.list(unread))).toMatchObject({
        code: 'auth_required',
        message: expect.stringContaining('is not that of'),
      })
      await provider.close?.()
    })

    it('is watched once there is a new one', async () => {
      const { account, logIn, provider, inbox } = await scene()
      const stop = new AbortController()
      let news = 0
      const watching = inbox.watch?.(() => void news++, stop.signal)
      expect(await failureOf(inbox.list(unread))).toMatchObject({ code: 'auth_required' })
      expect(news).toBe(0)
      await logIn(dovecotPassword)
      account.deliver(`${head('Hello')}\r\nHi`)
      await eventually('the watch has begun', () => news > 0, 60_000)
      stop.abort()
      await watching
      await provider.close?.()
    })
  })

  async function metered(account: ImapAccount) {
    const meter = new Meter({ host: '127.0.0.1', port: place.dovecot.port })
    await meter.listen()
    const { inbox } = await account.open({ imap: meter.port })
    return async () => {
      const before = meter.bytes
      const { mails } = await inbox.list(unread)
      return { mails, bytes: meter.bytes - before }
    }
  }

  it('is asked for the beginning of a mail once, however often it is listed', async () => {
    const account = place.account()
    const look = await metered(account)
    const plain = 'Plain words. '.repeat(4000)
    const html = `<html><body><p>Painted words.</p>${'<p>More.</p>'.repeat(20_000)}</body></html>`
    account.deliver(`${head('plain')}\r\n${plain}`)
    account.deliver(`${head('html')}Content-Type: text/html\r\n\r\n${html}`)
    const first = await look()
    expect(
      first.mails.map(({ subject, snippet }) => [subject, snippet.slice(0, 14)]).sort(),
    ).toEqual([
      ['html', 'Painted words.'],
      ['plain', 'Plain words. P'],
    ])
    expect(first.bytes).toBeGreaterThan(html.length)
    const again = await look()
    expect(again.mails).toEqual(first.mails)
    expect(again.bytes).toBeLessThan(first.bytes / 20)
  })

  it('gives no more than a bounded part of a mail for a line in a list', async () => {
    const account = place.account()
    const look = await metered(account)
    const file = `${'A'.repeat(76)}\r\n`.repeat(150_000)
    const part = (type: string, text: string) => `--x\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`
    const parts = part('text/html', '<p>Painted words.</p>') + part('application/pdf', file)
    account.deliver(
      `${head('large')}Content-Type: multipart/mixed; boundary=x\r\n\r\n${parts}--x--\r\n`,
    )
    const { mails, bytes } = await look()
    expect(mails).toMatchObject([{ subject: 'large', snippet: '' }])
    expect(bytes).toBeLessThan(file.length / 2)
    expect((await look()).bytes).toBeLessThan(10_000)
  })

  it('has sent a mail that has left, though its copy cannot be filed in time', async () => {
    const proxy = await CuttingProxy.start(place.dovecot.port)
    const provider = await place.account().open({ imap: proxy.port })
    await provider.inbox.list(unread)
    proxy.hold()
    const stop = new AbortController()
    const sending = provider.send(outgoingMail({ subject: 'Left' }), stop.signal)
    await eventually('it has left', () => place.smtp.arrivals.length > 0)
    await later(50)
    stop.abort()
    expect(await sending).toMatchObject({ remark: expect.stringContaining('not filed') })
    proxy.heal()
  })
})

function inboxOf({ inbox }: Provider): Inbox {
  if (!inbox) throw new Error('IMAP can be read')
  return inbox
}
