/** Bodies that the HTTP server refuses: too big, too deep, of another kind; told to the client, and with flat memory. */
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { requestLine } from '../support/mcp/protocol.ts'
import { answersIn, ask, callHeaders, errorIn, exchange } from '../support/server/http.ts'
import { sharedServer, TestServer } from '../support/server/server.ts'
import { SseClient } from '../support/server/sse-client.ts'

const mebibyte = 1 << 20
const headers = callHeaders('legacy')
const server = sharedServer()

/** A request of exactly that size, with a method that does not exist. */
function sized(bytes: number): string {
  const frame = requestLine('sized', 'x')
  return frame.replace('"x"', `"${'x'.repeat(bytes - frame.length + 1)}"`)
}

/** In parts, so that no length is sent before them. */
function* parts(body: Buffer, size = 64 << 10): Generator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

const post = (body: string | Buffer | Iterable<Buffer>, more: Record<string, string> = {}) =>
  ask(server().url, { method: 'POST', path: '/mcp', headers: { ...headers, ...more }, body })

describe('a body over 1 MiB', () => {
  /** Everywhere a body is read; each answers one of the right size in its own way. */
  const routes: [path: string, open: () => Promise<string>][] = [
    ['/mcp', async () => '/mcp'],
    ['/mcp/other', async () => '/mcp/other'],
    ['/messages', async () => (await SseClient.open(server().url)).endpoint],
    ['/api/leave', async () => '/api/leave'],
  ]
  async function expectLimit(path: string, agent: Agent, more: Record<string, string> = {}) {
    onTestFinished(() => agent.destroy())
    const send = (body: string | Iterable<Buffer>) =>
      ask(server().url, { method: 'POST', path, headers: { ...headers, ...more }, body, agent })
    for (const fitting of [sized(mebibyte), parts(Buffer.from(sized(mebibyte)))])
      expect([200, 202, 400]).toContain((await send(fitting)).status)
    for (const size of [mebibyte + 1, 8 * mebibyte]) {
      for (const body of [sized(size), parts(Buffer.from(sized(size)))]) {
        const reply = await send(body)
        expect(reply.status).toBe(413)
        expect(errorIn(reply).message).toBe('the body is larger than 1048576 bytes')
      }
    }
  }

  it.each(routes)('is refused with 413 at %s, and exactly 1 MiB is not', async (_, open) => {
    await expectLimit(await open(), new Agent({ keepAlive: true }))
  })

  it('is refused so that a client reads it that uses the connection once', async () => {
    await expectLimit('/mcp', new Agent({ keepAlive: false }), { connection: 'close' })
  })

  it('is refused by its length before it comes', async () => {
    const head = [
      'POST /mcp HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${mebibyte + 1}`,
    ]
    const socket = connect(Number(new URL(server().url).port), '127.0.0.1')
    onTestFinished(() => {
      socket.destroy()
    })
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    const first = await new Promise((resolve) => socket.once('data', resolve))
    expect(String(first)).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('is answered to whoever first asks whether to send it', async () => {
    const reply = await post(parts(Buffer.from(sized(2 * mebibyte))), { expect: '100-continue' })
    expect(reply.status).toBe(413)
  })

  it('is refused where its length is a lie or no number', async () => {
    for (const length of ['99999999999999999999', '-1', '1e3', '0x10', '5, 6', 'many', '']) {
      const request = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n{}`
      expect(await exchange(server().url, request), length).toMatch(/^HTTP\/1\.1 4(?:00|13) /)
    }
  })
})

describe('JSON nested over 100 deep', () => {
  const nestings: [name: string, at: (depth: number) => string][] = [
    ['arrays', (depth) => '['.repeat(depth) + ']'.repeat(depth)],
    ['objects', (depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`],
    ['both', (depth) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`],
    ['arrays that never end', (depth) => '['.repeat(depth)],
    ['arrays after text with brackets', (depth) => `["]]]\\"]]",${'['.repeat(depth - 1)}`],
  ]

  it.each(nestings)('is refused with 400 and -32600: %s', async (_, at) => {
    for (const depth of [102, 1_000, 10_000, 150_000]) {
      const reply = await post(at(depth))
      expect({ depth, status: reply.status }).toEqual({ depth, status: 400 })
      expect(errorIn(reply)).toEqual({
        code: -32600,
        message: 'Message is nested deeper than 100 levels',
      })
    }
  })

  it('is refused over SSE and beyond the tools too', async () => {
    const client = await SseClient.open(server().url)
    for (const path of [client.endpoint, '/api/leave']) {
      const body = '['.repeat(10_000)
      const reply = await ask(server().url, { method: 'POST', path, headers, body })
      expect({ path, status: reply.status }).toEqual({ path, status: 400 })
      expect(errorIn(reply).code).toBe(-32600)
    }
  })

  it('is taken at 100, and brackets in text do not count', async () => {
    const args = (value: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_file_claims","arguments":{"files":${value}}}}`
    const deepest = await post(args('['.repeat(97) + ']'.repeat(97)))
    expect(answersIn(deepest)).toMatchObject([{ id: 1, result: { isError: true } }])
    expect((await post(args('['.repeat(98) + ']'.repeat(98)))).status).toBe(400)
    const text = await post(args(`["${'[{'.repeat(400)}"]`))
    expect(answersIn(text)).toMatchObject([
      { id: 1, result: { structuredContent: { claims: [] } } },
    ])
  })
})

describe('a body of another kind', () => {
  const ping = requestLine(1, 'ping')

  it('is refused with 415 unless it is called JSON', async () => {
    const types = [
      ...['text/plain', 'text/html', 'application/x-www-form-urlencoded', 'multipart/form-data'],
      ...[
        'application/json5',
        'application/jsonx',
        'application/ld+json',
        'text/json',
        'json',
        '*/*',
      ],
      ...[
        'application',
        ';application/json',
        'text/plain;application/json',
        'application/json,text/x',
      ],
    ]
    for (const type of types) {
      const reply = await post(ping, { 'content-type': type })
      expect({ type, status: reply.status }).toEqual({ type, status: 415 })
      expect(errorIn(reply).message).toBe('Content-Type must be application/json')
    }
    const { 'content-type': _, ...untyped } = headers
    const request = { method: 'POST', path: '/mcp', headers: untyped, body: ping }
    expect((await ask(server().url, request)).status).toBe(415)
  })

  it('is taken under any spelling of JSON', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/json ;charset="UTF-8"',
    ])
      expect((await post(ping, { 'content-type': type })).status, type).toBe(200)
  })

  it('is refused with 415 when it is encoded, however small it is', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * mebibyte, 'x'))
    for (const encoding of ['gzip', 'GZIP', 'deflate', 'br', 'zstd', 'gzip, identity', 'x']) {
      const reply = await post(bomb, { 'content-encoding': encoding })
      expect({ encoding, status: reply.status }).toEqual({ encoding, status: 415 })
      expect(errorIn(reply).message).toMatch(/^Content-Encoding is not supported/)
    }
    expect((await post(ping, { 'content-encoding': 'identity' })).status).toBe(200)
  })

  it('is refused with 400 and -32700 when it is not UTF-8', async () => {
    const text = (bytes: number[]) =>
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')])
    for (const bytes of [
      [0xff],
      [0xc3, 0x28],
      [0xed, 0xa0, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
      [0xe2, 0x82],
    ]) {
      const reply = await post(text(bytes))
      expect({ bytes, status: reply.status }).toEqual({ bytes, status: 400 })
      expect(errorIn(reply)).toEqual({
        code: -32700,
        message: 'Parse error: the body is not UTF-8',
      })
    }
  })

  it('is taken whole where a character is cut between two parts', async () => {
    const body = Buffer.from(requestLine('🐦', 'ping'))
    expect(answersIn(await post(parts(body, 1)))).toMatchObject([{ id: '🐦', result: {} }])
  })

  it('may be a batch of the older revisions, but not of any length', async () => {
    const batch = (length: number) =>
      `[${Array.from({ length }, (_, id) => requestLine(id, 'ping')).join(',')}]`
    const few = await post(batch(3))
    expect(answersIn(few).map(({ id }) => id)).toEqual([0, 1, 2])
    for (const body of [batch(20_000), `[${requestLine(1, 'ping')},5]`, '[[]]', '[null]', '[]']) {
      const reply = await post(body)
      expect({ body: body.slice(0, 99), status: reply.status }).toMatchObject({ status: 400 })
      expect(errorIn(reply).code).toBe(-32600)
    }
  })
})

describe('a client that goes before its body has come', () => {
  it('costs one line of the log, however often it does, and no stack', async () => {
    const own = await TestServer.start()
    let log = ''
    own.child.stderr.on('data', (chunk) => {
      log += chunk
    })
    const { port } = new URL(own.url)
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
    const goingAway = Array.from({ length: 200 }, async (_, index) => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {}) // it may be reset
      const length = index % 2 === 0 ? 'Content-Length: 1000' : 'Transfer-Encoding: chunked'
      const part = index % 2 === 0 ? '{"half":' : '8\r\n{"half":\r\n'
      await new Promise((resolve) => socket.write(`${head}${length}\r\n\r\n${part}`, resolve))
      if (index % 4 < 2) socket.resetAndDestroy()
      else socket.destroy()
      await new Promise((resolve) => socket.on('close', resolve))
    })
    await Promise.all(goingAway)
    await expect.poll(() => log, { timeout: 20_000 }).not.toBe('')
    expect((await ask(own.url, { path: '/health' })).status).toBe(200)
    await own.stop()
    const lines = log.split('\n').filter((line) => line !== '' && !line.includes('stopping'))
    expect(lines).toEqual(['agentmail: a client went before its body had come: POST /mcp'])
  })
})
