/** Reading through a Gmail that fails in every way: each to its code, after few requests. */
import { describe, expect, it } from 'vitest'
import { never } from '../support/email/outgoing-mail.ts'
import { failureOf } from '../support/failure-of.ts'
import { FakeGmail } from '../support/providers/fake-gmail.ts'
import type { FaultRule } from '../support/providers/fake-gmail-faults.ts'
import { gmailProvider, lines, mail, useFakeGmail } from '../support/providers/gmail-provider.ts'

const on = useFakeGmail()

const httpDate = (inSeconds: number) => new Date(Date.now() + inSeconds * 1000).toUTCString()

describe('a reading that fails', () => {
  const secret = 'sk-secret-in-the-words-of-google'
  const cases: [string, Omit<FaultRule, 'path'>, object, number][] = [
    ['a bad request', { fault: '400' }, { code: 'invalid_request' }, 1],
    ['a token that is not accepted', { fault: '401' }, { code: 'auth_required' }, 2],
    ['a quota', { fault: '403-quota' }, { code: 'rate_limited' }, 3],
    ['no permission', { fault: '403-permission' }, { code: 'permission_denied' }, 1],
    ['a mail that is not there', { fault: '404' }, { code: 'not_found' }, 1],
    ['429', { fault: '429' }, { code: 'rate_limited' }, 3],
    [
      '429 with a long wait',
      { fault: '429', retryAfter: '77' },
      { code: 'rate_limited', details: { retry_after_seconds: 77 } },
      1,
    ],
    ['429 until a date', { fault: '429', retryAfter: httpDate(3600) }, { code: 'rate_limited' }, 1],
    ['500', { fault: '500' }, { code: 'internal' }, 3],
    ['502', { fault: '502' }, { code: 'internal' }, 3],
    ['503', { fault: '503' }, { code: 'internal' }, 3],
    ['a lost reply', { fault: 'lost-reply' }, { code: 'internal' }, 3],
    ['a reset', { fault: 'reset' }, { code: 'internal' }, 3],
    ['no answer', { fault: 'hang' }, { code: 'internal' }, 1],
    ['HTML', { fault: 'html' }, { code: 'internal' }, 1],
    ['{}', { fault: 'empty' }, { code: 'internal' }, 1],
    ['half a reply', { fault: 'truncated' }, { code: 'internal' }, 1],
    ['a redirect', { fault: 'redirect', location: '/elsewhere' }, { code: 'internal' }, 1],
  ]

  it.each(cases)('tells %s by its code, after few requests', async (_, rule, told, requests) => {
    const id = on.add(lines('Subject: fail', '', ''))
    on.fake.fail({ ...rule, path: /\/(messages|labels)/, message: secret })
    const calls = [
      () => on.gmail.inbox.get(id),
      () => on.gmail.inbox.list({ query: '', limit: 5 }),
      () => on.gmail.inbox.label(id, 'INBOX'),
    ]
    const failures = await Promise.all(calls.map((call) => failureOf(call())))
    for (const failure of failures) {
      expect(failure).toMatchObject(told)
      expect(JSON.stringify(failure) + String(failure)).not.toContain(secret)
    }
    const asked = on.fake.requests.filter(({ path }) => path.startsWith('/gmail/'))
    expect(asked.length).toBe(requests * calls.length)
  })

  it.each<[string, Omit<FaultRule, 'times'>, number]>([
    ['a short wait', { fault: '429', retryAfter: '1' }, 900],
    ['a moment that is near', { fault: '403-quota', retryAfter: httpDate(1) }, 0],
    ['a server that is back', { fault: '503' }, 0],
  ])('goes on after %s', async (_, rule, atLeastMs) => {
    const id = on.add(lines('Subject: again', '', ''))
    on.fake.fail({ ...rule, times: 1 })
    const began = performance.now()
    expect((await on.gmail.inbox.get(id)).subject).toBe('again')
    expect(performance.now() - began).toBeGreaterThan(atLeastMs)
    expect(on.fake.requests.length).toBe(2)
  })

  it('renews a token once for all that need it, and says so where it cannot', async () => {
    for (let count = 0; count < 10; count++) on.add(lines('Subject: renew', '', ''))
    const { refreshes } = on.fake.login
    on.fake.login.expire()
    const { mails } = await on.gmail.inbox.list({ query: 'subject:renew', limit: 10 })
    expect(mails.length).toBe(10)
    expect(on.fake.login.refreshes).toBe(refreshes + 1)
    const stale = on.open({ ...on.fake.login.grant(), expiry_date: Date.now() - 1000 })
    on.fake.requests.length = 0
    await stale.inbox.list({ query: 'subject:nowhere', limit: 1 })
    expect(on.fake.requests.map(({ path }) => path)).toEqual([
      '/token',
      '/gmail/v1/users/me/messages',
    ])
    on.fake.login.isDead = true
    on.fake.login.expire()
    const dead = await failureOf(stale.inbox.list({ query: '', limit: 1 }))
    on.fake.login.isDead = false
    expect(dead).toMatchObject({ code: 'auth_required' })
  })

  it('gives up on a list at the first mail that fails', async () => {
    for (let count = 0; count < 40; count++) on.add(lines('Subject: many', '', ''))
    on.fake.fail({ path: /messages\/./, fault: '403-permission' })
    const failure = await failureOf(on.gmail.inbox.list({ query: 'subject:many', limit: 40 }))
    expect(failure).toMatchObject({ code: 'permission_denied' })
    const asked = on.fake.requests.filter(({ path }) => /messages\/./.test(path))
    expect(asked.length).toBeLessThanOrEqual(8)
  })

  it('takes its token to no other host', async () => {
    const other = await FakeGmail.start()
    on.fake.fail({ fault: 'redirect', location: `${other.url}/gmail/v1/users/me/labels` })
    const calls = [on.gmail.inbox.get('abc'), on.gmail.send(mail(), never)]
    for (const call of calls) await failureOf(call)
    expect(other.requests).toEqual([])
    await other.stop()
  })

  it('tells in words that nobody is there', async () => {
    const gone = await FakeGmail.start()
    const { url } = gone
    await gone.stop()
    const lonely = on.open(on.fake.login.grant(), url)
    expect(await failureOf(lonely.inbox.get('abc'))).toMatchObject({
      code: 'internal',
      message: 'Gmail could not be reached',
    })
    expect(await failureOf(lonely.send(mail(), never))).toMatchObject({
      code: 'send_failed',
      details: { outcome: 'not_sent' },
    })
  })

  it('works below a path, as behind a proxy', async () => {
    const proxied = await FakeGmail.start('/proxy/google')
    const token = proxied.login.grant()
    const behind = gmailProvider({ apiUrl: proxied.url, loginUrl: proxied.url, token })
    const id = proxied.addMail({ raw: 'Subject: far\r\n\r\nx' })
    expect((await behind.inbox.get(id)).subject).toBe('far')
    expect((await behind.send(mail(), never)).message_id).toBe(proxied.sent[0]?.id)
    await proxied.stop()
  })

  it.each(['nonsense', 'ftp://x', 'https://u:p@host', 'https://host/?q'])(
    'refuses the address %j of the API',
    (apiUrl) => {
      const token = on.fake.login.grant()
      expect(() => on.open(token, apiUrl)).toThrow('GMAIL_BASE_URL')
    },
  )
})
