/** Queries to local mail as Gmail understands them, and the pages of their answers. */
import { readdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { visibleText } from '../../src/email/visible-text/visible-text.ts'
import { daysAgo, LocalFolder, mail } from '../support/providers/local-folder.ts'

describe('a query', () => {
  it('finds files by their decoded names, in sent mail too', async () => {
    const folder = new LocalFolder()
    const names = {
      pieces: `filename*0*=utf-8''%E2%82%AC%20; filename*1=list.pdf`,
      set: `filename*=windows-1252''%80%20list.pdf`,
      words: 'filename="=?utf-8?B?4oKs?= =?utf-8?Q?_list.pdf?="',
    }
    for (const [Subject, name] of Object.entries(names)) {
      const type = { 'Content-Type': 'multipart/mixed; boundary=b' }
      const part = `Content-Type: application/pdf\nContent-Disposition: attachment; ${name}`
      folder.drop(`${Subject}.eml`, mail({ Subject, ...type }, `--b\n${part}\n\nAAAA\n--b--\n`))
    }
    const file = { content: Buffer.from('x'), contentType: 'application/pdf' }
    await folder.send({ subject: 'sent', attachments: [{ ...file, name: '€ list.pdf' }] })
    expect((await folder.subjects('filename:"€ LIST.pdf" in:anywhere')).sort()).toEqual(
      ['sent', ...Object.keys(names)].sort(),
    )
    for (const { id } of await folder.list('in:anywhere')) {
      expect((await folder.inbox.get(id)).attachment_names).toEqual(['€ list.pdf'])
    }
  })

  it('that names no place is about what came, but for spam and what was thrown away', async () => {
    const folder = new LocalFolder()
    for (const [number, Subject] of ['New', 'Kept', 'Junk', 'Thrown'].entries())
      folder.drop(`${Subject}.eml`, mail({ Subject, Date: daysAgo(number) }))
    await folder.send({ subject: 'Sent' })
    await folder.inbox.move(await folder.idOf('Kept'), 'Work')
    await folder.inbox.move(await folder.idOf('Junk'), 'spam')
    await folder.inbox.move(await folder.idOf('Thrown'), 'trash')
    for (const query of ['', 'is:unread', '"', '-foo:bar -'])
      expect(await folder.subjects(query)).toEqual(['New', 'Kept'])
    expect(await folder.subjects('-in:inbox')).toEqual(['Kept'])
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
})
