/** What a query becomes on an IMAP server. */
import type { MailboxObject } from 'imapflow'
import { describe, expect, it } from 'vitest'
import { inboxFolder, type MailFolder } from '../folders.ts'
import { GmailQuery } from './gmail-query.ts'
import { ImapQuery } from './query.ts'

const now = Date.UTC(2026, 5, 10, 12)
const hour = 3_600_000
const folder = (label: string, use = ''): MailFolder => ({ path: label, label, use })
const mailbox: MailboxObject = {
  ...{ path: 'INBOX', delimiter: '/', uidValidity: 1n, uidNext: 1, exists: 0 },
  flags: new Set(['\\Seen', 'Work', 'my+20work']),
}
const searchOf = (text: string, where = inboxFolder) =>
  new ImapQuery(text, now).searchIn(where, mailbox)

describe('a query on an IMAP server', () => {
  it.each([
    ['', { deleted: false }],
    ['is:unread', { deleted: false, or: [{ seen: false }] }],
    ['-is:read', { deleted: false, or: [{ not: { seen: true } }] }],
    ['is:starred', { deleted: false, or: [{ flagged: true }] }],
    [
      'from:Ada -subject:x',
      { deleted: false, or: [{ from: 'ada', or: [{ not: { subject: 'x' } }] }] },
    ],
    ['label:work', { deleted: false, or: [{ keyword: 'Work' }] }],
    ['label:my-work', { deleted: false, or: [{ keyword: 'my+20work' }] }],
    ['in:inbox', { deleted: false }],
    ['label:unknown', undefined],
    ['-label:unknown', { deleted: false }],
    ['-in:inbox', undefined],
    [
      'to:bob',
      {
        deleted: false,
        or: [
          {
            not: {
              not: { to: 'bob' },
              or: [{ not: { cc: 'bob' }, or: [{ not: { bcc: 'bob' } }] }],
            },
          },
        ],
      },
    ],
    ['two words', { deleted: false, or: [{ text: 'two', or: [{ text: 'words' }] }] }],
  ])('%s', (text, search) => {
    expect(searchOf(text)).toEqual(search)
  })

  it('is searched in the inbox, or where it says', () => {
    const folders = [
      inboxFolder,
      ...[folder('Work'), folder('SENT', '\\Sent'), folder('SPAM', '\\Junk')],
      folder('TRASH', '\\Trash'),
    ]
    const places = (text: string) => {
      const query = new ImapQuery(text, now)
      return folders.filter((one) => query.concerns(one)).map(({ label }) => label)
    }
    expect(places('is:unread')).toEqual(['INBOX'])
    expect(places('in:sent')).toEqual(['SENT'])
    expect(places('in:spam')).toEqual(['SPAM'])
    expect(places('label:work')).toEqual(['INBOX', 'Work', 'SENT'])
    expect(places('in:anywhere')).toEqual(['INBOX', 'Work', 'SENT', 'SPAM', 'TRASH'])
    expect(searchOf('label:work', folder('Work'))).toEqual({ deleted: false })
  })

  it('is exact to the moment, though a server knows days', () => {
    const query = new ImapQuery('newer_than:2h', now)
    const at = (ms: number) => query.isMeant({ arrived: ms, structure: undefined })
    expect([at(now - 2 * hour), at(now - 2 * hour - 1)]).toEqual([true, false])
    expect(query.searchIn(inboxFolder, mailbox)).toEqual({
      deleted: false,
      or: [{ since: new Date(now - 26 * hour) }],
    })
  })

  it('leaves what no server tells to whoever reads the mail', () => {
    const query = new ImapQuery('"please pay" has:attachment', now)
    const structure = { type: 'text/plain', disposition: 'attachment' }
    expect(query.isMeant({ arrived: now, structure })).toBeUndefined()
    expect(query.isMeant({ arrived: now, structure: { type: 'text/plain' } })).toBe(false)
    expect(query.isMeantWhole({ texts: ['please pay soon'], attachment_names: ['a'] })).toBe(true)
    expect(query.isMeantWhole({ texts: ['pay please'], attachment_names: ['a'] })).toBe(false)
  })
})

describe('a query on Gmail by IMAP', () => {
  const all = folder('All Mail', '\\All')
  const folders = [inboxFolder, all, folder('SPAM', '\\Junk'), folder('TRASH', '\\Trash')]
  it.each([
    ['is:unread OR larger:5M', ['All Mail']],
    ['in:inbox', ['All Mail']],
    ['in:spam invoice', ['SPAM']],
    ['label:trash', ['TRASH']],
    ['in:anywhere', ['All Mail', 'SPAM', 'TRASH']],
    ['subject:"in:spam"', ['All Mail']],
  ])('%s is passed on as it stands', (text, places) => {
    const query = new GmailQuery(text, folders)
    const found = folders.filter((one) => query.concerns(one)).map(({ label }) => label)
    expect([found, query.searchIn()]).toEqual([places, { gmraw: text }])
  })

  it.each([
    ['is:unread', ['INBOX', 'work']],
    ['in:spam invoice', ['SPAM']],
    ['in:anywhere', ['INBOX', 'work', 'SPAM', 'TRASH']],
  ])('%s is asked in each folder where that of all mail is hidden', (text, places) => {
    const shown = [inboxFolder, folder('work', ''), ...folders.slice(2)]
    const query = new GmailQuery(text, shown)
    expect(shown.filter((one) => query.concerns(one)).map(({ label }) => label)).toEqual(places)
  })
})
