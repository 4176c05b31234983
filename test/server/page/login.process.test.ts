/** The login of a server that has a token: its form, what it takes, and how often it may be wrong. */
import { userInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import { ask, errorIn } from '../../support/server/http.ts'
import { cookieIn, loginForm, PageVisitor } from '../../support/server/page-visitor.ts'
import { sharedServer, TestServer } from '../../support/server/server.ts'

const token = 'two words & <more>'
const withToken = { env: { AGENTMAIL_TOKEN: token } }
const server = sharedServer(withToken)
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the form', () => {
  it('is what a browser is shown instead of the page', async () => {
    const shown = await ask(server().url, { path: '/', headers: html })
    expect(shown.status).toBe(401)
    expect(shown.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'www-authenticate': 'Bearer',
      'cache-control': 'no-store',
    })
    expect(shown.text).toContain('<form method="post" action="/login">')
    const asked = await ask(server().url, { path: '/login' })
    expect({ status: asked.status, text: asked.text }).toEqual({ status: 200, text: shown.text })
    expect((await ask(server().url, { path: '/login', method: 'HEAD' })).text).toBe('')
    for (const path of ['/page.js', '/page.css', '/api/page'])
      expect(errorIn(await ask(server().url, { path, headers: html })).message).toMatch(/^a token/)
  })

  it('brings its own style along and allows no other, and no script that stands in it', async () => {
    const { text, headers } = await ask(server().url, { path: '/login' })
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/; script-src 'self'; style-src 'sha256-[\w+/]{43}='; /)
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=/i)
    expect((await ask(server().url, { path: '/login.js' })).status).toBe(200)
  })

  it('leads to the page whoever is in already', async () => {
    const { cookie } = await PageVisitor.enter(server().url, { token })
    const { status, headers } = await ask(server().url, { path: '/login', headers: { cookie } })
    expect({ status, location: headers.location }).toEqual({ status: 303, location: '/' })
  })
})

describe('what it sends', () => {
  it('opens a session under the name that was given, else under that of the user', async () => {
    const login = await ask(server().url, loginForm({ token, name: ' Zoë Ng ' }))
    expect(login).toMatchObject({ status: 303, headers: { location: '/' } })
    expect(await (await PageVisitor.enter(server().url, { token, name: ' Zoë Ng ' })).who()).toBe(
      'Zoë Ng',
    )
    const unnamed = await PageVisitor.enter(server().url, { token, name: '  ' })
    expect(await unnamed.who()).toBe(userInfo().username)
  })

  it('is refused with words where the name is none, the form is another, or it is too large', async () => {
    const statusOf = async (fields: Record<string, string>) => {
      const reply = await ask(server().url, loginForm(fields))
      expect(cookieIn(reply)).toBe('')
      return reply.status
    }
    expect(await statusOf({ token, name: 'a\nb' })).toBe(400)
    expect(await statusOf({ token, name: 'x'.repeat(256) })).toBe(400)
    expect(await statusOf({ token, name: 'x'.repeat(9000) })).toBe(413)
    const form = loginForm({ token })
    for (const type of ['text/plain', 'application/json', 'multipart/form-data'])
      expect((await ask(server().url, { ...form, headers: { 'content-type': type } })).status).toBe(
        415,
      )
    const put = await ask(server().url, { ...form, method: 'PUT' })
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD, POST'])
  })

  it('may be wrong ten times a minute, and is then not looked at', async () => {
    const { url } = await TestServer.start(withToken)
    const wrong = ['', ' ', 'x', token.slice(1), `${token}x`, token.toUpperCase(), '__proto__']
    for (const given of [...wrong, 'a', 'b', 'c']) {
      const reply = await ask(url, loginForm({ token: given, name: 'Eve' }))
      expect(reply.status, given).toBe(401)
      expect(reply.headers['www-authenticate']).toBe('Bearer')
      expect(reply.text).toMatch(/role="alert"[^>]*>That is not the token\./)
      expect(cookieIn(reply)).toBe('')
    }
    for (const given of ['d', token]) {
      const late = await ask(url, loginForm({ token: given }))
      expect(late.status).toBe(429)
      expect(late.text).toMatch(
        /role="alert"[^>]*>There were too many wrong tries: try again in \d+ s\./,
      )
      expect(Number(late.headers['retry-after'])).toBeLessThanOrEqual(60)
      expect(cookieIn(late)).toBe('')
    }
    const headers = { authorization: `Bearer ${token}` }
    expect((await ask(url, { path: '/', headers })).status).toBe(200)
  })

  it('may be right any number of times', async () => {
    const { url } = await TestServer.start(withToken)
    for (let times = 0; times < 30; times++)
      expect((await ask(url, loginForm({ token }))).status).toBe(303)
  })
})
