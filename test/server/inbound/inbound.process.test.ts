/** Mail that comes in by HTTP: who may bring it, what is refused, and that what was taken is on disk, once. */
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentmail } from '../../support/agentmail.ts'
import { afterAllTests } from '../../support/at-end.ts'
import { InboundPlace, inboundSecret, rawMail } from '../../support/email/inbound/inbound-place.ts'
import { postmarkSample } from '../../support/email/inbound/postmark-sample.ts'
import { ask, errorIn, type Reply } from '../../support/server/http.ts'
import { TestServer } from '../../support/server/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const mebibyte = 1 << 20
const taken = { status: 200, text: '{"ok":true}' }

const atEnd = afterAllTests()
let place: InboundPlace
beforeAll(async () => {
  place = await InboundPlace.start({}, atEnd)
})

function* parts(body: Buffer, size = 256 << 10): Generator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

describe('the routes', () => {
  it('are not there without a secret', async () => {
    const server = await TestServer.start()
    const answers = ['/inbound/raw/x', `/inbound/postmark/${inboundSecret}`, '/inbound', '/nothing']
    for (const path of answers) {
      const reply = await ask(server.url, { method: 'POST', path, body: rawMail('x') })
      expect([reply.status, errorIn(reply).message]).toEqual([
        404,
        'not found: there are /mcp, /sse, /health and /',
      ])
    }
  })

  it.each([
    ['nineteen-characters', 'has fewer than 20 characters'],
    ['twenty/characters/long', 'do not fit into an address'],
    ['a secret of many words, and a stop', 'do not fit into an address'],
  ])('keep a server from starting by the secret %j, which is not repeated', async (secret, why) => {
    const { exitCode, stderr } = await agentmail(
      ['serve', '--port', '0', '--db', join(temporaryFolder(), 'a.db')],
      { env: { AGENTMAIL_INBOUND_SECRET: secret } },
    )
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(why) })
    expect(stderr).not.toContain(secret)
  })

  it('need no token, and no other secret will do', async () => {
    const token = 'a-token-of-the-server-itself'
    const { server } = await InboundPlace.start({ AGENTMAIL_TOKEN: token })
    const post = (path: string, headers = {}) =>
      ask(server.url, { method: 'POST', path, headers, body: rawMail('token') })
    expect(await post(`/inbound/raw/${inboundSecret}`)).toMatchObject(taken)
    const basic = Buffer.from(`postmark:${inboundSecret}`).toString('base64')
    for (const [path, headers] of [
      [`/inbound/raw/${token}`, {}],
      ['/inbound/raw/x', { authorization: `Bearer ${token}` }],
      ['/inbound/raw/x', { authorization: `Basic ${basic}` }],
      [`/inbound/raw/x?secret=${inboundSecret}`, {}],
    ] as const)
      expect((await post(path, headers)).status).toBe(403)
    expect((await post('/mcp')).status).toBe(401)
  })

  it('refuse a wrong secret, of whatever length, and anything but POST', async () => {
    const { server } = await InboundPlace.start()
    const post = (secret: string, method = 'POST') =>
      ask(server.url, { method, path: `/inbound/raw/${secret}`, body: rawMail('wrong') })
    for (const wrong of [
      'x',
      inboundSecret.slice(0, -1),
      `${inboundSecret}x`,
      `${inboundSecret}/`,
      inboundSecret.toUpperCase(),
      'x'.repeat(8000),
    ]) {
      const reply = await post(wrong)
      expect([reply.status, errorIn(reply).message]).toEqual([
        403,
        'this is not the secret of this server',
      ])
    }
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await post(inboundSecret, method)).status).toBe(405)
    for (const path of [
      '/inbound',
      '/inbound/',
      '/inbound/raw',
      '/inbound/raw/',
      '/inbound/mbox/x',
    ])
      expect((await ask(server.url, { method: 'POST', path, body: 'x' })).status).toBe(404)
  })

  it('hold to Host and Origin as the others do', async () => {
    const post = (headers: Record<string, string>) => place.post(rawMail('host'), { headers })
    expect((await post({ host: 'evil.example' })).status).toBe(403)
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await post({ origin: 'null' })).status).toBe(403)
    const named = await InboundPlace.start({ AGENTMAIL_ALLOWED_HOSTS: 'mail.example.com' })
    expect(
      await named.post(rawMail('host'), { headers: { host: 'mail.example.com' } }),
    ).toMatchObject(taken)
  })

  it('are all that somebody beyond this machine reaches, where there is no token', async () => {
    const beyond = [
      { host: 'mail.example.com' },
      { 'x-forwarded-for': '203.0.113.9' },
      { forwarded: 'for=203.0.113.9' },
    ]
    const env = { AGENTMAIL_ALLOWED_HOSTS: 'mail.example.com' }
    const named = await InboundPlace.start(env)
    const paths = ['/', '/login', '/api/page', '/api/agents', '/mcp', '/sse', '/hooks/claude']
    const statuses = (url: string, headers: Record<string, string>, all: string[]) =>
      Promise.all(all.map(async (path) => (await ask(url, { path, headers })).status))
    for (const headers of beyond) {
      expect(await named.post(rawMail('beyond'), { headers })).toMatchObject(taken)
      expect(await statuses(named.server.url, headers, paths)).toEqual(paths.map(() => 403))
      expect(await statuses(named.server.url, headers, ['/health'])).toEqual([200])
    }
    expect(await statuses(named.server.url, {}, ['/', '/api/agents'])).toEqual([200, 200])
    const guarded = await InboundPlace.start({ ...env, AGENTMAIL_TOKEN: 'a-token-of-the-server' })
    const token = { authorization: 'Bearer a-token-of-the-server' }
    const without = await TestServer.start({ env })
    for (const headers of beyond) {
      const agents = ['/api/agents']
      expect(await statuses(guarded.server.url, headers, agents)).toEqual([401])
      expect(await statuses(guarded.server.url, { ...headers, ...token }, agents)).toEqual([200])
      expect(await statuses(without.url, headers, agents)).toEqual([200])
    }
  })

  it('slow guesses down, and not the one who knows', async () => {
    const own = await InboundPlace.start({ AGENTMAIL_INBOUND_RATE: '5' })
    const untilRefused = async (post: (count: number) => Promise<Reply>) => {
      for (let count = 0; count < 100; count++) {
        const reply = await post(count)
        if (reply.status === 429) return { ...reply, count }
      }
      throw new Error('nobody was refused')
    }
    const refused = { status: 429, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } }
    const guess = (count: number) => own.post(rawMail('guess'), { secret: `guess-${count}` })
    const guessed = await untilRefused(guess)
    expect(guessed).toMatchObject(refused)
    expect(guessed.count).toBeGreaterThanOrEqual(10)
    expect(own.names()).toEqual([])
    const brought = await untilRefused((count) => own.post(rawMail(`rate-${count}`)))
    expect(brought).toMatchObject(refused)
    expect(brought.count).toBeGreaterThanOrEqual(5)
    expect(own.names()).toHaveLength(brought.count)
  })
})

describe('a body', () => {
  it('of 25 MB is taken, and one byte more is not, with and without a length', async () => {
    const own = await InboundPlace.start()
    const head = rawMail('large', '')
    const fitting = Buffer.alloc(25 * mebibyte, 'x\n')
    fitting.write(head)
    const tooLarge = Buffer.concat([fitting, Buffer.from('x')])
    expect(await own.post(fitting)).toMatchObject(taken)
    expect(await own.post(fitting, { body: parts(fitting) })).toMatchObject(taken)
    expect(own.names()).toHaveLength(1)
    for (const reply of [
      await own.post(tooLarge),
      await own.post(tooLarge, { body: parts(tooLarge) }),
      await own.post({}, { body: parts(tooLarge) }),
    ]) {
      expect(reply.status).toBe(413)
      expect(errorIn(reply).message).toBe('the body is larger than 26214400 bytes')
    }
    expect(own.names()).toHaveLength(1)
    expect((await own.post(rawMail('after'))).status).toBe(200)
  })

  it('that ends early is stored by nobody, and its secret is not logged', async () => {
    const own = await InboundPlace.start()
    for (const form of ['raw', 'postmark']) {
      const socket = connect(Number(new URL(own.server.url).port), '127.0.0.1')
      const head = `POST /inbound/${form}/${inboundSecret}?${inboundSecret} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`
      await new Promise<void>((resolve) => socket.write(`${head}From: x`, () => resolve()))
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.destroy()
      await closed
    }
    expect((await own.post(rawMail('after'))).status).toBe(200)
    const { stderr } = await own.server.stop()
    expect(stderr).toContain('a client went before its body had come: POST /inbound/…')
    expect(stderr).not.toContain(inboundSecret)
    expect(own.names()).toHaveLength(1)
  })

  it.each([
    ['no mail', 'just words'],
    ['nothing', ''],
    ['JSON', '{"From": "a@b.c"}'],
  ])('that is %s is refused as a mail', async (_, body) => {
    const reply = await place.post(body)
    expect([reply.status, errorIn(reply).message]).toEqual([
      400,
      expect.stringContaining('this is no mail'),
    ])
  })

  it('that is compressed, or called something else, is refused', async () => {
    const gzip = { 'content-encoding': 'gzip' }
    expect((await place.post(rawMail('gzip'), { headers: gzip })).status).toBe(415)
    expect((await place.post(postmarkSample, { headers: gzip })).status).toBe(415)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await place.post(postmarkSample, { headers: form })).status).toBe(415)
    expect(await place.post(rawMail('curl'), { headers: form })).toMatchObject(taken)
  })
})

describe('a mail', () => {
  it('that is brought twenty times at once is there once, by either route', async () => {
    const own = await InboundPlace.start()
    const all = Array.from({ length: 20 }, () => [
      own.post(rawMail('twenty')),
      own.post(postmarkSample),
    ])
    for (const reply of await Promise.all(all.flat())) expect(reply).toMatchObject(taken)
    expect(own.names()).toHaveLength(2)
    await own.server.stop()
    await own.restart()
    expect(await own.post(postmarkSample)).toMatchObject(taken)
    expect(await own.post(rawMail('twenty').replaceAll('\r\n', '\n'))).toMatchObject(taken)
    expect(own.names()).toHaveLength(2)
    expect(await own.post({ ...postmarkSample, MessageID: 'another' })).toMatchObject(taken)
    expect(await own.post(rawMail('twenty', 'other words'))).toMatchObject(taken)
    expect(own.names()).toHaveLength(4)
  })

  it('is refused with words while it cannot be stored, and taken when it can', async () => {
    const own = await InboundPlace.start()
    expect(await own.post(rawMail('before'))).toMatchObject(taken)
    const away = `${own.mailDir}-away`
    renameSync(own.mailDir, away)
    writeFileSync(own.mailDir, '')
    const reply = await own.post(rawMail('no folder'))
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
    expect(errorIn(reply).message).toContain('is not a folder')
    expect(reply.text).not.toContain(own.folder)
    rmSync(own.mailDir)
    renameSync(away, own.mailDir)
    expect(await own.post(rawMail('no folder'))).toMatchObject(taken)
    expect(own.names()).toHaveLength(2)
  })

  it('has a place in the post office of a repository, or the server says that it has none', async () => {
    const homeless = await InboundPlace.start({ AGENTMAIL_MAIL_DIR: undefined })
    const reply = await homeless.post(rawMail('homeless'))
    expect([reply.status, errorIn(reply).message]).toEqual([
      503,
      expect.stringContaining('there is no place for local mail'),
    ])
    expect((await homeless.server.stop()).stderr).toContain(
      'mail that comes in at /inbound is refused: there is no place for local mail. Set AGENTMAIL_MAIL_DIR',
    )
    const elsewhere = await InboundPlace.start({ AGENTMAIL_MAIL: 'gmail' })
    expect((await elsewhere.server.stop()).stderr).toContain(
      `goes to ${elsewhere.mailDir}, which AGENTMAIL_MAIL=local reads`,
    )
  })

  it('is for its owner alone, and as it came', async () => {
    const own = await InboundPlace.start()
    await own.post(rawMail('owner'))
    const [name = ''] = own.names()
    expect(statSync(join(own.mailDir, 'inbox', name)).mode & 0o777).toBe(0o600)
    expect(own.stored()).toEqual([rawMail('owner')])
  })
})
