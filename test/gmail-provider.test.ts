/** The Gmail provider against a Gmail that fails in every way, and against a second one made by others. */
import { createEmulator, type Emulator } from 'emulate'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { OutgoingMail, Provider } from '../src/email/providers/provider.ts'
import { FakeGmail } from './support/fake-gmail.ts'
import type { FaultRule } from './support/fake-gmail-faults.ts'
import type { AddedMail } from './support/fake-gmailbox.ts'
import { failureOf, gmailProvider, mail } from './support/gmail-provider.ts'

type Gmail = ReturnType<typeof gmailProvider>

let fake: FakeGmail
let gmail: Gmail
const never = new AbortController().signal
const limits = { request: 400, call: 8000, send: 400, pause: 10 }

const open = (token: object = fake.login.grant(), place: { apiUrl?: string } = {}): Gmail =>
  gmailProvider(
    { apiUrl: place.apiUrl ?? fake.url, loginUrl: fake.url, token, limits },
    (end) => void ends.push(end),
  )
const ends: (() => void)[] = []

beforeAll(async () => {
  fake = await FakeGmail.start()
  gmail = open()
})
beforeEach(() => fake.heal())
afterAll(async () => {
  await fake.stop()
  for (const end of ends) end()
})

const lines = (...text: string[]) => text.join('\r\n')
const add = (raw: string | Buffer, given: Partial<AddedMail> = {}) =>
  fake.addMail({ raw, labelIds: ['INBOX'], ...given })
const getOf = (raw: string | Buffer, given: Partial<AddedMail> = {}) =>
  gmail.inbox.get(add(raw, given))

describe('the inbox of Gmail', () => {
  it('lists in order, page after page, and leaves out what vanished in between', async () => {
    const subjects = Array.from({ length: 12 }, (_, index) => `Page ${index}`)
    const ids = subjects.map((subject, index) =>
      add(lines(`Subject: ${subject}`, 'From: a@b.c', 'X: paged', '', 'paging'), {
        internalDate: Date.UTC(2026, 0, 1, 0, 0, index),
        snippet: 'Tom &amp; Ann&#39;s &lt;tea&gt; &amp;amp; &#x1F375; &bogus;',
      }),
    )
    fake.fail({ path: new RegExp(`/${ids[10]}$`), fault: '404' })
    const first = await gmail.inbox.list({ query: 'paging', limit: 10 })
    expect(first.mails.map(({ subject }) => subject)).toEqual(
      [11, 9, 8, 7, 6, 5, 4, 3, 2].map((index) => `Page ${index}`),
    )
    expect(first.mails[0]).toEqual({
      id: ids[11],
      subject: 'Page 11',
      sender: 'a@b.c',
      date: '2026-01-01T00:00:11.000Z',
      snippet: "Tom & Ann's <tea> &amp; 🍵 &bogus;",
    })
    const page_token = first.next_page_token
    const second = await gmail.inbox.list({ query: 'paging', limit: 10, page_token })
    expect(second.mails.map(({ id }) => id)).toEqual([ids[1], ids[0]])
    expect(second.next_page_token).toBeUndefined()
    expect(await gmail.inbox.list({ query: 'subject:nowhere', limit: 5 })).toEqual({ mails: [] })
  })

  it.each([
    ['Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=', 'Grüße'],
    ['sUBJECT: =?UTF-8?B?8J+Ntee0hQ==?= tea', '🍵紅 tea'],
    ['Subject: =?utf-8?B?8J+N?=\r\n =?utf-8?B?tQ==?=', '🍵'],
    ['Subject: =?utf-8?Q?Really??=', 'Really?'],
    ['Subject: =?utf-8?Q?with a space?= end', 'with a space end'],
    ['Subject: =?windows-1252?Q?=80_5?= =?iso-8859-1?Q?=E9=93?=', '€ 5é“'],
    ['Subject: =?iso-2022-jp?B?GyRCJCIbKEI=?=', 'あ'],
    ['Subject: =?x-unknown?Q?abc?= =?utf-8*en?q?d?=', '=?x-unknown?Q?abc?=d'],
    ['Subject: =?utf-8?Q?open', '=?utf-8?Q?open'],
    ['Subject: one\r\n two\r\nSubject: second', 'one two'],
  ])('reads the header %j', async (header, subject) => {
    expect((await getOf(lines(header, 'From: a@b.c', '', 'x'))).subject).toBe(subject)
  })

  it('lets no name pass for an address', async () => {
    const names =
      '=?utf-8?Q?M=C3=BCller=2C_J?= <j@x.y>, =?utf-8?Q?boss=40x.y_=3Cboss=40x.y=3E?= <e@v.l>'
    const { sender, to } = await getOf(
      lines(`From: ${names}`, 'Reply-To: r@r.r', `To: ${names}`, '', ''),
    )
    expect(sender).toBe('"Müller, J" <j@x.y>, "boss@x.y <boss@x.y>" <e@v.l>')
    expect(to).toBe(sender)
  })

  it.each([
    ['Tue, 1 Jul 2025 10:00:00 +0200 (CEST)', '2025-07-01T08:00:00.000Z'],
    ['1 Jul 2025 10:00 EST', '2025-07-01T15:00:00.000Z'],
    ['Tue, 1 Jul 2025 10:00:00', '2025-07-01T10:00:00.000Z'],
    ['garbage 12', '2026-02-03T04:05:06.000Z'],
    ['Tue, 99 Jul 2025 10:00:00 +0200', '2026-02-03T04:05:06.000Z'],
  ])('tells the date %j in UTC', async (date, told) => {
    const internalDate = Date.UTC(2026, 1, 3, 4, 5, 6)
    expect((await getOf(lines(`Date: ${date}`, '', ''), { internalDate })).date).toBe(told)
  })

  const nested = lines(
    'Content-Type: multipart/mixed; boundary=a',
    '',
    '--a',
    'Content-Type: multipart/related; boundary=b',
    '',
    '--b',
    'Content-Type: multipart/alternative; boundary=c',
    '',
    '--c',
    'Content-Type: text/plain; charset=windows-1252',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'costs =80 5',
    '--c',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>costs € 5</p>',
    '--c--',
    '--b',
    'Content-Type: image/png',
    '',
    'no name',
    '--b--',
    '--a',
    'Content-Type: text/plain',
    'Content-Disposition: attachment; filename="notes.txt"',
    '',
    'not the body',
    '--a',
    "Content-Disposition: attachment; filename*0*=utf-8''%E2%82%AC%20; filename*1=list.pdf",
    'Content-Type: application/pdf',
    '',
    'x',
    '--a',
    'Content-Type: message/rfc822',
    '',
    lines('Subject: inner', '', 'inner text'),
    '--a--',
  )

  it('finds text, HTML and attachments in nested parts, also where bodies are kept apart', async () => {
    for (const bodiesApart of [false, true]) {
      const read = await getOf(nested, { bodiesApart })
      expect(read.text?.trim()).toBe('costs € 5')
      expect(read.html?.trim()).toBe('<p>costs € 5</p>')
      expect(read.attachment_names).toEqual(['notes.txt', '€ list.pdf', 'message.eml'])
    }
    expect(fake.requests.filter(({ path }) => path.includes('/attachments/')).length).toBe(2)
  })

  it('takes a text for the whole only if it is', async () => {
    const parts = (type: string) =>
      lines(
        'Content-Type: multipart/mixed; boundary=a',
        '',
        '--a',
        `Content-Type: ${type}`,
        '',
        '<b>1</b>',
        '--a',
        'Content-Type: text/plain',
        '',
        'a < b',
        '--a--',
      )
    const mixed = await getOf(parts('text/html'))
    expect(mixed.text).toBeUndefined()
    expect(mixed.html).toBe('<b>1</b>\n<pre>a &lt; b</pre>')
    const plain = await getOf(parts('text/plain'))
    expect([plain.text, plain.html]).toEqual(['<b>1</b>\na < b', undefined])
  })

  it.each([
    ['UTF-8 whatever is declared', 'iso-8859-1', Buffer.from('naïve €'), 'naïve €'],
    ['what is declared', 'iso-8859-2', Buffer.from([0xb1, 0xe6]), 'ąć'],
    ['windows-1252 for Latin-1', 'latin1', Buffer.from([0x93, 0xe9, 0x94, 0x80]), '“é”€'],
    ['windows-1252 for the unknown', 'x-none', Buffer.from([0x80, 0xe9]), '€é'],
    ['a character set with shifts', 'iso-2022-jp', Buffer.from('\x1b$B$"\x1b(B'), 'あ'],
  ])('reads a body as %s', async (_, charset, bytes, text) => {
    const head = Buffer.from(`Content-Type: text/plain; charset="${charset}"\r\n\r\n`)
    expect((await getOf(Buffer.concat([head, bytes]))).text).toBe(text)
  })

  it('marks nothing as read', async () => {
    const id = add(lines('Subject: new', '', 'x'), { labelIds: ['INBOX', 'UNREAD'] })
    await gmail.inbox.get(id)
    await gmail.inbox.original(id)
    await gmail.inbox.list({ query: 'is:unread', limit: 10 })
    expect(fake.mailbox.mails.get(id)?.labelIds).toEqual(['INBOX', 'UNREAD'])
    expect(new Set(fake.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
  })

  it('gives what a reply needs', async () => {
    const references = 'References: <1@a>\r\n broken <2@a> <b ad@a>'
    const id = add(lines('Message-Id: <3@a>', references, 'Subject: =?utf-8?Q?T=C3=A9?=', '', 'x'))
    expect(await gmail.inbox.original(id)).toEqual({
      thread_id: id,
      subject: 'Té',
      message_id: '<3@a>',
      references: ['<1@a>', '<2@a>'],
    })
    const bare = await gmail.inbox.original(add(lines('In-Reply-To: <9@a>', '', 'x')))
    expect(bare).toMatchObject({ message_id: '', references: ['<9@a>'] })
  })

  it.each(['', '../labels', 'a/b', 'a?b', 'é', 'a'.repeat(129)])(
    'refuses the id %j',
    async (id) => {
      const calls = [
        gmail.inbox.get(id),
        gmail.inbox.original(id),
        gmail.inbox.move(id, 'INBOX'),
        gmail.inbox.label(id, 'INBOX'),
      ]
      for (const call of calls) {
        expect(await failureOf(call)).toMatchObject({ code: 'invalid_request' })
      }
      expect(fake.requests).toEqual([])
    },
  )

  it('survives parts that are nested too deep, or are none', async () => {
    const id = add(lines('Subject: odd', '', 'x'))
    const stored = fake.mailbox.mails.get(id)
    if (!stored) throw new Error('it was added')
    const { payload } = stored
    const layer = (parts: unknown[]) =>
      Object.assign(structuredClone(payload), {
        mimeType: 'multipart/mixed',
        body: {},
        parts,
      })
    let deep = layer([])
    for (let depth = 0; depth < 2000; depth++) deep = layer([deep])
    stored.payload = deep
    expect((await gmail.inbox.get(id)).text).toBeUndefined()
    stored.payload = layer([null, 7, 'x', { mimeType: 3, headers: 'no', body: [], parts: {} }])
    expect((await gmail.inbox.get(id)).subject).toBe('odd')
    Reflect.deleteProperty(stored, 'payload')
    expect(await failureOf(gmail.inbox.get(id))).toMatchObject({ code: 'internal' })
    fake.mailbox.mails.delete(id)
  })
})

describe('the labels of Gmail', () => {
  const modifies = () => fake.requests.filter(({ path }) => path.endsWith('/modify'))
  const created = () =>
    fake.requests
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/labels'))
      .map(({ body }) => JSON.parse(body).name)

  it('moves in one step: the destination comes, INBOX goes', async () => {
    const id = add(lines('Subject: move', '', ''), { labelIds: ['INBOX', 'UNREAD'] })
    expect(await gmail.inbox.move(id, 'starred')).toEqual(['UNREAD', 'STARRED'])
    expect(modifies().length).toBe(1)
    expect(await gmail.inbox.move(id, 'Inbox')).toEqual(['UNREAD', 'STARRED', 'INBOX'])
    expect(await gmail.inbox.label(id, 'Category_Social')).toContain('CATEGORY_SOCIAL')
    expect(created()).toEqual([])
  })

  it('makes what is missing, parents first, beside what is there in another case', async () => {
    const id = add(lines('Subject: file', '', ''))
    expect(await gmail.inbox.label(id, 'Clients/Acme/2026')).toEqual(['INBOX', 'Clients/Acme/2026'])
    expect(await gmail.inbox.label(id, 'clients/ACME/2027')).toContain('Clients/Acme/2027')
    expect(await gmail.inbox.move(id, 'CLIENTS/acme/2027')).not.toContain('INBOX')
    expect(created()).toEqual(['Clients', 'Clients/Acme', 'Clients/Acme/2026', 'Clients/Acme/2027'])
    fake.mailbox.createLabel('clients')
    expect(await gmail.inbox.label(id, 'clients')).toContain('clients')
  })

  it('takes a label that somebody else made at the same moment', async () => {
    const id = add(lines('Subject: race', '', ''))
    fake.fail({ path: /labels$/, method: 'POST', fault: 'lost-reply', times: 1 })
    expect(await gmail.inbox.label(id, 'Raced')).toContain('Raced')
    expect(created()).toEqual(['Raced', 'Raced'])
  })

  it.each(['', '  ', '//', 'a\u0000b', 'a\nb', 'x'.repeat(226)])(
    'refuses %j unasked',
    async (name) => {
      const id = add(lines('Subject: bad', '', ''))
      expect(await failureOf(gmail.inbox.move(id, name))).toMatchObject({ code: 'invalid_request' })
      expect(fake.requests).toEqual([])
    },
  )

  it('refuses what Gmail refuses, and makes no label for a mail that is not there', async () => {
    const id = add(lines('Subject: bad', '', ''))
    for (const name of ['SENT', 'draft', 'a//b']) {
      expect(await failureOf(gmail.inbox.move(id, name))).toMatchObject({ code: 'invalid_request' })
    }
    expect(await failureOf(gmail.inbox.move('gone', 'Fresh'))).toMatchObject({ code: 'not_found' })
    expect(created()).toEqual([])
  })
})

const httpDate = (inSeconds: number) => new Date(Date.now() + inSeconds * 1000).toUTCString()

describe('a reading that fails', () => {
  const secret = 'sk-secret-in-the-words-of-google'
  const cases: [string, Omit<FaultRule, 'path'>, object, number][] = [
    ['a bad request', { fault: '400' }, { code: 'invalid_request' }, 1],
    ['a token that is not accepted', { fault: '401' }, { code: 'auth_required' }, 2],
    ['a quota', { fault: '403-quota' }, { code: 'rate_limited' }, 3],
    ['no permission', { fault: '403-permission' }, { code: 'permission_denied' }, 1],
    ['a mail that is not there', { fault: '404' }, { code: 'not_found' }, 1],
    ['429', { fault: '429' }, { code: 'rate_limited' }, 3],
    [
      '429 with a long wait',
      { fault: '429', retryAfter: '77' },
      { code: 'rate_limited', details: { retry_after_seconds: 77 } },
      1,
    ],
    ['429 until a date', { fault: '429', retryAfter: httpDate(3600) }, { code: 'rate_limited' }, 1],
    ['500', { fault: '500' }, { code: 'internal' }, 3],
    ['502', { fault: '502' }, { code: 'internal' }, 3],
    ['503', { fault: '503' }, { code: 'internal' }, 3],
    ['a lost reply', { fault: 'lost-reply' }, { code: 'internal' }, 3],
    ['a reset', { fault: 'reset' }, { code: 'internal' }, 3],
    ['no answer', { fault: 'hang' }, { code: 'internal' }, 1],
    ['HTML', { fault: 'html' }, { code: 'internal' }, 1],
    ['{}', { fault: 'empty' }, { code: 'internal' }, 1],
    ['half a reply', { fault: 'truncated' }, { code: 'internal' }, 1],
    ['a redirect', { fault: 'redirect', location: '/elsewhere' }, { code: 'internal' }, 1],
  ]

  it.each(cases)('tells %s by its code, after few requests', async (_, rule, told, requests) => {
    const id = add(lines('Subject: fail', '', ''))
    fake.fail({ ...rule, path: /\/(messages|labels)/, message: secret })
    const calls = [
      () => gmail.inbox.get(id),
      () => gmail.inbox.list({ query: '', limit: 5 }),
      () => gmail.inbox.label(id, 'INBOX'),
    ]
    const failures = await Promise.all(calls.map((call) => failureOf(call())))
    for (const failure of failures) {
      expect(failure).toMatchObject(told)
      expect(JSON.stringify(failure) + String(failure)).not.toContain(secret)
    }
    const asked = fake.requests.filter(({ path }) => path.startsWith('/gmail/'))
    expect(asked.length).toBe(requests * calls.length)
  })

  it.each<[string, Omit<FaultRule, 'times'>, number]>([
    ['a short wait', { fault: '429', retryAfter: '1' }, 900],
    ['a moment that is near', { fault: '403-quota', retryAfter: httpDate(1) }, 0],
    ['a server that is back', { fault: '503' }, 0],
  ])('goes on after %s', async (_, rule, atLeastMs) => {
    const id = add(lines('Subject: again', '', ''))
    fake.fail({ ...rule, times: 1 })
    const began = performance.now()
    expect((await gmail.inbox.get(id)).subject).toBe('again')
    expect(performance.now() - began).toBeGreaterThan(atLeastMs)
    expect(fake.requests.length).toBe(2)
  })

  it('renews a token once for all that need it, and says so where it cannot', async () => {
    for (let count = 0; count < 10; count++) add(lines('Subject: renew', '', ''))
    const { refreshes } = fake.login
    fake.login.expire()
    const { mails } = await gmail.inbox.list({ query: 'subject:renew', limit: 10 })
    expect(mails.length).toBe(10)
    expect(fake.login.refreshes).toBe(refreshes + 1)
    const stale = open({ ...fake.login.grant(), expiry_date: Date.now() - 1000 })
    fake.requests.length = 0
    await stale.inbox.list({ query: 'subject:nowhere', limit: 1 })
    expect(fake.requests.map(({ path }) => path)).toEqual(['/token', '/gmail/v1/users/me/messages'])
    fake.login.isDead = true
    fake.login.expire()
    const dead = await failureOf(stale.inbox.list({ query: '', limit: 1 }))
    fake.login.isDead = false
    expect(dead).toMatchObject({ code: 'auth_required' })
    gmail = open()
  })

  it('gives up on a list at the first mail that fails', async () => {
    for (let count = 0; count < 40; count++) add(lines('Subject: many', '', ''))
    fake.fail({ path: /messages\/./, fault: '403-permission' })
    const failure = await failureOf(gmail.inbox.list({ query: 'subject:many', limit: 40 }))
    expect(failure).toMatchObject({ code: 'permission_denied' })
    expect(fake.requests.length).toBeLessThanOrEqual(9)
  })

  it('takes its token to no other host', async () => {
    const other = await FakeGmail.start()
    fake.fail({ fault: 'redirect', location: `${other.url}/gmail/v1/users/me/labels` })
    const calls = [gmail.inbox.get('abc'), gmail.send(mail(), never)]
    for (const call of calls) await failureOf(call)
    expect(other.requests).toEqual([])
    await other.stop()
  })

  it('tells in words that nobody is there', async () => {
    const gone = await FakeGmail.start()
    const { url } = gone
    await gone.stop()
    const lonely = open(fake.login.grant(), { apiUrl: url })
    expect(await failureOf(lonely.inbox.get('abc'))).toMatchObject({
      code: 'internal',
      message: 'Gmail could not be reached',
    })
    expect(await failureOf(lonely.send(mail(), never))).toMatchObject({
      code: 'send_failed',
      details: { outcome: 'not_sent' },
    })
  })

  it('works below a path, as behind a proxy', async () => {
    const proxied = await FakeGmail.start('/proxy/google')
    const token = proxied.login.grant()
    const behind = gmailProvider({ apiUrl: proxied.url, loginUrl: proxied.url, token })
    const id = proxied.addMail({ raw: 'Subject: far\r\n\r\nx' })
    expect((await behind.inbox.get(id)).subject).toBe('far')
    expect((await behind.send(mail(), never)).message_id).toBe(proxied.sent[0]?.id)
    await proxied.stop()
  })

  it.each(['nonsense', 'ftp://x', 'https://u:p@host', 'https://host/?q'])(
    'refuses the address %j of the API',
    (apiUrl) => {
      const token = fake.login.grant()
      expect(() => open(token, { apiUrl })).toThrow('GMAIL_BASE_URL')
    },
  )
})

describe('sending through Gmail', () => {
  const send = (given: Partial<OutgoingMail> = {}, signal: AbortSignal = never) =>
    gmail.send(mail(given), signal)
  const posts = () => fake.requests.filter(({ path }) => path.endsWith('/send')).length

  it('sends exactly what was asked for', async () => {
    const subject = `${'Ünï 🍵 '.repeat(57)}x`
    const content = Buffer.from(Array.from({ length: 3000 }, (_, index) => index % 256))
    const receipt = await send({
      from: { name: 'Me, myself', address: 'me@example.com' },
      to: [
        { name: 'Doe, Jane "J"', address: 'jane@example.com' },
        { name: 'Zoë 🍵', address: 'zoe@example.com' },
      ],
      cc: [{ name: '', address: 'cc@example.com' }],
      bcc: [{ name: 'Hidden', address: 'bcc@example.com' }],
      reply_to: [{ name: '', address: 'answers@example.com' }],
      subject,
      text: 'Line 1\nLine 2 – ünï 🍵\n.\nFrom here',
      html: '<p>ünï</p>',
      attachments: [{ name: 'списък €.bin', content, contentType: 'application/octet-stream' }],
      key: 'key-exact',
    })
    const sent = fake.sent.at(-1)
    expect(receipt).toMatchObject({ message_id: sent?.id, thread_id: sent?.threadId })
    expect(Math.abs(Date.parse(receipt.sent_at) - Date.now())).toBeLessThan(60_000)
    expect(sent?.mail).toMatchObject({
      from: { name: 'Me, myself', address: 'me@example.com' },
      to: [
        { name: 'Doe, Jane "J"', address: 'jane@example.com' },
        { name: 'Zoë 🍵', address: 'zoe@example.com' },
      ],
      cc: [{ name: '', address: 'cc@example.com' }],
      bcc: [{ name: 'Hidden', address: 'bcc@example.com' }],
      replyTo: [{ name: '', address: 'answers@example.com' }],
      subject,
      text: 'Line 1\nLine 2 – ünï 🍵\n.\nFrom here\n',
      html: '<p>ünï</p>\n',
      attachments: [{ filename: 'списък €.bin', mimeType: 'application/octet-stream' }],
    })
    const attached = sent?.mail.attachments[0]?.content
    expect(attached instanceof ArrayBuffer && Buffer.from(attached).equals(content)).toBe(true)
    const lengths =
      sent?.raw
        .toString('latin1')
        .split('\r\n')
        .map((line) => line.length) ?? []
    expect(Math.max(...lengths)).toBeLessThan(999)
    expect(posts()).toBe(1)
  })

  it('joins the thread of the mail it answers', async () => {
    const id = add(lines('Message-ID: <q@a>', 'References: <p@a>', 'Subject: Plan', '', 'x'))
    const original = await gmail.inbox.original(id)
    const receipt = await send({ original, subject: `Re: ${original.subject}` })
    expect(receipt.thread_id).toBe(id)
    expect(fake.sent.at(-1)?.mail).toMatchObject({ inReplyTo: '<q@a>', references: '<p@a> <q@a>' })
    fake.mailbox.mails.delete(id)
    fake.mailbox.mails.delete(receipt.message_id)
    expect(await failureOf(send({ original }))).toMatchObject({
      code: 'not_found',
      details: { outcome: 'not_sent' },
    })
  })

  const cases: [string, Omit<FaultRule, 'path'>, string, 'not_sent' | 'unknown', number][] = [
    ['a bad mail', { fault: '400' }, 'send_failed', 'not_sent', 1],
    ['a token that is not accepted', { fault: '401' }, 'auth_required', 'not_sent', 2],
    ['a quota', { fault: '403-quota' }, 'rate_limited', 'not_sent', 1],
    ['no permission', { fault: '403-permission' }, 'permission_denied', 'not_sent', 1],
    ['a thread that is gone', { fault: '404' }, 'not_found', 'not_sent', 1],
    ['429', { fault: '429' }, 'rate_limited', 'not_sent', 1],
    ['500', { fault: '500' }, 'send_failed', 'unknown', 1],
    ['502', { fault: '502' }, 'send_failed', 'unknown', 1],
    ['503', { fault: '503', retryAfter: '1' }, 'send_failed', 'unknown', 1],
    ['a lost reply', { fault: 'lost-reply' }, 'send_failed', 'unknown', 1],
    ['a reset', { fault: 'reset' }, 'send_failed', 'unknown', 1],
    ['no answer', { fault: 'hang' }, 'send_failed', 'unknown', 1],
    ['HTML', { fault: 'html' }, 'send_failed', 'unknown', 1],
    ['{}', { fault: 'empty' }, 'send_failed', 'unknown', 1],
    ['half a reply', { fault: 'truncated' }, 'send_failed', 'unknown', 1],
    ['a redirect', { fault: 'redirect' }, 'send_failed', 'unknown', 1],
  ]

  it.each(cases)('tells %s by its code, and sends once', async (_, rule, code, outcome, count) => {
    const before = fake.sent.length
    fake.fail({ ...rule, path: /send$/, message: 'words of Google' })
    const failure = await failureOf(send())
    expect(failure).toMatchObject({ code, details: { outcome } })
    expect(JSON.stringify(failure) + String(failure)).not.toContain('words of Google')
    expect(posts()).toBe(count)
    expect(fake.sent.length - before).toBe(rule.fault === 'lost-reply' ? 1 : 0)
  })

  it('tells how long to wait, and the reason in one word', async () => {
    fake.fail({ fault: '429', retryAfter: '120', times: 1 })
    expect(await failureOf(send())).toMatchObject({ details: { retry_after_seconds: 120 } })
    fake.fail({ fault: '400', times: 1 })
    expect(String(await failureOf(send()))).toContain('(failedPrecondition)')
  })

  it('sends once more after a 401, with a new token', async () => {
    fake.login.expire()
    const before = fake.sent.length
    await send()
    expect([posts(), fake.sent.length - before]).toEqual([2, 1])
  })

  it('sends nothing without a token, or after its time', async () => {
    const noToken = open({})
    expect(await failureOf(noToken.send(mail(), never))).toMatchObject({
      code: 'auth_required',
      details: { outcome: 'not_sent' },
    })
    const late = await failureOf(send({}, AbortSignal.abort()))
    expect(late).toMatchObject({ code: 'send_failed', details: { outcome: 'not_sent' } })
    expect(posts()).toBe(0)
  })

  it('does not know what became of a mail when its time is up', async () => {
    fake.fail({ path: /send$/, fault: 'slow', delayMs: 300, times: 1 })
    const failure = await failureOf(send({}, AbortSignal.timeout(100)))
    expect(failure).toMatchObject({ code: 'send_failed', details: { outcome: 'unknown' } })
  })

  it('finds a mail again by its key, whatever the search says', async () => {
    const find: NonNullable<Provider['find']> = (trace, signal) =>
      gmail.find?.(trace, signal) ?? Promise.reject(new Error('Gmail can look for mails'))
    const subject = 'Quarterly "plan" OR -in:inbox (draft) {x}'
    const receipt = await send({ subject, key: 'key-1' })
    await send({ subject, key: 'key-2' })
    const trace = { key: 'key-1', to: ['ann@example.com'], subject, since: Date.now() }
    expect(await find(trace, never)).toMatchObject({
      message_id: receipt.message_id,
      thread_id: receipt.thread_id,
    })
    const elsewhere = { ...trace, subject: 'cut otherwise', to: ['x" OR from:me'] }
    expect(await find(elsewhere, never)).toMatchObject({ message_id: receipt.message_id })
    expect(await find({ ...trace, key: 'key-3' }, never)).toBeUndefined()
    for (const { query } of fake.requests) {
      expect(query.get('q') ?? 'in:sent').toMatch(
        /^in:sent( after:\d+)?( to:\S+)?( subject:[\p{L}\p{N}]+)*$/u,
      )
    }
  })
})

describe('a second Gmail, made by others', () => {
  let emulator: Emulator
  let second: Gmail
  beforeAll(async () => {
    emulator = await createEmulator({ service: 'google', port: 0 })
    const token = { access_token: 'any', expiry_date: Date.now() + 3_600_000 }
    second = gmailProvider({ apiUrl: emulator.url, loginUrl: emulator.url, token }, (end) => {
      ends.push(end)
    })
  })
  afterAll(() => emulator.close())

  it('sends, lists, gets, labels and moves', async () => {
    const subject = 'Tea for two'
    const receipt = await second.send(mail({ subject, html: '<p>At four?</p>' }), never)
    const { mails } = await second.inbox.list({ query: 'in:sent', limit: 10 })
    expect(mails.find(({ id }) => id === receipt.message_id)).toMatchObject({ subject })
    const read = await second.inbox.get(receipt.message_id)
    expect(read).toMatchObject({ subject, to: 'ann@example.com', attachment_names: [] })
    expect(read.text?.trim()).toBe('At four?')
    expect(read.html?.trim()).toBe('<p>At four?</p>')
    expect(await second.inbox.label(receipt.message_id, 'Work/Tea')).toContain('Work/Tea')
    expect(await second.inbox.label(receipt.message_id, 'inbox')).toContain('INBOX')
    expect(await second.inbox.move(receipt.message_id, 'work/tea')).not.toContain('INBOX')
    const original = await second.inbox.original(receipt.message_id)
    expect(original).toMatchObject({ thread_id: receipt.thread_id, subject })
    const reply = await second.send(mail({ subject, original }), never)
    expect(reply.thread_id).toBe(receipt.thread_id)
    expect(await failureOf(second.inbox.get('gone'))).toMatchObject({ code: 'not_found' })
  })
})
