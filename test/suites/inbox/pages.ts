/** Lists of mail, newest first, page after page; and ids that stay. */
import { expect, it } from 'vitest'
import { failureOf } from '../../support/failure-of.ts'
import type { OpenPlace } from '../inbox-suite.ts'
import { daysBefore, MailAccount } from './account.ts'

export function pagesSuite(open: OpenPlace): void {
  it('is listed newest first, each mail with its head', async () => {
    const account = await MailAccount.open(open)
    expect(await account.inbox.list({ query: 'in:inbox', limit: 10 })).toEqual({ mails: [] })
    const dates = ['Tue, 1 Jul 2025 10:00:00 +0200', 'Tue, 1 Jul 2025 09:00:01 +0000']
    for (const [number, date] of dates.entries())
      await account.deliver({ Subject: `Mail ${number}`, Date: date, 'Reply-To': 'r@example.com' })
    const heads = await account.list('in:inbox')
    expect(heads).toEqual([
      expect.objectContaining({ subject: 'Mail 1', date: '2025-07-01T09:00:01.000Z' }),
      expect.objectContaining({ subject: 'Mail 0', date: '2025-07-01T08:00:00.000Z' }),
    ])
    for (const { id, sender, snippet } of heads) {
      expect(id).not.toBe('')
      expect(sender).toBe('Ada <ada@example.com>')
      expect(typeof snippet).toBe('string')
    }
  })

  it('shows every mail that was there once, page after page, whatever comes meanwhile', async () => {
    const account = await MailAccount.open(open)
    const names = Array.from({ length: 13 }, (_, number) => `Page ${number}`)
    for (const [number, Subject] of [...names.entries()].toReversed())
      await account.deliver({ Subject, Date: daysBefore(2 + number) })
    const shown: string[] = []
    let page_token: string | undefined
    let pages = 0
    do {
      const page = await account.inbox.list({ query: 'subject:page', limit: 5, page_token })
      shown.push(...page.mails.map(({ subject }) => subject))
      page_token = page.next_page_token
      // What is found by counting would shift.
      await account.deliver({ Subject: `Other ${++pages}`, Date: daysBefore(1) })
    } while (page_token !== undefined)
    expect(shown).toEqual(names)
    expect(pages).toBe(3)
  })

  it('knows a mail by the same id later, in another process, and after it was moved', async () => {
    const account = await MailAccount.open(open)
    await account.deliver({ Subject: 'kept', 'Message-ID': '<kept@example.com>' })
    await account.deliver({ Subject: 'nameless' })
    for (const subject of ['kept', 'nameless']) {
      const id = await account.idOf(subject)
      await account.inbox.move(id, 'Projects/Old')
      expect((await account.inbox.get(id)).subject).toBe(subject)
      const again = await account.place.again()
      expect((await again.get(id)).subject).toBe(subject)
      expect((await again.original(id)).subject).toBe(subject)
      await again.move(id, 'INBOX')
      expect(await account.idOf(subject)).toBe(id)
      expect((await account.list('in:inbox', again)).map((head) => head.id)).toContain(id)
    }
  })

  it('has two mails where two are alike but for their ids', async () => {
    const account = await MailAccount.open(open)
    const head = { Subject: 'alike', Date: daysBefore(1) }
    await account.deliver({ ...head, 'Message-ID': '<one@example.com>' })
    await account.deliver({ ...head, 'Message-ID': '<two@example.com>' })
    const ids = (await account.list('in:inbox')).map(({ id }) => id)
    expect(new Set(ids).size).toBe(2)
    const originals = await Promise.all(ids.map((id) => account.inbox.original(id)))
    expect(originals.map(({ message_id }) => message_id).toSorted()).toEqual([
      '<one@example.com>',
      '<two@example.com>',
    ])
  })

  it('finds nothing under an id that no mail has', async () => {
    const { inbox } = await MailAccount.open(open)
    for (const id of ['0'.repeat(24), '', '../inbox/a.eml', 'constructor', '1:*', 'é\r\n']) {
      for (const call of [
        inbox.get(id),
        inbox.original(id),
        inbox.move(id, 'X'),
        inbox.label(id, 'X'),
      ])
        expect(await failureOf(call)).toMatchObject({
          code: expect.stringMatching(/^(not_found|invalid_request)$/),
        })
    }
    expect(await failureOf(inbox.get('0'.repeat(24)))).toMatchObject({ code: 'not_found' })
  })
}
