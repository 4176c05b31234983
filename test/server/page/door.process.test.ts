/** The door of the page: who comes in, with and without a token, and that no other site does. */
import { readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Asked, ask, errorIn, type Reply } from '../../support/server/http.ts'
import { cookieIn, loginForm, PageVisitor } from '../../support/server/page-visitor.ts'
import { sharedServer, TestServer } from '../../support/server/server.ts'

const token = 'S3cret-token.of~the_page+/='
const withToken = { env: { AGENTMAIL_TOKEN: token } }
const bearer = { authorization: `Bearer ${token}` }
const json = { 'content-type': 'application/json' }

const files = ['/', '/page.js', '/page.css']
const reads = ['', '/setup', '/doctor?project=nowhere']
const writes: [path: string, body: object][] = [
  ['/name', { name: 'Ann' }],
  ['/test', { project: 'nowhere' }],
  ['/logout', {}],
]
const asked: Asked[] = [
  ...files.map((path) => ({ path })),
  ...reads.map((path) => ({ path: `/api/page${path}` })),
  ...writes.map(([path, body]) => ({
    ...{ method: 'POST', path: `/api/page${path}` },
    ...{ headers: json, body: JSON.stringify(body) },
  })),
]

const dataIn = ({ text }: Reply): unknown => JSON.parse(text).error.data

describe('with a token', () => {
  const server = sharedServer(withToken)
  const enter = (name = '') => PageVisitor.enter(server().url, { token, name })

  it('whoever has neither it nor a session is refused everywhere', async () => {
    const { cookie } = await enter()
    const [name = ''] = cookie.split('=')
    const wrong: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wrong' },
      { cookie: `${name}=wrong` },
      { cookie: `${name}=` },
      { cookie: `${name}=${token}` },
      { cookie: `${cookie}x` },
      { cookie: cookie.replace('=', '0=') },
      { 'x-agentmail-page': token },
    ]
    for (const headers of wrong) {
      for (const one of asked) {
        const reply = await ask(server().url, { ...one, headers: { ...one.headers, ...headers } })
        expect(reply.status, `${JSON.stringify(headers)} ${one.path}`).toBe(401)
        expect(reply.headers['www-authenticate']).toBe('Bearer')
        expect(errorIn(reply).message).toMatch(/^a token is required/)
        if (one.path.startsWith('/api/')) expect(dataIn(reply)).toEqual({ code: 'login' })
      }
    }
  })

  it('a session opens the page and what it asks, and nothing else', async () => {
    const { cookie, csrf } = await enter()
    const own = { cookie, 'x-agentmail-page': csrf }
    for (const path of files)
      expect((await ask(server().url, { path, headers: own })).status, path).toBe(200)
    for (const [path, status] of [
      ['/api/page', 200],
      ['/api/page/setup', 200],
      ['/api/page/doctor?project=nowhere', 404],
      ['/api/page/nothing', 404],
      ['/api/page/', 404],
      ['/api/agents', 401],
      ['/api/projects', 401],
      ['/api/hello', 401],
      ['/sse', 401],
    ] as const) {
      expect((await ask(server().url, { path, headers: own })).status, path).toBe(status)
    }
    for (const path of ['/mcp', '/api/call', '/api/leave', '/hooks/claude']) {
      const call = { method: 'POST', path, headers: { ...json, ...own }, body: '{}' }
      expect((await ask(server().url, call)).status, path).toBe(401)
    }
    const health = JSON.parse((await ask(server().url, { path: '/health', headers: own })).text)
    expect(health).not.toHaveProperty('database')
  })

  it('the token alone opens it too, for programs that say who they are', async () => {
    const named = { ...bearer, ...json, 'x-agentmail-name': encodeURIComponent('Zoë Ng') }
    for (const path of files)
      expect((await ask(server().url, { path, headers: bearer })).status, path).toBe(200)
    const boot = await ask(server().url, { path: '/api/page', headers: named })
    expect(JSON.parse(boot.text)).toMatchObject({ who: 'Zoë Ng', csrf: '', has_token: true })
    expect(boot.headers).not.toHaveProperty('set-cookie')
    const unnamed = await ask(server().url, { path: '/api/page', headers: bearer })
    expect(JSON.parse(unnamed.text)).toMatchObject({ who: userInfo().username })
    for (const name of ['%', '%0a', '%00', 'x'.repeat(256), ' ']) {
      const headers = { ...bearer, 'x-agentmail-name': name }
      expect((await ask(server().url, { path: '/api/page', headers })).status, name).toBe(400)
    }
    const body = JSON.stringify({ project: 'nowhere' })
    const write = { method: 'POST', path: '/api/page/test', body }
    expect((await ask(server().url, { ...write, headers: named })).status).toBe(404)
    const plain = { ...bearer, 'content-type': 'text/plain' }
    expect((await ask(server().url, { ...write, headers: plain })).status).toBe(403)
    const rename = { ...write, path: '/api/page/name', body: '{"name":"x"}', headers: named }
    expect(errorIn(await ask(server().url, rename)).message).toContain('x-agentmail-name')
  })

  it('a session ends by logout, and no other does', async () => {
    const [ann, bob] = [await enter('Ann'), await enter('Bob')]
    const out = await ann.post('/logout')
    expect(out.status).toBe(200)
    expect(out.headers['set-cookie']?.[0]).toMatch(/^agentmail_page_\d+=; Max-Age=0; /)
    expect((await ann.get('')).status).toBe(401)
    expect((await ask(ann.url, { path: '/', headers: { cookie: ann.cookie } })).status).toBe(401)
    expect((await bob.get('')).status).toBe(200)
  })

  it('a login begins a new session and ends the one before', async () => {
    const ann = await enter('Ann')
    const form = loginForm({ token, name: 'Ann' })
    const headers = { ...form.headers, cookie: ann.cookie }
    const again = await ask(ann.url, { ...form, headers })
    expect(cookieIn(again)).not.toBe(ann.cookie)
    expect((await ann.get('')).status).toBe(401)
  })

  it('tells the token in no answer, output or file, and no session in a file', async () => {
    const own = await TestServer.start(withToken)
    const { cookie, csrf } = await PageVisitor.enter(own.url, { token, name: 'Ann' })
    const replies: Reply[] = []
    for (const headers of [{}, bearer, { cookie }, { cookie, 'x-agentmail-page': csrf }]) {
      for (const one of [...asked, { path: '/login' }])
        replies.push(await ask(own.url, { ...one, headers: { ...one.headers, ...headers } }))
    }
    replies.push(await ask(own.url, loginForm({ token: 'wrong', name: token })))
    expect(replies.filter((reply) => JSON.stringify(reply).includes(token))).toEqual([])
    const folder = dirname(own.database)
    const kept = readdirSync(folder).map((file) => readFileSync(join(folder, file)))
    const secret = cookie.slice(cookie.indexOf('=') + 1)
    for (const text of [token, secret, csrf])
      expect(kept.filter((bytes) => bytes.includes(text))).toEqual([])
    const { stdout, stderr } = await own.stop()
    expect(stdout + stderr).not.toContain(token)
    expect(stdout + stderr).not.toContain(secret)
  })
})

describe('without a token', () => {
  const server = sharedServer()

  it('the first question begins a session, and all others need one', async () => {
    for (const one of asked.filter(({ path }) => /^\/api\/page\/./.test(path))) {
      const reply = await ask(server().url, one)
      expect(reply.status, one.path).toBe(401)
      expect(dataIn(reply)).toEqual({ code: 'login' })
      expect(reply.headers).not.toHaveProperty('set-cookie')
    }
    const visitor = await PageVisitor.enter(server().url)
    expect(await visitor.who()).toBe(userInfo().username)
    expect(visitor.csrf).toMatch(/^[0-9A-Za-z]{43}$/)
    expect((await visitor.get('')).headers).not.toHaveProperty('set-cookie')
    expect((await visitor.get('/setup')).status).toBe(200)
  })

  it('what looks like the token of one that has it opens nothing', async () => {
    const headers = { ...json, authorization: 'Bearer x', 'x-agentmail-name': 'Eve' }
    for (const [path, body] of writes) {
      const call = { method: 'POST', path: `/api/page${path}`, headers, body: JSON.stringify(body) }
      expect((await ask(server().url, call)).status, path).toBe(401)
    }
    const boot = await ask(server().url, { path: '/api/page', headers })
    expect(JSON.parse(boot.text)).toMatchObject({ who: userInfo().username })
  })

  it('there is no login: it leads to the page', async () => {
    for (const one of [{ path: '/login' }, loginForm({ token: 'x' })]) {
      const { status, headers } = await ask(server().url, one)
      expect({ status, location: headers.location }).toEqual({ status: 303, location: '/' })
      expect(headers).not.toHaveProperty('set-cookie')
    }
  })

  it('the session of one server is nothing to another, nor to the next at its place', async () => {
    const other = await TestServer.start()
    const visitor = await PageVisitor.enter(other.url)
    const secret = visitor.cookie.slice(visitor.cookie.indexOf('='))
    const cookie = `agentmail_page_${new URL(server().url).port}${secret}`
    const foreign = { path: '/api/page/setup', headers: { cookie } }
    expect((await ask(server().url, foreign)).status).toBe(401)
    await other.stop()
    const next = await TestServer.start({
      ...{ db: other.database, args: ['--port', new URL(other.url).port] },
    })
    expect(next.url).toBe(other.url)
    expect((await visitor.get('/setup')).status).toBe(401)
    expect((await PageVisitor.enter(next.url)).cookie).not.toBe(visitor.cookie)
  })

  it('two servers of one machine have cookies of their own names', async () => {
    const other = await PageVisitor.enter((await TestServer.start()).url)
    const own = await PageVisitor.enter(server().url)
    const both = { cookie: `${other.cookie}; ${own.cookie}` }
    expect((await own.get('/setup', both)).status).toBe(200)
    expect((await other.get('/setup', both)).status).toBe(200)
  })
})
