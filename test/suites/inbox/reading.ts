/** Mails as they are read: decoded, with their attachments by name, and nothing marked. */
import { expect, it } from 'vitest'
import { deceptiveNames, encodedSubjects, undeceived } from '../../support/mime/encoded-headers.ts'
import type { OpenPlace } from '../inbox-suite.ts'
import { lines, MailAccount } from './account.ts'

export const nested = lines(
  'Subject: nested',
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

const charsets: [how: string, charset: string, bytes: Buffer, text: string][] = [
  ['what is declared', 'iso-8859-2', Buffer.from([0xb1, 0xe6]), 'ąć'],
  ['windows-1252 for Latin-1', 'latin1', Buffer.from([0x93, 0xe9, 0x94, 0x80]), '“é”€'],
  ['windows-1252 for the unknown', 'x-none', Buffer.from([0x80, 0xe9]), '€é'],
  ['a character set with shifts', 'iso-2022-jp', Buffer.from('\x1b$B$"\x1b(B'), 'あ'],
]

export function readingSuite(open: OpenPlace): void {
  it('reads encoded headers, in lists too', async () => {
    const account = await MailAccount.open(open)
    for (const [header, subject] of encodedSubjects) {
      const id = await account.idAfter(lines(header, 'From: a@b.c', '', header))
      expect((await account.inbox.get(id)).subject, header).toBe(subject)
      const head = (await account.list('in:inbox')).find((one) => one.id === id)
      expect(head?.subject, header).toBe(subject)
      expect((await account.inbox.original(id)).subject).toBe(subject)
    }
  })

  it('lets no name pass for an address', async () => {
    const account = await MailAccount.open(open)
    const { sender, to } = await account.read(
      lines(`From: ${deceptiveNames}`, 'Reply-To: r@r.r', `To: ${deceptiveNames}`, '', ''),
    )
    expect(to).toBe(undeceived)
    expect(sender).toMatch(/^"Müller, J" <j@x\.y>/)
    expect(undeceived.startsWith(sender)).toBe(true)
  })

  it('tells dates in UTC, and when a mail came where it has none', async () => {
    const account = await MailAccount.open(open)
    const came = new Date(Date.UTC(2026, 1, 3, 4, 5, 6))
    for (const [date, told] of [
      ['Tue, 1 Jul 2025 10:00:00 +0200 (CEST)', '2025-07-01T08:00:00.000Z'],
      ['1 Jul 2025 10:00 EST', '2025-07-01T15:00:00.000Z'],
      ['Tue, 1 Jul 2025 10:00:00', '2025-07-01T10:00:00.000Z'],
      ['garbage 12', '2026-02-03T04:05:06.000Z'],
      ['Tue, 99 Jul 2025 10:00:00 +0200', '2026-02-03T04:05:06.000Z'],
    ])
      expect((await account.read(lines(`Date: ${date}`, '', ''), came)).date, date).toBe(told)
  })

  it('finds text, HTML and attachments in nested parts', async () => {
    const account = await MailAccount.open(open)
    const read = await account.read(nested)
    expect([read.text?.trim(), read.html?.trim()]).toEqual(['costs € 5', '<p>costs € 5</p>'])
    expect(read.attachment_names).toEqual(['notes.txt', '€ list.pdf', 'message.eml'])
  })

  it('takes a text for the whole only if it is', async () => {
    const account = await MailAccount.open(open)
    const parts = (type: string) =>
      lines(
        ...[`Subject: ${type}`, 'Content-Type: multipart/mixed; boundary=a', '', '--a'],
        ...[`Content-Type: ${type}`, ''],
        ...['<b>1</b>', '--a', 'Content-Type: text/plain', '', 'a < b', '--a--'],
      )
    const mixed = await account.read(parts('text/html'))
    expect(mixed.text).toBeUndefined()
    expect(mixed.html).toMatch(/^<b>1<\/b>\s*<(div|pre)>a (&lt;|&#x3C;) b<\/\1>$/)
    const plain = await account.read(parts('text/plain'))
    expect([plain.text?.trim().replace(/\s+/, ' '), plain.html]).toEqual([
      '<b>1</b> a < b',
      undefined,
    ])
  })

  it.each(charsets)('reads a body as %s', async (_, charset, bytes, text) => {
    const account = await MailAccount.open(open)
    const head = Buffer.from(`Content-Type: text/plain; charset="${charset}"\r\n\r\n`)
    expect((await account.read(Buffer.concat([head, bytes]))).text?.trim()).toBe(text)
  })

  it('marks nothing as read', async () => {
    const account = await MailAccount.open(open)
    const id = await account.idAfter(lines('Subject: new', '', 'x'))
    await account.inbox.get(id)
    await account.inbox.original(id)
    expect(await account.subjects('is:unread')).toEqual(['new'])
    expect(await account.inbox.label(id, 'inbox')).toContain('UNREAD')
  })

  it('gives what a reply needs', async () => {
    const account = await MailAccount.open(open)
    const references = 'References: <1@a>\r\n broken <2@a> <b ad@a>'
    const id = await account.idAfter(
      lines('Message-Id: <3@a>', references, 'Subject: =?utf-8?Q?T=C3=A9?=', '', 'x'),
    )
    const original = { subject: 'Té', message_id: '<3@a>', references: ['<1@a>', '<2@a>'] }
    expect(await account.inbox.original(id)).toMatchObject({
      ...original,
      thread_id: expect.stringMatching(/./),
    })
    const bare = await account.idAfter(lines('In-Reply-To: <9@a>', '', 'x'))
    expect(await account.inbox.original(bare)).toMatchObject({
      message_id: '',
      references: ['<9@a>'],
    })
  })

  it('tells every address that a mail was for, by which answers to agents are known', async () => {
    const account = await MailAccount.open(open)
    const to = ['To: Us <us+tag@a.example>', 'Cc: c@a.example', 'Delivered-To: d@a.example']
    const id = await account.idAfter(lines(...to, 'X-Original-To: x@a.example', '', 'x'))
    const { recipients = '' } = await account.inbox.original(id)
    for (const name of ['us+tag', 'c', 'd', 'x']) expect(recipients).toContain(`${name}@a.example`)
  })
}
