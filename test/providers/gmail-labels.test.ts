/** Moving and labelling mail through Gmail, by the names of labels. */
import { describe, expect, it } from 'vitest'
import { failureOf } from '../support/failure-of.ts'
import { lines, useFakeGmail } from '../support/providers/gmail-provider.ts'

const on = useFakeGmail()

describe('the labels of Gmail', () => {
  const modifies = () => on.fake.requests.filter(({ path }) => path.endsWith('/modify'))
  const created = () =>
    on.fake.requests
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/labels'))
      .map(({ body }) => JSON.parse(body).name)

  it('moves in one step: the destination comes, INBOX goes', async () => {
    const id = on.add(lines('Subject: move', '', ''), { labelIds: ['INBOX', 'UNREAD'] })
    expect(await on.gmail.inbox.move(id, 'starred')).toEqual(['UNREAD', 'STARRED'])
    expect(modifies().length).toBe(1)
    expect(await on.gmail.inbox.move(id, 'Inbox')).toEqual(['UNREAD', 'STARRED', 'INBOX'])
    expect(await on.gmail.inbox.label(id, 'Category_Social')).toContain('CATEGORY_SOCIAL')
    expect(created()).toEqual([])
  })

  it('makes what is missing, parents first, beside what is there in another case', async () => {
    const id = on.add(lines('Subject: file', '', ''))
    expect(await on.gmail.inbox.label(id, 'Clients/Acme/2026')).toEqual([
      'INBOX',
      'Clients/Acme/2026',
    ])
    expect(await on.gmail.inbox.label(id, 'clients/ACME/2027')).toContain('Clients/Acme/2027')
    expect(await on.gmail.inbox.move(id, 'CLIENTS/acme/2027')).not.toContain('INBOX')
    expect(created()).toEqual(['Clients', 'Clients/Acme', 'Clients/Acme/2026', 'Clients/Acme/2027'])
    on.fake.mailbox.createLabel('clients')
    expect(await on.gmail.inbox.label(id, 'clients')).toContain('clients')
  })

  it('takes a label that somebody else made at the same moment', async () => {
    const id = on.add(lines('Subject: race', '', ''))
    on.fake.fail({ path: /labels$/, method: 'POST', fault: 'lost-reply', times: 1 })
    expect(await on.gmail.inbox.label(id, 'Raced')).toContain('Raced')
    expect(created()).toEqual(['Raced', 'Raced'])
  })

  it.each(['', '  ', '//', 'a\u0000b', 'a\nb', 'x'.repeat(226)])(
    'refuses %j unasked',
    async (name) => {
      const id = on.add(lines('Subject: bad', '', ''))
      expect(await failureOf(on.gmail.inbox.move(id, name))).toMatchObject({
        code: 'invalid_request',
      })
      expect(on.fake.requests).toEqual([])
    },
  )

  it('refuses what Gmail refuses, and makes no label for a mail that is not there', async () => {
    const id = on.add(lines('Subject: bad', '', ''))
    for (const name of ['SENT', 'draft', 'a//b']) {
      expect(await failureOf(on.gmail.inbox.move(id, name))).toMatchObject({
        code: 'invalid_request',
      })
    }
    expect(await failureOf(on.gmail.inbox.move('gone', 'Fresh'))).toMatchObject({
      code: 'not_found',
    })
    expect(created()).toEqual([])
  })
})
