/** The promises of e-mail on the way in and out by IMAP: clean headers, exact recipients, clear errors, fenced mails. */
import { beforeAll, describe, expect, it } from 'vitest'
import { AgentMailError, isNotSent } from '../../../src/errors.ts'
import type { OutgoingMail } from '../../../src/providers/provider.ts'
import { afterAllTests } from '../../support/at-end.ts'
import { hostileMails } from '../../support/email/hostile-mails.ts'
import { outgoingMail } from '../../support/email/outgoing-mail.ts'
import { receivedMail } from '../../support/email/received-mail.ts'
import { failureOf } from '../../support/failure-of.ts'
import { describeWith } from '../../support/parts.ts'
import { CuttingProxy } from '../../support/providers/cutting-proxy.ts'
import { type ImapAccount, ImapPlace, sendFrom } from '../../support/providers/imap-place.ts'
import { LocalFolder } from '../../support/providers/local-folder.ts'

const person = (address: string, name = '') => ({ name, address })

describeWith('dovecot', 'mail by IMAP', () => {
  const atEnd = afterAllTests()
  let place: ImapPlace
  beforeAll(async () => {
    place = await ImapPlace.start({}, atEnd)
  })

  it('with CR, LF or NUL in any field of its head is refused before the network', async () => {
    const provider = await place.account().open({ imap: 1, smtp: 1 })
    for (const evil of ['a\rb', 'a\nBcc: e@example.com', 'a\r\nb', 'a\0b']) {
      const fields: Partial<OutgoingMail>[] = [
        { subject: evil },
        { key: evil },
        { from: person('me@example.org', evil) },
        { from: person(`me${evil}@example.org`) },
        { to: [person('a@example.com', evil)] },
        { to: [person(`${evil}@example.com`)] },
        { cc: [person('a@example.com', evil)] },
        { bcc: [person(`${evil}@example.com`)] },
        { reply_to: [person('a@example.com', evil)] },
        {
          attachments: [{ name: evil, content: Buffer.from('x'), contentType: 'text/plain' }],
        },
      ]
      for (const field of fields) {
        const error = await failureOf(sendFrom(provider, field))
        expect([JSON.stringify(field), isNotSent(error)]).toEqual([JSON.stringify(field), true])
        // With a connection that cannot be made it would say so.
        expect(
          AgentMailError.is(error) && error.details?.reason,
          JSON.stringify(field),
        ).toBeUndefined()
      }
    }
  })

  it('arrives as it was asked for, and the copy in Sent is the same but for hidden recipients', async () => {
    const account = place.account()
    const provider = await account.open()
    const mail = outgoingMail({
      to: [person('jane@example.com', 'Doe, Jane')],
      cc: [person('cc@example.com')],
      bcc: [person('secret@example.net')],
      subject: 'Grüße 👩‍💻',
      text: 'Hällo\n.\nFrom me',
      attachments: [{ name: 'ü.txt', content: Buffer.from('x'), contentType: 'text/plain' }],
    })
    await sendFrom(provider, mail)
    const arrival = place.smtp.arrivals.at(-1)
    expect(arrival?.from).toBe(account.user)
    expect(arrival?.to).toEqual(['jane@example.com', 'cc@example.com', 'secret@example.net'])
    const client = await account.client()
    await client.mailboxOpen('Sent')
    const [copy] = await client.fetchAll('1:*', { source: true, flags: true })
    const plain = (raw: Buffer | undefined) => String(raw).replace(/^Bcc: .*\r\n/m, '')
    expect(plain(copy?.source)).toBe(plain(arrival?.raw))
    expect(copy?.flags?.has('\\Seen')).toBe(true)
    const { subject, text, to } = await receivedMail(arrival?.raw ?? Buffer.alloc(0), [])
    expect([subject, text?.replaceAll('\r\n', '\n').trim(), to]).toEqual([
      mail.subject,
      mail.text,
      mail.to,
    ])
  })

  it('is in Sent once where the server puts it there by itself', async () => {
    const account = place.account()
    const provider = await account.open()
    const arrivals = place.smtp.arrivals.length
    place.smtp.onArrival = ({ raw }) => {
      place.dovecot.deliver(account.user, raw, { folder: 'Sent', isRead: true })
    }
    for (const subject of ['one', 'two']) await sendFrom(provider, { subject, key: subject })
    place.smtp.onArrival = undefined
    expect(place.smtp.arrivals.length).toBe(arrivals + 2)
    expect(await account.everywhere()).toEqual({ Sent: ['one', 'two'] })
  })

  describe('that fails', () => {
    const calls =
      (account: ImapAccount, env: Record<string, string>, port?: number) => async () => {
        const { inbox } = await account.open(port === undefined ? {} : { imap: port }, env)
        const id = `m${'0'.repeat(16)}${Buffer.from('a@example.com').toString('base64url')}`
        const errors = []
        for (const call of [
          () => inbox.list({ query: 'is:unread', limit: 1 }),
          () => inbox.get(id),
          () => inbox.move(id, 'Done'),
          () => inbox.label(id, 'Done'),
        ])
          errors.push(await failureOf(call()))
        return errors
      }
    const codes = (errors: unknown[]) =>
      errors.map((error) => (AgentMailError.is(error) ? error.code : error))

    it('says that the login was refused, once for each call', async () => {
      const account = place.account()
      const AGENTMAIL_IMAP_URL = place.dovecot.url(account.user).replace(/:[^:@]+@/, ':wrong@')
      const before = (place.dovecot.log.match(/auth failed/g) ?? []).length
      const errors = await calls(account, { AGENTMAIL_IMAP_URL })()
      expect(codes(errors)).toEqual(Array(4).fill('auth_required'))
      const tries = (place.dovecot.log.match(/auth failed/g) ?? []).length - before
      expect(tries).toBeLessThanOrEqual(4)
      expect(JSON.stringify(errors)).not.toContain('wrong')
    })

    it('says that there are too many connections, and does not try for ever', async () => {
      const strict = await ImapPlace.start({ connections: 1 })
      const account = strict.account()
      await account.client()
      const errors = await calls(account, {})()
      expect(codes(errors)).toEqual(Array(4).fill('rate_limited'))
      const logins = (strict.dovecot.log.match(/Maximum number of connections/g) ?? []).length
      expect(logins).toBeLessThanOrEqual(20)
    })

    it('says that the server is not there, or no mail server', async () => {
      const account = place.account()
      expect(codes(await calls(account, {}, 1)())).toEqual(Array(4).fill('internal'))
      const { inbox } = await account.open({ imap: place.smtp.port })
      const strange = await failureOf(inbox.list({ query: 'is:unread', limit: 1 }))
      expect(codes([strange])).toEqual(['internal'])
    })

    it('ends when the server is silent', async () => {
      const account = place.account()
      const proxy = await CuttingProxy.start(place.dovecot.port)
      const { inbox } = await account.open(
        { imap: proxy.port },
        { AGENTMAIL_SEND_TIMEOUT_SECONDS: '1' },
      )
      await inbox.list({ query: 'in:inbox', limit: 1 })
      proxy.hold()
      const error = await failureOf(inbox.list({ query: 'in:inbox', limit: 1 }))
      expect(codes([error])).toEqual(['internal'])
      proxy.heal()
      expect(await inbox.list({ query: 'in:inbox', limit: 1 })).toEqual({ mails: [] })
    })

    it('gets no password where the certificate is not to be trusted, and none without TLS', async () => {
      const safe = await ImapPlace.start({ tls: true })
      const account = safe.account()
      for (const port of [safe.dovecot.port, safe.dovecot.securePort]) {
        // An address of this machine that is not known as such.
        const AGENTMAIL_IMAP_URL = safe.dovecot
          .url(account.user, port)
          .replace('127.0.0.1', '0.0.0.0')
        expect(codes(await calls(account, { AGENTMAIL_IMAP_URL })())).toEqual(
          Array(4).fill('internal'),
        )
      }
      const AGENTMAIL_IMAP_URL = place.dovecot.url(account.user).replace('127.0.0.1', '0.0.0.0')
      expect(codes(await calls(account, { AGENTMAIL_IMAP_URL })())).toEqual(
        Array(4).fill('internal'),
      )
      for (const { dovecot } of [safe, place])
        expect(dovecot.log).not.toContain(`user=<${account.user}>, method`)
    })
  })

  it('is read as local mail is, however hostile', async () => {
    const account = place.account()
    const folder = new LocalFolder()
    const { inbox } = await account.open()
    const mails = hostileMails()
    expect(mails.length).toBeGreaterThan(200)
    // Each with a name of its own, so that it is found again.
    const named = mails.map(
      ({ raw }, number) => `Message-ID: <hostile${number}@example.com>\r\n${raw}`,
    )
    for (const [number, raw] of named.entries()) {
      account.deliver(raw)
      folder.drop(`${number}.eml`, raw)
    }
    const idsIn = async (list: (page_token?: string) => ReturnType<typeof inbox.list>) => {
      const ids: string[] = []
      let page = await list()
      ids.push(...page.mails.map(({ id }) => id))
      while (page.next_page_token !== undefined) {
        page = await list(page.next_page_token)
        ids.push(...page.mails.map(({ id }) => id))
      }
      return ids
    }
    const query = { query: 'in:inbox', limit: 100 }
    const byName = async (own: typeof inbox) => {
      const found = new Map<string, unknown>()
      for (const id of await idsIn((page_token) => own.list({ ...query, page_token }))) {
        const { message_id } = await own.original(id)
        const { id: _, date: __, ...read } = await own.get(id)
        found.set(message_id, read)
      }
      return found
    }
    const [there, here] = [await byName(inbox), await byName(folder.inbox)]
    // A mail that brings a Message-ID of its own has two: the first counts.
    expect([...there.keys()].toSorted()).toEqual([...here.keys()].toSorted())
    expect(there.size).toBeGreaterThan(200)
    for (const [name, read] of here) expect([name, there.get(name)]).toEqual([name, read])
  })
})
