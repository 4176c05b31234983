/** IMAP on a real Dovecot: the suites of all inboxes and of all providers, and what only IMAP has. */
import { beforeAll, expect, it } from 'vitest'
import { type MailPlace, providerInboxSuite } from '../../suites/inbox-suite.ts'
import { allFaults, type Fault, providerSuite } from '../../suites/provider-suite.ts'
import { afterAllTests } from '../../support/at-end.ts'
import { describeWith } from '../../support/parts.ts'
import { dovecotPassword } from '../../support/providers/dovecot.ts'
import { ImapPlace, sendFrom, smtpLogin } from '../../support/providers/imap-place.ts'
import type { SmtpFault } from '../../support/providers/smtp-server.ts'

describeWith('dovecot', 'IMAP', () => {
  const atEnd = afterAllTests()
  let place: ImapPlace
  beforeAll(async () => {
    place = await ImapPlace.start({}, atEnd)
  })

  providerInboxSuite('IMAP', { searched: 'by a server' }, async (): Promise<MailPlace> => {
    const account = place.account()
    const provider = await account.open()
    return {
      inbox: provider.inbox,
      deliver: (raw, at) => account.deliver(raw, at),
      again: async () => (await account.open()).inbox,
      send: (subject, text) => sendFrom(provider, { subject, text }),
    }
  })

  const faults: Record<Fault, SmtpFault> = {
    refuses: { at: 'text', code: 554 },
    'refuses-login': { at: 'login', code: 535 },
    limits: { at: 'recipient', code: 450 },
    'loses-reply': { at: 'reply', how: 'cut' },
    hangs: { at: 'reply', how: 'hang' },
  }

  providerSuite('imap', { faults: allFaults, finds: true }, async () => {
    const ends: (() => void | Promise<void>)[] = []
    const own = await ImapPlace.start({}, (end) => void ends.unshift(end))
    const provider = await own.account().open({}, {}, (end) => void ends.unshift(end))
    return {
      provider,
      received: own.smtp.received,
      breakNext: (fault) => own.smtp.failNext(faults[fault]),
      secrets: [dovecotPassword, smtpLogin.password, 'hunter2-secret', 'words of the server'],
      async close() {
        for (const end of ends) await end()
      },
    }
  })

  it('files what it sent in Sent, once, read, without a word of its hidden recipients lost', async () => {
    const account = place.account()
    const provider = await account.open()
    for (const subject of ['one', 'two']) {
      await sendFrom(provider, {
        subject,
        key: `key-${subject}`,
        bcc: [{ name: '', address: 'hidden@example.net' }],
      })
    }
    expect(await account.everywhere()).toEqual({ Sent: ['one', 'two'] })
    expect(await provider.inbox.list({ query: 'in:sent is:unread', limit: 10 })).toEqual({
      mails: [],
    })
    const sent = place.smtp.arrivals.at(-1)
    expect(sent?.to).toEqual(['jane@example.com', 'hidden@example.net'])
    expect(sent?.raw.toString()).not.toContain('hidden')
  })
})
