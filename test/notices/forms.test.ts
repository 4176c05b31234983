/** What is posted, to the byte, and what may be in it. */
import { describe, expect, it } from 'vitest'
import { Config } from '../../src/config.ts'
import { destinationOf } from '../../src/notices/destination.ts'
import { TestNotices } from '../support/notices/spool.ts'

const offer = { from: 'bob', project: 'shop' }
const page = 'http://127.0.0.1:8391/'

describe('a notice', () => {
  it('is JSON of kind, project, from, subject and url', async () => {
    const notices = await TestNotices.start()
    await notices.tell('Offer for "Anna" & Söhne', offer)
    await notices.tell('Hi', { kind: 'unknown_send' })
    await notices.tell('Hi', { kind: 'message', from: 'amy', url: 'http://127.0.0.1:1/#m7' })
    await notices.post(notices.poster(page))
    const { came } = notices.receiver
    expect(came.map(({ body }) => body)).toEqual([
      `{"kind":"draft","project":"shop","from":"bob","subject":"Offer for \\"Anna\\" & Söhne","url":"${page}"}`,
      `{"kind":"unknown_send","project":"default","from":"agentmail","subject":"Hi","url":"${page}"}`,
      '{"kind":"message","project":"default","from":"amy","subject":"Hi","url":"http://127.0.0.1:1/#m7"}',
    ])
    expect(came[0]).toMatchObject({ method: 'POST', path: '/secret-path-4711' })
    expect(came[0]?.headers['content-type']).toBe('application/json')
  })

  it('has an empty url where no server runs, and whom and what the settings name', async () => {
    const notices = await TestNotices.start({ AGENTMAIL_AGENT: 'carl', AGENTMAIL_PROJECT: 'p1' })
    await notices.tell('Hi')
    await notices.post()
    expect(notices.receiver.bodies).toEqual([
      { kind: 'draft', project: 'p1', from: 'carl', subject: 'Hi', url: '' },
    ])
  })

  it('is plain text with headers for ntfy', async () => {
    const notices = await TestNotices.start({ AGENTMAIL_NOTIFY_FORMAT: 'ntfy' })
    await notices.tell('Offer to Söhne', offer)
    await notices.tell('Hi', { kind: 'unknown_send', project: 'käse' })
    await notices.tell('Hi', { kind: 'message', project: '=?UTF-8?B?QQ==?=' })
    await notices.post(notices.poster(page))
    await notices.tell('Hi', offer)
    await notices.post()
    const [first, second, third, last] = notices.receiver.came
    expect(first?.body).toBe('bob: Offer to Söhne')
    expect(first?.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      title: 'Draft to approve (shop)',
      click: page,
      tags: 'memo',
    })
    const title = `=?UTF-8?B?${Buffer.from('Mail of unknown outcome (käse)').toString('base64')}?=`
    expect(second?.headers).toMatchObject({ title, tags: 'warning' })
    expect(third?.headers.title).toMatch(/^=\?UTF-8\?B\?[A-Za-z0-9+/=]+\?=$/)
    expect(third?.headers.tags).toBe('envelope')
    expect(last?.headers).not.toHaveProperty('click')
  })

  it('is a text for Slack in which nothing of others is a command', async () => {
    const notices = await TestNotices.start({ AGENTMAIL_NOTIFY_FORMAT: 'Slack' })
    await notices.tell('<!channel> a & b', offer)
    await notices.post(notices.poster(page))
    expect(notices.receiver.came[0]?.body).toBe(
      `{"text":"Draft to approve (shop)\\nbob: &lt;!channel&gt; a &amp; b\\n${page}"}`,
    )
  })

  it('logs in with the user and password of the address, which is not in the request line', async () => {
    const { receiver, ...notices } = await TestNotices.start()
    const named = receiver.url.replace('//', '//anna:p%40ss@')
    const config = new Config({}, { AGENTMAIL_NOTIFY: named, XDG_STATE_HOME: notices.folder })
    const { noticeRequest } = await import('../../src/notices/destination.ts')
    const { exchange } = await import('../../src/system/http-request.ts')
    const destination = destinationOf(config)
    if (!destination) throw new Error('Nobody is told')
    const notice = { kind: 'draft', project: '', from: 'a', subject: 'b', url: '' } as const
    await exchange({ ...noticeRequest(destination, notice), limit: 5000 }, 100)
    const [came] = receiver.came
    expect(came?.headers.authorization).toBe(`Basic ${Buffer.from('anna:p@ss').toString('base64')}`)
    expect(came?.path).toBe('/secret-path-4711')
  })
})

describe('a subject', () => {
  const family = '👨‍👩‍👧‍👦'
  it.each([
    ['a line', 'a\r\n  b\tc\u2028d\u0085e', 'a b c d e'],
    ['without controls', 'a\u0000\u001b[31mb\u202ec\u0007', 'a[31mbc'],
    ['of 80 characters', 'ä'.repeat(81), 'ä'.repeat(80)],
    ['whole at its end', `${'x'.repeat(75)}${family}${family}`, 'x'.repeat(75)],
    ['with what fits', `${'x'.repeat(73)}${family}${family}`, `${'x'.repeat(73)}${family}`],
    ['of pictures', '🇩🇪'.repeat(50), '🇩🇪'.repeat(40)],
    ['without halves', `a\ud83d`, 'a\ufffd'],
    ['of one character without end', `a${'\u0301'.repeat(200)}`, `a${'\u0301'.repeat(79)}`],
    ['empty', ' \n ', ''],
  ])('is %s', async (_, given, posted) => {
    const notices = await TestNotices.start()
    await notices.tell(given)
    await notices.post()
    expect(notices.receiver.subjects).toEqual([posted])
  })

  it('costs little however long it is', async () => {
    const notices = await TestNotices.start()
    await notices.tell('x'.repeat(20_000_000), { from: 'y'.repeat(20_000_000) })
    await notices.post()
    expect(notices.receiver.came[0]?.body.length).toBeLessThan(500)
  })
})

describe('the address', () => {
  const of = (AGENTMAIL_NOTIFY: string, more = {}) =>
    destinationOf(new Config({}, { AGENTMAIL_NOTIFY, ...more }))

  it('is one of http or https', () => {
    for (const wrong of ['ntfy.sh/secret', 'ftp://secret.org', 'file:///secret', 'https://', 'x']) {
      expect(() => of(wrong)).toThrow(/^AGENTMAIL_NOTIFY must be an address that begins with http/)
    }
    expect(() => of('https://a%zz:secret@b.c/')).toThrow('AGENTMAIL_NOTIFY must be')
    expect(of(' https://ntfy.sh/x ')?.url.href).toBe('https://ntfy.sh/x')
    expect(of(' ')).toBeUndefined()
  })

  it('goes with one of three forms', () => {
    expect(of('http://a.b', { AGENTMAIL_NOTIFY_FORMAT: ' NTFY ' })?.format).toBe('ntfy')
    expect(() => of('http://a.b', { AGENTMAIL_NOTIFY_FORMAT: 'xml' })).toThrow(
      'AGENTMAIL_NOTIFY_FORMAT must be one of json, ntfy, slack, not "xml"',
    )
  })

  it('is masked, and marked where it or its form cannot be used', () => {
    const shown = (env: Record<string, string>) =>
      new Config({}, env)
        .inForce()
        .filter(({ name }) => name.startsWith('notify'))
        .map(({ value, invalid }) => ({ value, invalid }))
    expect(shown({ AGENTMAIL_NOTIFY: 'https://a:b@c.d/secret' })).toEqual([
      { value: '********', invalid: undefined },
      { value: 'json', invalid: undefined },
    ])
    expect(shown({ AGENTMAIL_NOTIFY: 'secret', AGENTMAIL_NOTIFY_FORMAT: 'xml' })).toEqual([
      { value: '********', invalid: true },
      { value: 'xml', invalid: true },
    ])
  })
})
