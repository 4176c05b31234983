/** Other programs on the same IMAP account: mails that they move, delete and renumber while we hold their ids, and two of us at once. */
import { beforeAll, expect, it } from 'vitest'
import { AgentMailError } from '../../../src/errors.ts'
import type { Inbox } from '../../../src/providers/provider.ts'
import { afterAllTests } from '../../support/at-end.ts'
import { failureOf } from '../../support/failure-of.ts'
import { describeWith } from '../../support/parts.ts'
import { type ImapAccount, ImapPlace } from '../../support/providers/imap-place.ts'
import { seededRandom } from '../../support/seeded-random.ts'

const mail = (subject: string, id = `<${subject.replace(/\W/g, '')}@example.com>`) =>
  `From: ada@example.com\r\nSubject: ${subject}\r\n${id && `Message-ID: ${id}\r\n`}Date: Tue, 1 Jul 2025 10:00:00 +0000\r\n\r\nHi`

const heads = async (inbox: Inbox, query = 'in:inbox') =>
  (await inbox.list({ query, limit: 100 })).mails
const subjects = async (inbox: Inbox, query?: string) =>
  (await heads(inbox, query)).map(({ subject }) => subject).toSorted()

describeWith('dovecot', 'a mail that others handle too', () => {
  const atEnd = afterAllTests()
  let place: ImapPlace
  beforeAll(async () => {
    place = await ImapPlace.start({}, atEnd)
  })

  /** An account with some mails, and their ids. */
  async function accountWith(...given: string[]) {
    const account = place.account()
    for (const subject of given) account.deliver(mail(subject))
    const { inbox } = await account.open()
    const ids = new Map((await heads(inbox)).map(({ subject, id }) => [subject, id]))
    return { account, inbox, idOf: (subject: string) => ids.get(subject) ?? '' }
  }

  const moveByOther = async (account: ImapAccount, subject: string, folder: string) => {
    const client = await account.client()
    await client.mailboxCreate(folder)
    await client.mailboxOpen('INBOX')
    await client.messageMove({ subject }, folder)
  }

  it('is found under its id after another program moved it, as often as it does', async () => {
    const { account, inbox, idOf } = await accountWith('a', 'b')
    await moveByOther(account, 'a', 'Elsewhere')
    expect((await inbox.get(idOf('a'))).subject).toBe('a')
    expect(await inbox.original(idOf('a'))).toMatchObject({ message_id: '<a@example.com>' })
    expect(await subjects(inbox)).toEqual(['b'])
    const client = await account.client()
    await client.mailboxOpen('Elsewhere')
    await client.messageMove('1:*', 'Archive/2025')
    await client.mailboxCreate('Archive/2025')
    await client.messageMove('1:*', 'Archive/2025')
    expect((await inbox.get(idOf('a'))).subject).toBe('a')
    expect(await inbox.move(idOf('a'), 'Done')).toContain('Done')
    expect(await account.everywhere()).toEqual({ INBOX: ['b'], Done: ['a'] })
  })

  it('is not found after another program deleted it, and nothing else is touched', async () => {
    const { account, inbox, idOf } = await accountWith('a', 'b')
    const client = await account.client()
    await client.mailboxOpen('INBOX')
    await client.messageDelete({ subject: 'a' })
    for (const call of [
      () => inbox.get(idOf('a')),
      () => inbox.move(idOf('a'), 'Done'),
      () => inbox.label(idOf('a'), 'Done'),
      () => inbox.original(idOf('a')),
    ])
      expect(await failureOf(call())).toMatchObject({ code: 'not_found' })
    account.deliver(mail('c'))
    expect(await subjects(inbox)).toEqual(['b', 'c'])
    expect(await failureOf(inbox.get(idOf('a')))).toMatchObject({ code: 'not_found' })
  })

  it('keeps its id when the server numbers all mails anew', async () => {
    const { account, inbox, idOf } = await accountWith('a', 'b', 'c')
    account.deliver(mail('nameless', ''))
    const nameless = (await heads(inbox)).find(({ subject }) => subject === 'nameless')?.id ?? ''
    for (const uidValidity of [1_900_000_000, 2_000_000_000]) {
      place.dovecot.renumber(account.user, 'INBOX', uidValidity)
      const after = new Map((await heads(inbox)).map(({ subject, id }) => [subject, id]))
      for (const subject of ['a', 'b', 'c']) {
        expect(after.get(subject)).toBe(idOf(subject))
        expect((await inbox.get(idOf(subject))).subject).toBe(subject)
      }
      expect(after.get('nameless')).toBe(nameless)
      expect((await inbox.get(nameless)).subject).toBe('nameless')
    }
    expect(await inbox.move(idOf('b'), 'Done')).toContain('Done')
    expect(await account.everywhere()).toEqual({ INBOX: ['a', 'c', 'nameless'], Done: ['b'] })
  })

  it('is another one where its number was given to another mail', async () => {
    const { account, inbox, idOf } = await accountWith('a', 'b')
    const client = await account.client()
    await client.mailboxOpen('INBOX')
    await client.messageDelete('1:*')
    await client.mailboxClose()
    place.dovecot.renumber(account.user, 'INBOX', 2_100_000_000)
    for (const subject of ['x', 'y', 'z']) account.deliver(mail(subject))
    expect(await subjects(inbox)).toEqual(['x', 'y', 'z'])
    for (const subject of ['a', 'b'])
      expect(await failureOf(inbox.move(idOf(subject), 'Done'))).toMatchObject({
        code: 'not_found',
      })
    expect(await account.everywhere()).toEqual({ INBOX: ['x', 'y', 'z'] })
  })

  it('is on one page, though the server numbers all anew between two pages', async () => {
    const account = place.account()
    const names = Array.from(
      { length: 25 },
      (_, number) => `mail ${String(number).padStart(2, '0')}`,
    )
    for (const subject of names) account.deliver(mail(subject))
    const { inbox } = await account.open()
    const shown: string[] = []
    let page_token: string | undefined
    for (let pages = 0; pages < 10; pages++) {
      const page = await inbox.list({ query: 'in:inbox', limit: 10, page_token }).catch((error) => {
        // To begin again is an answer; mails that are left out are none.
        expect(error).toMatchObject({ code: expect.stringMatching(/^(invalid_request|conflict)$/) })
        shown.length = 0
        return { mails: [], next_page_token: undefined }
      })
      shown.push(...page.mails.map(({ subject }) => subject))
      page_token = page.next_page_token
      if (page_token === undefined && shown.length >= names.length) break
      if (pages === 0) place.dovecot.renumber(account.user, 'INBOX', 2_200_000_000)
    }
    expect(shown.toSorted()).toEqual(names)
  })

  it('ends in one place, whoever of two moves it where', async () => {
    const random = seededRandom()
    const names = Array.from(
      { length: 12 },
      (_, number) => `mail ${String(number).padStart(2, '0')}`,
    )
    const { account, inbox, idOf } = await accountWith(...names)
    const { inbox: second } = await account.open()
    const folders = ['One', 'Two', 'One/Deep', 'INBOX']
    const work = async (own: Inbox) => {
      for (let round = 0; round < 40; round++) {
        const id = idOf(names[Math.floor(random() * names.length)] ?? '')
        const folder = folders[Math.floor(random() * folders.length)] ?? ''
        const act = random() < 0.3 ? own.label(id, 'Urgent') : own.move(id, folder)
        // Who is too late is told so.
        await act.catch((error) => expect(error).toBeInstanceOf(AgentMailError))
      }
    }
    await Promise.all([work(inbox), work(second)])
    const everywhere = Object.values(await account.everywhere()).flat()
    expect(everywhere.toSorted()).toEqual(names)
    expect(await subjects(second, 'in:anywhere')).toEqual(names)
    for (const subject of names) expect((await second.get(idOf(subject))).subject).toBe(subject)
  })
})
