/** The token of the HTTP server, and the rate at which clients beyond this machine may ask. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { ask, errorIn, outerAddress, type Reply } from '../support/server/http.ts'
import { guardedRoutes, health, routes } from '../support/server/routes.ts'
import { sharedServer, TestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const token = 'S3cret-token.of~the_tests+/='
const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
const withToken = { env: { AGENTMAIL_TOKEN: token } }

describe('without a token', () => {
  const hosts = ['0.0.0.0', '::', '192.0.2.1', 'example.com', '127.0.0.1.example.com', '1']

  it('it listens nowhere beyond loopback', async () => {
    const folder = temporaryFolder()
    const refuse = async (host: string, index: number, env = {}) => {
      const args = ['--port', '0', '--db', join(folder, `${index}.db`), '--host', host]
      const { stdout, stderr, exitCode } = await agentmail(['serve', ...args], { env })
      expect({ host, stdout, exitCode }).toEqual({ host, stdout: '', exitCode: 2 })
      expect(stderr).toContain(`error: refusing to listen on ${host} without a token\n`)
      expect(stderr).toContain('Set AGENTMAIL_TOKEN')
    }
    await Promise.all(hosts.map((host, index) => refuse(host, index)))
    await refuse('0.0.0.0', hosts.length, { AGENTMAIL_TOKEN: '  ' })
  })

  it('the setting in the environment is refused too', async () => {
    const { stderr, exitCode } = await agentmail(
      ['serve', '--port', '0', '--db', join(temporaryFolder(), 'a.db')],
      { env: { AGENTMAIL_HOST: '0.0.0.0' } },
    )
    expect({ stderr, exitCode }).toMatchObject({
      stderr: expect.stringContaining('AGENTMAIL_TOKEN'),
      exitCode: 2,
    })
  })
})

describe('with a token', () => {
  const server = sharedServer(withToken)
  const wrong: Record<string, string>[] = [
    {},
    ...['', ' ', 'x', 'wrong', token.slice(0, -1), `${token}x`, `x${token}`, token.toUpperCase()],
    ...[token.slice(0, -1).concat('!'), `"${token}"`, `${token},${token}`, `${token} ${token}`],
    ...['x'.repeat(10_000), '\u00e9'.repeat(64), 'undefined', 'null', '*', `${token}\t${token}`],
  ].map((given) => (typeof given === 'string' ? bearer(given) : given))
  const inOtherPlaces: Record<string, string>[] = [
    { authorization: token },
    { authorization: 'Bearer' },
    { authorization: `Bearer${token}` },
    { authorization: `Basic ${Buffer.from(`agentmail:${token}`).toString('base64')}` },
    { authorization: `Token ${token}` },
    { cookie: `token=${token}; authorization=Bearer ${token}` },
    { 'x-api-key': token, 'proxy-authorization': `Bearer ${token}`, 'mcp-session-id': token },
  ]

  it('every route but /health answers 401 to whoever has none or a wrong one', async () => {
    for (const given of [...wrong, ...inOtherPlaces]) {
      const label = JSON.stringify(given).slice(0, 100)
      for (const route of guardedRoutes) {
        const reply = await ask(server().url, { ...route, headers: { ...route.headers, ...given } })
        expect(reply.status, `${label} ${route.method} ${route.path}`).toBe(401)
        expect(reply.headers['www-authenticate']).toBe('Bearer')
        if (route.method !== 'HEAD') expect(errorIn(reply).message).toMatch(/^a token is required/)
      }
      expect((await ask(server().url, { ...health, headers: given })).status, label).toBe(200)
    }
    const inQuery = `/?token=${encodeURIComponent(token)}&access_token=${encodeURIComponent(token)}`
    expect((await ask(server().url, { path: inQuery })).status).toBe(401)
  })

  it('every route answers whoever has it', async () => {
    const spellings = [
      `Bearer ${token}`,
      `bearer ${token}`,
      `BEARER   ${token}`,
      `Bearer ${token} `,
    ]
    for (const authorization of spellings) {
      for (const route of routes) {
        const headers = { ...route.headers, authorization }
        const { status } = await ask(server().url, { ...route, headers })
        expect(status, `${route.method} ${route.path}`).toBe(route.status)
      }
    }
  })

  it('a refused call does nothing', async () => {
    const args = { name: 'intruder', role: 'spy' }
    await expect(server().call('register', args)).rejects.toThrow()
    const { text } = await ask(server().url, { path: '/api/agents', headers: bearer(token) })
    expect(JSON.parse(text)).toEqual({ agents: [], has_more: false })
  })

  it.each([
    ['of one character', 'x', 'y'],
    ['of 4,000 characters', 'a'.repeat(4_000), 'a'.repeat(3_999)],
    ['with a space in it', 'two words', 'two'],
  ])('it may be one %s', async (_, own, other) => {
    const server = await TestServer.start({ env: { AGENTMAIL_TOKEN: own } })
    const statusOf = async (given: string) =>
      (await ask(server.url, { path: '/', headers: bearer(given) })).status
    expect(await statusOf(own)).toBe(200)
    expect(await statusOf(other)).toBe(401)
    expect(await statusOf('')).toBe(401)
  })

  it('tells it in no answer, output or file', async () => {
    const server = await TestServer.start({ env: { ...withToken.env, AGENTMAIL_RATE_LIMIT: '9' } })
    const replies: Reply[] = []
    for (const given of [{}, bearer('wrong'), bearer(token), { authorization: token }]) {
      for (const route of routes) {
        const headers = { ...route.headers, ...given }
        replies.push(await ask(server.url, { ...route, headers }))
        replies.push(await ask(server.url, { ...route, headers, body: '{', method: 'POST' }))
      }
    }
    expect(replies.filter((reply) => JSON.stringify(reply).includes(token))).toEqual([])
    const folder = dirname(server.database)
    const files = readdirSync(folder).map((file) => readFileSync(join(folder, file)))
    expect(files.filter((bytes) => bytes.includes(token))).toEqual([])
    const { stdout, stderr } = await server.stop()
    expect(stdout + stderr).not.toContain(token)
  })

  it('tells clients its name and not the token when it starts', async () => {
    const db = join(temporaryFolder(), 'agentmail.db')
    const server = await TestServer.start({ ...withToken, db })
    const args = ['serve', '--db', db, '--port', new URL(server.url).port]
    const second = await agentmail(args, withToken)
    const shown = await agentmail(['config', '--json'], withToken)
    const page = await ask(server.url, { path: '/api/page/setup', headers: bearer(token) })
    expect(page.text).toContain('$AGENTMAIL_TOKEN')
    expect(second).toMatchObject({ stdout: expect.stringContaining('runs already'), exitCode: 0 })
    for (const text of [second.stdout, second.stderr, shown.stdout, page.text])
      expect(text).not.toContain(token)
    expect(existsSync(`${db}.server`)).toBe(true)
  })
})

describe('the rate of clients beyond this machine', () => {
  /** A server that one client may ask 60 times a minute, and its address for others. */
  async function reachable({ skip }: TestContext) {
    const address = outerAddress()
    if (address === undefined) return skip('this machine has no address beyond loopback')
    const env = { ...withToken.env, AGENTMAIL_RATE_LIMIT: '60' }
    const server = await TestServer.start({ env, args: ['--host', '0.0.0.0'] })
    return { server, outer: server.url.replace('127.0.0.1', address) }
  }
  const asked = { path: '/api/agents', headers: bearer(token) }

  /** Asks until it is refused. */
  async function exhaust(url: string, request = asked): Promise<{ taken: number; refused: Reply }> {
    for (let taken = 0; taken < 1_000; taken++) {
      const refused = await ask(url, request)
      if (refused.status === 429) return { taken, refused }
    }
    throw new Error('1,000 requests were taken')
  }

  it('is limited: 429 with the seconds to wait, after which it goes on', async (context) => {
    const { outer } = await reachable(context)
    const { taken, refused } = await exhaust(outer)
    expect(taken).toBeGreaterThanOrEqual(60)
    const seconds = Number(refused.headers['retry-after'])
    expect(seconds).toBeGreaterThanOrEqual(1)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(errorIn(refused).message).toBe(`too many requests: try again in ${seconds} s`)
    const wait = seconds * 1000 + 100
    await new Promise((resolve) => setTimeout(resolve, wait))
    expect((await ask(outer, asked)).status).toBe(200)
  })

  it('counts guesses of the token, and what a client says of itself does not help', async (context) => {
    const { outer } = await reachable(context)
    const guess = { path: '/api/agents', headers: bearer('guess') }
    expect((await ask(outer, guess)).status).toBe(401)
    await exhaust(outer, guess)
    const forwarded = { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' }
    const headers = { ...asked.headers, ...forwarded, 'x-real-ip': '127.0.0.1' }
    const results = await Promise.all(
      Array.from({ length: 20 }, () => ask(outer, { ...asked, headers })),
    )
    expect(results.map(({ status }) => status)).toContain(429)
  })

  it('does not hold up clients on this machine', async (context) => {
    const { server, outer } = await reachable(context)
    await exhaust(outer)
    for (let count = 0; count < 300; count++)
      expect((await ask(server.url, asked)).status).toBe(200)
  })
})

it('a client beyond this machine is answered by its address, and by no other name', async ({
  skip,
}) => {
  const address = outerAddress()
  if (address === undefined) return skip('this machine has no address beyond loopback')
  const server = await TestServer.start({ ...withToken, args: ['--host', '0.0.0.0'] })
  const outer = server.url.replace('127.0.0.1', address)
  const asked = { path: '/', headers: bearer(token) }
  expect((await ask(outer, asked)).status).toBe(200)
  for (const host of ['evil.example', '0.0.0.0', `${address}.`, `${address}.evil.example`]) {
    const headers = { ...asked.headers, host }
    expect((await ask(outer, { ...asked, headers })).status, host).toBe(403)
  }
})
