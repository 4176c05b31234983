/** IMAP on a server of another house: Courier, with its own ideas of folders, flags and searches. */
import { expect, it, onTestFinished } from 'vitest'
import { Config } from '../../../src/config.ts'
import { openProvider } from '../../../src/email/mail-provider.ts'
import { type MailPlace, providerInboxSuite } from '../../suites/inbox-suite.ts'
import { afterAllTests } from '../../support/at-end.ts'
import { eventually } from '../../support/eventually.ts'
import { describeWith } from '../../support/parts.ts'
import { Courier, courierPart } from '../../support/providers/courier.ts'
import { dateOf, sendFrom, smtpLogin } from '../../support/providers/imap-place.ts'
import { startSmtpServer } from '../../support/providers/smtp-server.ts'

describeWith(courierPart, 'Courier', () => {
  const atEnd = afterAllTests()
  let starting: ReturnType<typeof start> | undefined
  async function start() {
    const smtp = await startSmtpServer(smtpLogin)
    atEnd(() => smtp.close())
    return { courier: await Courier.start(atEnd), smtp }
  }
  let users = 0

  async function account() {
    starting ??= start()
    const { courier, smtp } = await starting
    const user = `user${++users}@example.org`
    await courier.visit(user)
    const open = async () => {
      const env = { AGENTMAIL_IMAP_URL: courier.url(user), AGENTMAIL_SMTP_URL: smtp.url }
      const provider = await openProvider(new Config({}, env), 'imap')
      onTestFinished(async () => provider.close?.())
      if (!provider.inbox) throw new Error('IMAP can be read')
      return Object.assign(provider, { inbox: provider.inbox })
    }
    return {
      open,
      deliver: (raw: string | Buffer, at = dateOf(raw)) => courier.deliver(user, raw, at),
    }
  }

  providerInboxSuite('Courier', { searched: 'by a server' }, async (): Promise<MailPlace> => {
    const { open, deliver } = await account()
    const provider = await open()
    return {
      inbox: provider.inbox,
      deliver,
      again: async () => (await open()).inbox,
      send: (subject, text) => sendFrom(provider, { subject, text }),
    }
  })

  it('tells of what comes', async () => {
    const { open, deliver } = await account()
    const { inbox } = await open()
    const stop = new AbortController()
    let news = 0
    const watching = inbox.watch?.(() => void news++, stop.signal)
    deliver('Subject: in\r\n\r\nHi')
    await eventually('news came', () => news > 0)
    stop.abort()
    await watching
    expect((await inbox.list({ query: 'is:unread', limit: 10 })).mails).toHaveLength(1)
  })
})
