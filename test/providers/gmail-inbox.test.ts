/** Reading mail through Gmail: lists, headers, dates, bodies, attachments. */
import { describe, expect, it } from 'vitest'
import { failureOf } from '../support/failure-of.ts'
import { deceptiveNames, encodedSubjects, undeceived } from '../support/mime/encoded-headers.ts'
import { lines, useFakeGmail } from '../support/providers/gmail-provider.ts'

const on = useFakeGmail()

describe('the inbox of Gmail', () => {
  it('lists in order, page after page, and leaves out what vanished in between', async () => {
    const subjects = Array.from({ length: 12 }, (_, index) => `Page ${index}`)
    const ids = subjects.map((subject, index) =>
      on.add(lines(`Subject: ${subject}`, 'From: a@b.c', 'X: paged', '', 'paging'), {
        internalDate: Date.UTC(2026, 0, 1, 0, 0, index),
        snippet: 'Tom &amp; Ann&#39;s &lt;tea&gt; &amp;amp; &#x1F375; &bogus;',
      }),
    )
    on.fake.fail({ path: new RegExp(`/${ids[10]}$`), fault: '404' })
    const first = await on.gmail.inbox.list({ query: 'paging', limit: 10 })
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
    const second = await on.gmail.inbox.list({ query: 'paging', limit: 10, page_token })
    expect(second.mails.map(({ id }) => id)).toEqual([ids[1], ids[0]])
    expect(second.next_page_token).toBeUndefined()
    expect(await on.gmail.inbox.list({ query: 'subject:nowhere', limit: 5 })).toEqual({ mails: [] })
  })

  it.each(encodedSubjects)('reads the header %j', async (header, subject) => {
    expect((await on.read(lines(header, 'From: a@b.c', '', 'x'))).subject).toBe(subject)
  })

  it('lets no name pass for an address', async () => {
    const { sender, to } = await on.read(
      lines(`From: ${deceptiveNames}`, 'Reply-To: r@r.r', `To: ${deceptiveNames}`, '', ''),
    )
    expect(sender).toBe(undeceived)
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
    expect((await on.read(lines(`Date: ${date}`, '', ''), { internalDate })).date).toBe(told)
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
      const read = await on.read(nested, { bodiesApart })
      expect(read.text?.trim()).toBe('costs € 5')
      expect(read.html?.trim()).toBe('<p>costs € 5</p>')
      expect(read.attachment_names).toEqual(['notes.txt', '€ list.pdf', 'message.eml'])
    }
    expect(on.fake.requests.filter(({ path }) => path.includes('/attachments/')).length).toBe(2)
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
    const mixed = await on.read(parts('text/html'))
    expect(mixed.text).toBeUndefined()
    expect(mixed.html).toBe('<b>1</b>\n<pre>a &lt; b</pre>')
    const plain = await on.read(parts('text/plain'))
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
    expect((await on.read(Buffer.concat([head, bytes]))).text).toBe(text)
  })

  it('marks nothing as read', async () => {
    const id = on.add(lines('Subject: new', '', 'x'), { labelIds: ['INBOX', 'UNREAD'] })
    await on.gmail.inbox.get(id)
    await on.gmail.inbox.original(id)
    await on.gmail.inbox.list({ query: 'is:unread', limit: 10 })
    expect(on.fake.mailbox.mails.get(id)?.labelIds).toEqual(['INBOX', 'UNREAD'])
    expect(new Set(on.fake.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
  })

  it('gives what a reply needs', async () => {
    const references = 'References: <1@a>\r\n broken <2@a> <b ad@a>'
    const id = on.add(
      lines('Message-Id: <3@a>', references, 'Subject: =?utf-8?Q?T=C3=A9?=', '', 'x'),
    )
    expect(await on.gmail.inbox.original(id)).toEqual({
      thread_id: id,
      subject: 'Té',
      message_id: '<3@a>',
      references: ['<1@a>', '<2@a>'],
    })
    const bare = await on.gmail.inbox.original(on.add(lines('In-Reply-To: <9@a>', '', 'x')))
    expect(bare).toMatchObject({ message_id: '', references: ['<9@a>'] })
  })

  it.each(['', '../labels', 'a/b', 'a?b', 'é', 'a'.repeat(129)])(
    'refuses the id %j',
    async (id) => {
      const calls = [
        on.gmail.inbox.get(id),
        on.gmail.inbox.original(id),
        on.gmail.inbox.move(id, 'INBOX'),
        on.gmail.inbox.label(id, 'INBOX'),
      ]
      for (const call of calls) {
        expect(await failureOf(call)).toMatchObject({ code: 'invalid_request' })
      }
      expect(on.fake.requests).toEqual([])
    },
  )

  it('survives parts that are nested too deep, or are none', async () => {
    const id = on.add(lines('Subject: odd', '', 'x'))
    const stored = on.fake.mailbox.mails.get(id)
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
    expect((await on.gmail.inbox.get(id)).text).toBeUndefined()
    stored.payload = layer([null, 7, 'x', { mimeType: 3, headers: 'no', body: [], parts: {} }])
    expect((await on.gmail.inbox.get(id)).subject).toBe('odd')
    Reflect.deleteProperty(stored, 'payload')
    expect(await failureOf(on.gmail.inbox.get(id))).toMatchObject({ code: 'internal' })
    on.fake.mailbox.mails.delete(id)
  })
})
