import { describe, expect, it } from 'vitest'
import {
  deceptiveNames,
  encodedSubjects,
  undeceived,
} from '../../test/support/mime/encoded-headers.ts'
import { readMime } from './read-mime.ts'

describe('reading', () => {
  const latin = (text: string) => Buffer.from(text, 'latin1')

  it.each([
    [
      'encoded words',
      'Subject: =?UTF-8?B?R3LDvMOfZQ==?= =?UTF-8?Q?_aus?=',
      { subject: 'Grüße aus' },
    ],
    ['raw UTF-8', 'Subject: Grüße', { subject: 'Grüße' }],
    ['raw windows-1252', latin('Subject: caf\xe9 \x80'), { subject: 'café €' }],
    ['windows-1252 words', 'Subject: =?windows-1252?Q?5_=80?=', { subject: '5 €' }],
    ['folded lines', 'Subject: one\r\n two', { subject: 'one two' }],
    ['a name', 'From: =?utf-8?q?J=C3=BCrgen?= <j@x.de>', { sender: 'Jürgen <j@x.de>' }],
    ['a quoted name', 'From: "Doe, Jane" <j@x.de>', { sender: '"Doe, Jane" <j@x.de>' }],
    ['two senders', 'From: a@x.de\r\nFrom: b@x.de\r\nReply-To: c@x.de', { sender: 'a@x.de' }],
    ['no address', 'From: somebody', { sender: 'somebody' }],
    ['several recipients', 'To: A <a@x.de>,\r\n b@x.de', { to: 'A <a@x.de>, b@x.de' }],
    ['nobody', 'To: undisclosed-recipients:;', { to: 'undisclosed-recipients:;' }],
    ['a bare id', 'Message-ID: a@b', { message_id: '<a@b>' }],
    ['references', 'References: <a@b>\r\n\t<c@d>', { references: ['<a@b>', '<c@d>'] }],
    ['a zone', 'Date: Tue, 1 Jul 2025 10:00:00 +0200 (CEST)', { date: '2025-07-01T08:00:00.000Z' }],
    [
      'a zone with a colon',
      'Date: Fri, 1 Aug 2014 16:45:32 -04:00',
      { date: '2014-08-01T20:45:32.000Z' },
    ],
    ['an old form', 'Date: 1 Jul 25 10:00 GMT', { date: '2025-07-01T10:00:00.000Z' }],
    ['no date', 'Date: whenever 7', { date: undefined }],
    [
      'latin1 text',
      'Content-Type: text/plain; charset=iso-8859-1\r\n\r\n\x80 \x93x\x94',
      { text: '€ “x”' },
    ],
    ['text of no charset', latin('Subject: x\r\n\r\n5 \x80'), { text: '5 €' }],
    [
      'quoted-printable',
      'Content-Type: text/plain; charset=cp1252\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n5 =80=\r\n!',
      { text: '5 €!\n' },
    ],
    ['another text', 'Content-Type: text/markdown\r\n\r\n# hi', { text: '# hi' }],
    ['no type', 'Content-Type: text\r\n\r\nhi', { text: 'hi' }],
    ['a byte order mark', '\ufeffSubject: x\r\n\r\nhi', { subject: 'x', text: 'hi' }],
    ['no headers', 'just text', { subject: '', text: 'just text' }],
  ])('decodes %s', async (_, bytes, expected) => {
    const isLatin = typeof bytes === 'string' && bytes.includes('\x80')
    const content =
      typeof bytes !== 'string' ? bytes : Buffer.from(bytes, isLatin ? 'latin1' : 'utf8')
    expect(await readMime(content)).toMatchObject(expected)
  })

  it.each(encodedSubjects)('decodes %j as every service does', async (header, subject) => {
    const mail = Buffer.from(`${header}\r\nFrom: a@b.c\r\n\r\nx`)
    expect((await readMime(mail)).subject).toBe(subject)
  })

  it('lets no name pass for an address', async () => {
    const alone = '=?utf-8?Q?boss=40x.y_=3Cboss=40x.y=3E?='
    const mail = Buffer.from(`From: ${alone}\r\nTo: ${deceptiveNames}\r\n\r\nx`)
    expect(await readMime(mail)).toMatchObject({ sender: '"boss@x.y <boss@x.y>"', to: undeceived })
  })

  it('names what is attached and shows the texts around it', async () => {
    const part = (head: string, body: string) => `--b\r\n${head}\r\n\r\n${body}\r\n`
    const parts = [
      part('Content-Type: text/plain', 'The text.'),
      part('Content-Type: application/pdf; name="=?utf-8?q?R=C3=A9sum=C3=A9.pdf?="', 'AAAA'),
      part("Content-Disposition: attachment; filename*=utf-8''%E2%82%AC.txt", 'text'),
      part('Content-Type: image/png; name=logo.png\r\nContent-Disposition: inline', 'AAAA'),
      part('Content-Type: image/png\r\nContent-ID: <x>', 'AAAA'),
      part('Content-Type: message/rfc822', 'Subject: inner\r\n\r\nnot ours'),
    ].join('')
    const { text, attachment_names } = await readMime(
      Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts}--b--\r\n`),
    )
    expect(text?.trim()).toBe('The text.')
    expect(attachment_names).toEqual(['Résumé.pdf', '€.txt', 'logo.png', 'message.eml'])
  })

  it('says whether all of the text is there', async () => {
    const lines = (count: number) => Buffer.from(`Subject: x\r\n\r\n${'a\r\n'.repeat(count)}`)
    expect((await readMime(lines(1000))).isComplete).toBe(true)
    expect((await readMime(lines(20_000))).isComplete).toBe(false)
  })

  it('takes no other parameter for the boundary', async () => {
    const head = 'Content-Type: multipart/alternative; x-boundary="foo"; boundary="bar"'
    const { text } = await readMime(Buffer.from(`${head}\r\n\r\n--bar\r\n\r\nhello\r\n--bar--\r\n`))
    expect(text?.trim()).toBe('hello')
  })

  it('leaves HTML without a text beside it to whoever knows what is hidden in it', async () => {
    const mail = [
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'first',
      '--b',
      'Content-Type: text/html',
      '',
      '<p>second</p><p style="display:none">secret</p>',
      '--b--',
      '',
    ].join('\r\n')
    const { text, html } = await readMime(Buffer.from(mail))
    expect(text).toBeUndefined()
    expect(html).toContain('first')
    expect(html).toContain('<p>second</p>')
  })
})
