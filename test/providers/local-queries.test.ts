/** Queries to local mail as Gmail understands them, and the pages of their answers. */
import { readdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { visibleText } from '../../src/email/visible-text/visible-text.ts'
import { daysAgo, LocalFolder, mail } from '../support/providers/local-folder.ts'

describe('a query', () => {
  it('finds what it describes', async () => {
    const folder = new LocalFolder()
    const html = { 'Content-Type': 'text/html; charset=utf-8' }
    const mixed = { 'Content-Type': 'multipart/mixed; boundary=b' }
    const attached =
      '--b\n\nSee the file.\n--b\nContent-Type: application/pdf; name=a.pdf\n\nAAAA\n--b--\n'
    const drops: [string, Record<string, string>, string?][] = [
      [
        'Invoice 7',
        { Date: daysAgo(1), From: 'Ada Byron <ada@example.com>' },
        'Please\r\npay soon.',
      ],
      [
        'Café',
        { Date: daysAgo(3), From: 'bob@example.org', Cc: 'Eve <eve@example.net>' },
        'R\u00e9sum\u00e9',
      ],
      [
        'Old',
        { Date: daysAgo(500), ...html },
        '<style>p{}</style><p>Dear <b>friend</b>&amp;co</p>',
      ],
      ['File', { Date: daysAgo(40), ...mixed }, attached],
      ['Junk', { Date: daysAgo(2) }, 'buy now'],
      ['Thrown', { Date: daysAgo(2.5) }],
      ['Kept', { Date: daysAgo(4) }],
    ]
    for (const [Subject, headers, body] of drops) {
      folder.drop(`${Subject}.eml`, mail({ Subject, ...headers }, body))
    }
    await folder.send({ subject: 'Reply sent', text: 'invoice paid' })
    await folder.inbox.move(await folder.idOf('Junk'), 'spam')
    await folder.inbox.move(await folder.idOf('Thrown'), 'trash')
    await folder.inbox.move(await folder.idOf('Kept'), 'My Work/2025')
    await folder.inbox.label(await folder.idOf('Café'), 'starred')
    const all = ['Invoice 7', 'Café', 'Kept', 'File', 'Old']
    const found: Record<string, string[]> = {
      '': all,
      'is:unread': all,
      'is:read': [],
      '-is:unread': [],
      'in:inbox': ['Invoice 7', 'Café', 'File', 'Old'],
      '-in:inbox': ['Kept'],
      'in:sent': ['Reply sent'],
      'is:read in:sent': ['Reply sent'],
      'in:anywhere': ['Reply sent', 'Invoice 7', 'Junk', 'Thrown', 'Café', 'Kept', 'File', 'Old'],
      'in:spam': ['Junk'],
      'label:TRASH': ['Thrown'],
      'is:starred': ['Café'],
      'IS:Starred': ['Café'],
      'label:my-work-2025': ['Kept'],
      'label:"my work/2025"': ['Kept'],
      'from:ADA': ['Invoice 7', 'Kept', 'File', 'Old'],
      '-from:ada': ['Café'],
      'from:"ada byron"': ['Invoice 7'],
      'to:eve': ['Café'],
      'subject:invoice': ['Invoice 7'],
      'subject:"invoice 7"': ['Invoice 7'],
      'subject:7invoice': [],
      invoice: ['Invoice 7'],
      'invoice in:anywhere': ['Reply sent', 'Invoice 7'],
      '"please pay"': ['Invoice 7'],
      'please soon': ['Invoice 7'],
      'please -soon': [],
      '"friend &co"': ['Old'],
      style: [],
      re\u0301sume\u0301: ['Café'],
      CAFÉ: ['Café'],
      'has:attachment': ['File'],
      '-has:attachment newer_than:41d': ['Invoice 7', 'Café', 'Kept'],
      'newer_than:2d': ['Invoice 7'],
      'newer_than:30h': ['Invoice 7'],
      'older_than:1m': ['File', 'Old'],
      'older_than:1y': ['Old'],
      '(invoice)': [],
      'foo:bar': [],
      '-foo:bar -': all,
      'is:constructor': [],
      'constructor:x': [],
      '"': all,
      'subject:"invoice': ['Invoice 7'],
    }
    for (const [query, subjects] of Object.entries(found)) {
      expect([query, await folder.subjects(query)]).toEqual([query, subjects])
    }
    const refused = [
      'x '.repeat(101),
      'newer_than:soon',
      'invoice OR café',
      'after:2026/01/01',
      'subject:(invoice april)',
      'rfc822msgid:a@b.example',
    ]
    for (const query of refused) {
      await expect(folder.list(query), query).rejects.toMatchObject({ code: 'invalid_request' })
    }
  })

  it('is answered with the head of each mail, and writes nothing', async () => {
    const folder = new LocalFolder()
    const dated = { Date: 'Tue, 1 Jul 2025 10:00:00 +0200' }
    folder.drop('a.eml', mail({ Subject: 'a', ...dated }, `One\r\n\r\n two ${'word '.repeat(200)}`))
    folder.drop('b.eml', mail({ Subject: 'b', Date: 'never' }))
    utimesSync(join(folder.path, 'inbox/b.eml'), 1e9, 1e9)
    const [a, b] = await folder.list()
    expect(a).toMatchObject({ sender: 'Ada <ada@example.com>', date: '2025-07-01T08:00:00.000Z' })
    expect(a?.snippet).toMatch(/^One two word word .{182}$/)
    expect(b?.date).toBe('2001-09-09T01:46:40.000Z')
    const records = ['ids-inbox.json', 'ids-sent.json']
    expect(readdirSync(folder.path).sort()).toEqual([...records, 'inbox', 'sent'])
  })
})

describe('a snippet', () => {
  it('shows nothing that is hidden by what stands far behind it', async () => {
    const folder = new LocalFolder({ shownText: (mail) => visibleText(mail).text })
    const body = `<p class=h>secret</p><p>hello</p><!--${'x'.repeat(80_000)}--><style>.h{display:none}</style>`
    folder.drop('a.eml', mail({ 'Content-Type': 'text/html' }, body))
    expect((await folder.list())[0]?.snippet).toBe('hello')
  })
})

describe('pages', () => {
  it('show every mail that was there once, whatever comes meanwhile', async () => {
    const folder = new LocalFolder()
    const names = Array.from({ length: 25 }, (_, number) => `${number}`)
    for (const name of names) {
      folder.drop(`${name}.eml`, mail({ Subject: name, Date: daysAgo(Number(name) % 4) }))
    }
    const shown: string[] = []
    let page_token: string | undefined
    do {
      const page = await folder.inbox.list({ query: 'is:unread', limit: 4, page_token })
      expect(page.mails.length).toBeLessThanOrEqual(4)
      shown.push(...page.mails.map(({ subject }) => subject))
      page_token = page.next_page_token
      folder.drop(`new ${shown.length}.eml`, mail({ Subject: 'new', Date: daysAgo(-1) }))
      const first = shown[0]
      if (first) rmSync(join(folder.path, `inbox/${first}.eml`), { force: true })
    } while (page_token !== undefined)
    expect(shown.sort()).toEqual(names.sort())
  })

  it('are refused for a token that is none', async () => {
    const { inbox } = new LocalFolder()
    for (const page_token of ['', 'x', 'MTIz', '🙂', Buffer.from('1 x').toString('base64url')]) {
      const page = inbox.list({ query: '', limit: 1, page_token })
      await expect(page).rejects.toMatchObject({ code: 'invalid_request' })
    }
  })
})
