/** Labels: added, moved to, made where they are missing, and found whatever their case. */
import { expect, it } from 'vitest'
import { failureOf } from '../../support/failure-of.ts'
import type { OpenPlace } from '../inbox-suite.ts'
import { MailAccount } from './account.ts'

export function labelsSuite(open: OpenPlace): void {
  it('adds labels, made with those above them, in whichever case they are written', async () => {
    const account = await MailAccount.open(open)
    for (const Subject of ['a', 'b']) await account.deliver({ Subject })
    const [a, b] = [await account.idOf('a'), await account.idOf('b')]
    const { inbox } = account
    const labels = await inbox.label(a, ' Projekte/Übung/2026 ')
    expect(labels).toEqual(expect.arrayContaining(['INBOX', 'UNREAD', 'Projekte/Übung/2026']))
    expect(await inbox.label(b, 'projekte/übung/2026')).toContain('Projekte/Übung/2026')
    expect(await inbox.label(a, 'starred')).toEqual(
      expect.arrayContaining(['INBOX', 'STARRED', 'Projekte/Übung/2026']),
    )
    expect(await inbox.label(a, 'Starred')).toHaveLength(4)
    expect(await account.subjects('in:inbox')).toHaveLength(2)
    expect(await account.subjects('is:starred')).toEqual(['a'])
    expect((await account.subjects('label:projekte/übung/2026')).toSorted()).toEqual(['a', 'b'])
  })

  it('moves a mail out of the inbox and back, as often as it is told', async () => {
    const account = await MailAccount.open(open)
    for (const Subject of ['a', 'b']) await account.deliver({ Subject })
    const a = await account.idOf('a')
    const { inbox } = account
    for (const name of ['Done', 'done', 'DONE']) {
      const labels = await inbox.move(a, name)
      expect(labels).toContain('Done')
      expect(labels).toContain('UNREAD')
      expect(labels).not.toContain('INBOX')
      expect(await account.subjects('in:inbox')).toEqual(['b'])
      expect(await account.subjects('label:done')).toEqual(['a'])
    }
    for (const name of ['inbox', 'INBOX']) {
      expect(await inbox.move(a, name)).toContain('INBOX')
      expect((await account.subjects('in:inbox')).toSorted()).toEqual(['a', 'b'])
    }
    expect((await inbox.get(a)).subject).toBe('a')
  })

  it('keeps the labels of a mail that is moved', async () => {
    const account = await MailAccount.open(open)
    await account.deliver({ Subject: 'a' })
    const a = await account.idOf('a')
    await account.inbox.label(a, 'starred')
    await account.inbox.label(a, 'Urgent')
    const labels = await account.inbox.move(a, 'Clients/Acme')
    expect(labels.toSorted()).toEqual(['Clients/Acme', 'STARRED', 'UNREAD', 'Urgent'])
    expect(await account.subjects('label:urgent')).toEqual(['a'])
    expect(await account.subjects('label:clients/acme')).toEqual(['a'])
  })

  it('shows spam and what was thrown away only to who asks for it', async () => {
    const account = await MailAccount.open(open)
    for (const Subject of ['kept', 'junk', 'thrown']) await account.deliver({ Subject })
    expect(await account.inbox.move(await account.idOf('junk'), 'spam')).toContain('SPAM')
    expect(await account.inbox.move(await account.idOf('thrown'), 'Trash')).toContain('TRASH')
    expect(await account.subjects('is:unread')).toEqual(['kept'])
    expect(await account.subjects('in:spam')).toEqual(['junk'])
    expect(await account.subjects('in:trash')).toEqual(['thrown'])
    expect(await account.subjects('in:anywhere')).toHaveLength(3)
    await account.inbox.move(await account.idOf('thrown'), 'inbox')
  })

  it('refuses names that are none, and what only a mail program says of a mail', async () => {
    const account = await MailAccount.open(open)
    await account.deliver({ Subject: 'a' })
    const a = await account.idOf('a')
    const names = ['', '  ', '//', 'a\u0000b', 'a\nb', 'x'.repeat(226), 'SENT', 'draft', 'a//b']
    for (const name of names) {
      for (const call of [account.inbox.label(a, name), account.inbox.move(a, name)])
        expect(await failureOf(call), name).toMatchObject({ code: 'invalid_request' })
    }
    expect(await account.subjects('in:inbox')).toEqual(['a'])
  })

  it('makes no label for a mail that is not there', async () => {
    const account = await MailAccount.open(open)
    const gone = failureOf(account.inbox.move('0'.repeat(24), 'Fresh'))
    expect(await gone).toMatchObject({ code: 'not_found' })
    await account.deliver({ Subject: 'a' })
    expect(await account.inbox.label(await account.idOf('a'), 'FRESH')).toContain('FRESH')
  })
}
