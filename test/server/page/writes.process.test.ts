/** What a write at the page must bring along, and that nothing comes in from other sites. */
import { describe, expect, it } from 'vitest'
import { ask, errorIn } from '../../support/server/http.ts'
import { loginForm, PageVisitor } from '../../support/server/page-visitor.ts'
import { sharedServer, TestServer } from '../../support/server/server.ts'

const token = 'the-token-of-the-writes'
const server = sharedServer()
const guarded = sharedServer({ env: { AGENTMAIL_TOKEN: token } })

/** At a server without a token, and at one with it. */
const visitors = async () => [
  await PageVisitor.enter(server().url),
  await PageVisitor.enter(guarded().url, { token, name: 'Ann' }),
]

describe('a write', () => {
  it('is done with the csrf token of its session', async () => {
    for (const visitor of await visitors()) {
      const reply = await visitor.post('/name', { name: 'Zoë' })
      expect({ status: reply.status, text: reply.text }).toEqual({
        status: 200,
        text: '{"who":"Zoë"}',
      })
      expect(await visitor.who()).toBe('Zoë')
    }
  })

  it('is refused without it, with a wrong one, and with that of another session', async () => {
    for (const visitor of await visitors()) {
      const login = visitor.url === guarded().url ? { token } : undefined
      const other = await PageVisitor.enter(visitor.url, login)
      const before = await visitor.who()
      const secret = visitor.cookie.slice(visitor.cookie.indexOf('=') + 1)
      for (const csrf of ['', 'x', other.csrf, visitor.csrf.slice(1), `${visitor.csrf}x`, secret]) {
        const headers = { 'x-agentmail-page': csrf }
        for (const path of ['/name', '/test', '/logout', '/nothing']) {
          const reply = await visitor.post(path, { name: 'Eve' }, headers)
          expect(reply.status, `${path} ${csrf}`).toBe(403)
          expect(errorIn(reply).message).toMatch(/^x-agentmail-page must be/)
        }
      }
      expect(await visitor.who()).toBe(before)
    }
  })

  it('is refused in a form that a page of another site can send', async () => {
    for (const visitor of await visitors()) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
        expect((await visitor.post('/name', {}, { 'content-type': type })).status, type).toBe(403)
    }
  })

  it('by another method, or to what is read, is refused by name', async () => {
    const [visitor] = await visitors()
    const read = await visitor?.post('/setup')
    expect({ status: read?.status, allow: read?.headers.allow }).toEqual({
      status: 405,
      allow: 'GET',
    })
    const write = await visitor?.get('/name')
    expect({ status: write?.status, allow: write?.headers.allow }).toEqual({
      status: 405,
      allow: 'POST',
    })
    expect((await visitor?.get('/__proto__'))?.status).toBe(404)
    expect((await visitor?.post('/constructor'))?.status).toBe(404)
  })

  it('of a name takes one line of 1 to 255 characters', async () => {
    const [visitor] = await visitors()
    for (const name of ['', ' ', 'a\nb', 'a\u0000', '\u2028', 'x'.repeat(256), 7, null, undefined])
      expect((await visitor?.post('/name', { name }))?.status, String(name)).toBe(400)
    expect((await visitor?.post('/name', { name: 'é'.repeat(255) }))?.status).toBe(200)
  })
})

describe('another site', () => {
  it('may neither read nor write, by what the browser says of it', async () => {
    for (const visitor of await visitors()) {
      for (const site of ['cross-site', 'same-site']) {
        const headers = { 'sec-fetch-site': site }
        for (const path of ['', '/setup', '/nothing'])
          expect((await visitor.get(path, headers)).status, `${site} ${path}`).toBe(403)
        expect((await visitor.post('/name', { name: 'Eve' }, headers)).status, site).toBe(403)
      }
      for (const site of ['same-origin', 'none'])
        expect((await visitor.get('', { 'sec-fetch-site': site })).status, site).toBe(200)
    }
  })

  it('may neither read nor write, by its Origin', async () => {
    for (const visitor of await visitors()) {
      for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:1', 'file://']) {
        expect((await visitor.get('', { origin })).status, origin).toBe(403)
        expect((await visitor.post('/name', { name: 'Eve' }, { origin })).status).toBe(403)
        const form = loginForm({ token })
        const login = await ask(visitor.url, { ...form, headers: { ...form.headers, origin } })
        expect({ origin, status: login.status }).toEqual({ origin, status: 403 })
      }
      const origin = visitor.url
      expect((await visitor.post('/name', { name: 'Ann' }, { origin })).status).toBe(200)
    }
  })

  it('may not try tokens in the name of whoever looks at it', async () => {
    const form = loginForm({ token })
    for (const site of ['cross-site', 'same-site']) {
      const headers = { ...form.headers, 'sec-fetch-site': site }
      const reply = await ask(guarded().url, { ...form, headers })
      expect(reply.status).toBe(403)
      expect(reply.headers).not.toHaveProperty('set-cookie')
    }
  })

  it('is given no answer that it could use in a frame, a script or a window', async () => {
    const [visitor] = await visitors()
    const replies = [
      await visitor?.get(''),
      await visitor?.get('/setup'),
      await visitor?.get('/nothing'),
      await visitor?.post('/name', {}),
      await ask(server().url, { path: '/api/page/setup' }),
      await ask(server().url, { path: '/page.js' }),
      await ask(guarded().url, { path: '/' }),
      await ask(guarded().url, { path: '/login' }),
      await ask(guarded().url, { path: '/', headers: { accept: 'text/html' } }),
      await ask(guarded().url, loginForm({ token })),
    ]
    for (const reply of replies) {
      expect(reply?.headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': expect.stringMatching(
          /default-src 'none'.*base-uri 'none'.*frame-ancestors 'none'/,
        ),
        'cache-control': expect.stringMatching(/^no-(store|cache)$/),
      })
      expect(reply?.headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/)
      expect(Object.keys(reply?.headers ?? {}).join()).not.toContain('access-control')
    }
    for (const reply of replies.slice(0, 5))
      expect(reply?.headers['cache-control']).toBe('no-store')
  })
})

describe('the cookie', () => {
  const flagsIn = (cookie = '') => cookie.split('; ').slice(1).sort()
  const plain = ['HttpOnly', 'Max-Age=86400', 'Path=/', 'SameSite=Strict']

  it('is for this server alone, and for no script', async () => {
    const login = await ask(guarded().url, loginForm({ token }))
    const first = await ask(server().url, { path: '/api/page' })
    for (const { headers } of [login, first]) {
      expect(headers['set-cookie']).toHaveLength(1)
      expect(flagsIn(headers['set-cookie']?.[0])).toEqual(plain)
    }
  })

  it('goes by https alone where it came so, to a proxy whose name was allowed', async () => {
    const env = { AGENTMAIL_ALLOWED_HOSTS: 'mail.example', AGENTMAIL_TOKEN: token }
    const { url } = await TestServer.start({ env })
    const flagsOf = async (host: string, proto: string) => {
      const form = loginForm({ token })
      const headers = { ...form.headers, host, 'x-forwarded-proto': proto }
      return flagsIn((await ask(url, { ...form, headers })).headers['set-cookie']?.[0])
    }
    expect(await flagsOf('mail.example', 'https')).toEqual([...plain, 'Secure'])
    expect(await flagsOf('MAIL.example:443', 'https')).toEqual([...plain, 'Secure'])
    expect(await flagsOf('mail.example', 'https, http')).toEqual([...plain, 'Secure'])
    for (const proto of ['http', 'http, https', 'xhttps', ''])
      expect(await flagsOf('mail.example', proto), proto).toEqual(plain)
    expect(await flagsOf('localhost', 'https')).toEqual(plain)
  })
})
