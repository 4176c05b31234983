/** Mails that nobody should send: each is listed, and shown as far as it can be read. */
import { expect, it } from 'vitest'
import type { OpenPlace } from '../inbox-suite.ts'
import { MailAccount } from './account.ts'

const deep = Array.from(
  { length: 10_000 },
  (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\n\n--b${level}\n`,
).join('')

const oddMails: Record<string, string> = {
  deep: `Subject: deep\n${deep}\nhi`,
  'many headers': `${'X-A: b\r\n'.repeat(100_000)}Subject: many headers\r\n\r\nhi`,
  'long header': `X-A: ${'b'.repeat(5 << 20)}\r\nSubject: long header\r\n\r\nhi`,
  'no boundary': 'Subject: no boundary\nContent-Type: multipart/mixed\n\nhi',
  'many parts': `Subject: many parts\nContent-Type: multipart/mixed; boundary=b\n\n${'--b\n\nhi\n'.repeat(300_000)}`,
  'many lines': `Subject: many lines\n\nhi${'\n'.repeat(5 << 20)}`,
  'mail in mail': `Subject: mail in mail\nMIME-Version: 1.0\n${'Content-Type: message/rfc822\n\n'.repeat(1000)}`,
  'only headers': 'Subject: only headers',
  'unfinished part': `Subject: unfinished part\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Ty`,
}

export function oddMailsSuite(open: OpenPlace): void {
  it('shows odd mails as far as they can be read', async () => {
    const account = await MailAccount.open(open)
    for (const content of Object.values(oddMails)) await account.place.deliver(content)
    const garbage = Array.from({ length: 70_000 }, (_, at) => (at * 7) % 256)
    await account.place.deliver(Buffer.from(garbage))
    const heads = await account.list('in:inbox')
    const subjects = heads.map(({ subject }) => subject)
    expect(subjects.toSorted()).toEqual(['', ...Object.keys(oddMails)].toSorted())
    for (const { id } of heads) await account.inbox.get(id)
    const read = async (subject: string) => account.inbox.get(await account.idOf(subject))
    expect((await read('many headers')).text?.trim()).toBe('hi')
    expect((await read('no boundary')).text?.trim()).toBe('hi')
    expect((await read('mail in mail')).attachment_names).toEqual(['message.eml'])
    expect(await account.subjects('in:inbox has:attachment')).toContain('mail in mail')
  })
}
