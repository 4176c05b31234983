/** Queries in Gmail's words. */
import { expect, it } from 'vitest'
import { failureOf } from '../../support/failure-of.ts'
import type { OpenPlace, Searching } from '../inbox-suite.ts'
import { daysBefore, MailAccount } from './account.ts'

const html = { 'Content-Type': 'text/html; charset=utf-8' }
const plain = { 'Content-Type': 'text/plain; charset=utf-8' }
const mixed = { 'MIME-Version': '1.0', 'Content-Type': 'multipart/mixed; boundary=b' }
const attached =
  '--b\n\nSee the file.\n--b\nContent-Type: application/pdf; name=a.pdf\nContent-Disposition: attachment; filename=a.pdf\n\nAAAA\n--b--\n'

const delivered: [subject: string, headers: Record<string, string>, body?: string][] = [
  [
    'Invoice 7',
    { Date: daysBefore(1), From: 'Ada Byron <ada@example.com>' },
    'Please pay\r\nsoon.',
  ],
  [
    '=?utf-8?Q?Caf=C3=A9?=',
    { Date: daysBefore(3), From: 'bob@example.org', Cc: 'Eve <eve@example.net>', ...plain },
    'R\u00e9sum\u00e9',
  ],
  ['Old', { Date: daysBefore(500), ...html }, '<style>p{}</style><p>Dear <b>friend</b>&amp;co</p>'],
  ['File', { Date: daysBefore(40), ...mixed }, attached],
  ['Junk', { Date: daysBefore(2) }, 'buy now'],
  ['Thrown', { Date: daysBefore(2.5) }],
  ['Kept', { Date: daysBefore(4) }],
]

type Delivered = (typeof delivered)[number]
const byDate = ([, one]: Delivered, [, other]: Delivered) =>
  Date.parse(one.Date ?? '') - Date.parse(other.Date ?? '')

const all = ['Invoice 7', 'Café', 'File', 'Old']

/** What every service understands, and the fakes too. */
const found: Record<string, string[]> = {
  'in:inbox': all,
  'is:unread in:inbox': all,
  'is:read in:inbox': [],
  '-is:unread in:inbox': [],
  'in:sent': ['Reply sent'],
  'is:read in:sent': ['Reply sent'],
  'in:spam': ['Junk'],
  'label:TRASH': ['Thrown'],
  'is:starred': ['Café'],
  'IS:Starred': ['Café'],
  'label:kept/2025': ['Kept'],
  'label:"my work"': ['Kept'],
  'in:inbox from:ADA': ['Invoice 7', 'File', 'Old'],
  'in:inbox -from:ada': ['Café'],
  'from:"ada byron"': ['Invoice 7'],
  'in:inbox to:eve': ['Café'],
  'in:inbox -to:eve': ['Invoice 7', 'File', 'Old'],
  'in:inbox subject:invoice': ['Invoice 7'],
  'in:inbox subject:"invoice 7"': ['Invoice 7'],
  'subject:7invoice': [],
  'in:inbox invoice': ['Invoice 7'],
  'in:anywhere invoice': ['Reply sent', 'Invoice 7'],
  'in:inbox please soon': ['Invoice 7'],
  'in:inbox please -soon': [],
  'in:inbox subject:CAFÉ': ['Café'],
  'in:inbox has:attachment': ['File'],
  'in:inbox -has:attachment newer_than:41d': ['Invoice 7', 'Café'],
  'in:inbox newer_than:2d': ['Invoice 7'],
}

const wholeFound: Record<string, string[]> = {
  'in:anywhere': ['Reply sent', 'Invoice 7', 'Junk', 'Thrown', 'Café', 'Kept', 'File', 'Old'],
  'label:my-work': ['Kept'],
  'label:kept-2025': ['Kept'],
  'in:inbox "please pay"': ['Invoice 7'],
  'in:inbox -"please pay" newer_than:9d': ['Café'],
  'in:inbox re\u0301sume\u0301': ['Café'],
  'in:inbox CAFÉ': ['Café'],
  'in:inbox filename:PDF': ['File'],
  'in:inbox filename:"a.pdf"': ['File'],
  'in:inbox filename:b.pdf': [],
  'in:inbox -filename:pdf older_than:1m': ['Old'],
  'in:inbox newer_than:30h': ['Invoice 7'],
  'in:inbox older_than:1m': ['File', 'Old'],
  'in:inbox older_than:1y': ['Old'],
  'in:inbox "(invoice)"': [],
  'in:inbox invoice(7)': [],
  'in:inbox note: "from:"': [],
  'in:inbox foo:bar': [],
  'in:inbox -foo:bar -': all,
  '"is:snoozed"': [],
  'constructor:x': [],
  'in:inbox "': all,
  'in:inbox subject:"invoice': ['Invoice 7'],
  'in:inbox "a\\b"': [],
  'label:nowhere': [],
}

/** What a server that searches mails as they were sent does not see. */
const ownFound: Record<string, string[]> = {
  'in:inbox "please pay soon"': ['Invoice 7'],
  'in:inbox "friend &co"': ['Old'],
  'in:inbox style': [],
}

const refused = [
  'x '.repeat(101),
  'newer_than:soon',
  'invoice OR café',
  'after:2026/01/01',
  'subject:(invoice april)',
  'rfc822msgid:a@b.example',
  'is:unraed',
  'is:constructor',
  '-is:"snoozed"',
  'has:drive',
  '(invoice)',
  '-(invoice april)',
  '{invoice april}',
  'from:',
  'from: ada',
  '-label:""',
]

export function queriesSuite(open: OpenPlace, searched: Searching): void {
  const isWhole = searched !== 'by a fake'
  const asked = {
    ...found,
    ...(isWhole && wholeFound),
    ...(searched === 'by us' && ownFound),
  }

  it('finds what a query describes', async () => {
    const account = await MailAccount.open(open)
    // The oldest first, as mail comes: some services call the newest what came last.
    for (const [Subject, headers, body] of delivered.toSorted(byDate))
      await account.deliver({ Subject, ...headers }, body)
    await account.place.send('Reply sent', 'invoice paid')
    const { inbox } = account
    await inbox.move(await account.idOf('Junk'), 'spam')
    await inbox.move(await account.idOf('Thrown'), 'trash')
    await inbox.label(await account.idOf('Kept'), 'My Work')
    await inbox.move(await account.idOf('Kept'), 'Kept/2025')
    await inbox.label(await account.idOf('Café'), 'starred')
    for (const [query, subjects] of Object.entries(asked))
      expect([query, await account.subjects(query)]).toEqual([query, subjects])
    for (const query of isWhole ? refused : []) {
      const failure = failureOf(account.inbox.list({ query, limit: 10 }))
      expect(await failure, query).toMatchObject({ code: 'invalid_request' })
    }
  })

  if (!isWhole) return
  it('refuses a page token that is none', async () => {
    const { inbox } = await MailAccount.open(open)
    for (const page_token of ['x', 'MTIz', '🙂', Buffer.from('1 x').toString('base64url')]) {
      const page = failureOf(inbox.list({ query: '', limit: 1, page_token }))
      expect(await page, page_token).toMatchObject({ code: 'invalid_request' })
    }
  })
}
