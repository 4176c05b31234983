/** Reading mail through Gmail: what only Gmail has, beside the suite of all inboxes. */
import { describe, expect, it } from 'vitest'
import { nested } from '../suites/inbox/reading.ts'
import { failureOf } from '../support/failure-of.ts'
import { lines, useFakeGmail } from '../support/providers/gmail-provider.ts'

const on = useFakeGmail()

describe('the inbox of Gmail', () => {
  it('lists in order, page after page, and leaves out what vanished in between', async () => {
    const subjects = Array.from({ length: 12 }, (_, index) => `Page ${index}`)
    const ids = subjects.map((subject, index) =>
      on.add(lines(`Subject: ${subject}`, 'From: a@b.c', 'X: paged', '', 'paging'), {
        internalDate: Date.UTC(2026, 0, 1, 0, 0, index),
        snippet: 'Tom &amp; Ann&#39;s &lt;tea&gt; &amp;amp; &#x1F375; &bogus;',
      }),
    )
    on.fake.fail({ path: new RegExp(`/${ids[10]}$`), fault: '404' })
    const first = await on.gmail.inbox.list({ query: 'paging', limit: 10 })
    expect(first.mails.map(({ subject }) => subject)).toEqual(
      [11, 9, 8, 7, 6, 5, 4, 3, 2].map((index) => `Page ${index}`),
    )
    expect(first.mails[0]).toEqual({
      id: ids[11],
      subject: 'Page 11',
      sender: 'a@b.c',
      date: '2026-01-01T00:00:11.000Z',
      snippet: "Tom & Ann's <tea> &amp; 🍵 &bogus;",
    })
    const page_token = first.next_page_token
    const second = await on.gmail.inbox.list({ query: 'paging', limit: 10, page_token })
    expect(second.mails.map(({ id }) => id)).toEqual([ids[1], ids[0]])
    expect(second.next_page_token).toBeUndefined()
    expect(await on.gmail.inbox.list({ query: 'subject:nowhere', limit: 5 })).toEqual({ mails: [] })
  })

  it('finds text, HTML and attachments in nested parts, also where bodies are kept apart', async () => {
    for (const bodiesApart of [false, true]) {
      const read = await on.read(nested, { bodiesApart })
      expect(read.text?.trim()).toBe('costs € 5')
      expect(read.html?.trim()).toBe('<p>costs € 5</p>')
      expect(read.attachment_names).toEqual(['notes.txt', '€ list.pdf', 'message.eml'])
    }
    expect(on.fake.requests.filter(({ path }) => path.includes('/attachments/')).length).toBe(2)
  })

  it('takes a body for UTF-8 whatever it declares, since Gmail has made it so', async () => {
    const head = Buffer.from('Content-Type: text/plain; charset="iso-8859-1"\r\n\r\n')
    expect((await on.read(Buffer.concat([head, Buffer.from('naïve €')]))).text).toBe('naïve €')
  })

  it('only asks when it reads', async () => {
    const id = on.add(lines('Subject: new', '', 'x'), { labelIds: ['INBOX', 'UNREAD'] })
    await on.gmail.inbox.get(id)
    await on.gmail.inbox.original(id)
    await on.gmail.inbox.list({ query: 'is:unread', limit: 10 })
    expect(new Set(on.fake.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
  })

  it.each(['', '../labels', 'a/b', 'a?b', 'é', 'a'.repeat(129)])(
    'refuses the id %j',
    async (id) => {
      const calls = [
        on.gmail.inbox.get(id),
        on.gmail.inbox.original(id),
        on.gmail.inbox.move(id, 'INBOX'),
        on.gmail.inbox.label(id, 'INBOX'),
      ]
      for (const call of calls) {
        expect(await failureOf(call)).toMatchObject({ code: 'invalid_request' })
      }
      expect(on.fake.requests).toEqual([])
    },
  )

  it('survives parts that are nested too deep, or are none', async () => {
    const id = on.add(lines('Subject: odd', '', 'x'))
    const stored = on.fake.mailbox.mails.get(id)
    if (!stored) throw new Error('it was added')
    const { payload } = stored
    const layer = (parts: unknown[]) =>
      Object.assign(structuredClone(payload), {
        mimeType: 'multipart/mixed',
        body: {},
        parts,
      })
    let deep = layer([])
    for (let depth = 0; depth < 2000; depth++) deep = layer([deep])
    stored.payload = deep
    expect((await on.gmail.inbox.get(id)).text).toBeUndefined()
    stored.payload = layer([null, 7, 'x', { mimeType: 3, headers: 'no', body: [], parts: {} }])
    expect((await on.gmail.inbox.get(id)).subject).toBe('odd')
    Reflect.deleteProperty(stored, 'payload')
    expect(await failureOf(on.gmail.inbox.get(id))).toMatchObject({ code: 'internal' })
    on.fake.mailbox.mails.delete(id)
  })
})
