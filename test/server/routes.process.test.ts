/** The routes of the HTTP server: which methods they take, what is not there, and projects by path. */
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Era, requestLine } from '../support/mcp/protocol.ts'
import { answersIn, ask, callHeaders, errorIn, exchange } from '../support/server/http.ts'
import { sharedServer } from '../support/server/server.ts'
import { SseClient } from '../support/server/sse-client.ts'

const server = sharedServer()

describe('methods', () => {
  const others = ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']
  const taken: [path: string, allowed: string, refused: string[]][] = [
    ['/mcp', 'POST', ['GET', 'HEAD', ...others]],
    ['/mcp/other', 'POST', ['GET', 'HEAD', ...others]],
    ['/sse', 'GET', ['POST', 'HEAD', ...others]],
    ['/sse/other', 'GET', ['POST', 'HEAD', ...others]],
    ['/messages', 'POST', ['GET', 'HEAD', ...others]],
    ['/messages?sessionId=x', 'POST', ['GET', ...others]],
    ['/health', 'GET, HEAD', ['POST', ...others]],
    ['/', 'GET, HEAD', ['POST', ...others]],
  ]

  it.each(taken)('%s takes %s alone', async (path, allowed, refused) => {
    for (const method of refused) {
      const reply = await ask(server().url, { method, path, headers: callHeaders('legacy') })
      expect({ method, status: reply.status }).toEqual({ method, status: 405 })
      expect(reply.headers.allow).toBe(allowed)
      if (method !== 'HEAD') expect(errorIn(reply).message).toMatch(/^method not allowed: use /)
    }
  })

  it('HEAD gives the head alone', async () => {
    for (const path of ['/', '/health']) {
      const get = await ask(server().url, { path })
      const head = await ask(server().url, { method: 'HEAD', path })
      expect(head.text).toBe('')
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
    }
  })

  it('no preflight is granted', async () => {
    const { port } = new URL(server().url)
    const headers = {
      origin: `http://localhost:${port}`,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    }
    const reply = await ask(server().url, { method: 'OPTIONS', path: '/mcp', headers })
    expect(reply.status).toBe(405)
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('a connection', () => {
  const callOf = (era: Era) => ({
    method: 'POST',
    path: '/mcp',
    headers: Object.entries(callHeaders(era)).map(([name, value]) => `${name}: ${value}`),
    body: requestLine(1, 'tools/list', {}, era),
  })
  const requests = [
    { method: 'GET', path: '/health', headers: [], body: '' },
    { method: 'GET', path: '/', headers: [], body: '' },
    { method: 'GET', path: '/nothing', headers: [], body: '' },
    callOf('legacy'),
    callOf('modern'),
  ]

  it('is closed after the answer for a client that wants it so', async () => {
    const late = new Promise<'late'>((resolve) => setTimeout(resolve, 30_000, 'late').unref())
    const closing = requests.map(async ({ method, path, headers, body }) => {
      const head = [
        `${method} ${path} HTTP/1.1`,
        'Host: localhost',
        'Connection: close',
        ...headers,
      ]
      const text = `${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const isLate = (await Promise.race([exchange(server().url, text), late])) === 'late'
      return isLate ? [`${method} ${path} ${body.slice(0, 200)}`] : []
    })
    expect((await Promise.all(closing)).flat()).toEqual([])
  })
})

describe('what is not there', () => {
  const paths = [
    ...['/nothing', '/mcpx', '/MCP', '/Mcp', '/mcp2', '/sse2', '//mcp', '//', '/./mcp', '/;/mcp'],
    ...['/health/', '/health/x', '/HEALTH', '/messages/', '/messages/x', '/api', '/api/', '/api/x'],
    ...['/api/agents/', '/api/agents/x', '/favicon.ico', '/.env', '/.git/config', '/index.html'],
    ...['/..%2f..%2fetc%2fpasswd', '/../../etc/passwd', '/%2e%2e/', '/%6dcp', '/mcp%2Fother'],
    ...['/__proto__', '/constructor', '/api/__proto__', '/api/constructor', '/%00', '/%', '/%ff'],
  ]

  it('gets 404 with words that say what is', async () => {
    for (const path of paths) {
      for (const method of ['GET', 'POST']) {
        const headers = callHeaders('legacy')
        const reply = await ask(server().url, { method, path, headers, body: '{}' })
        expect({ path, method, status: reply.status }).toEqual({ path, method, status: 404 })
        expect(errorIn(reply).message).toMatch(/^not found: there are \/mcp/)
      }
    }
  })

  it('of the questions beyond the tools, another method is not there either', async () => {
    for (const path of ['/api/agents', '/api/messages', '/api/history']) {
      const reply = await ask(server().url, { method: 'DELETE', path })
      expect([404, 405], path).toContain(reply.status)
    }
    expect([404, 405]).toContain((await ask(server().url, { path: '/api/leave' })).status)
  })

  it('a project whose name cannot be gets 404', async () => {
    const names = [
      ...[
        'a/b',
        'a%2Fb',
        '%2F',
        '/',
        'a/',
        '%00',
        'a%00b',
        '%0a',
        'a%0D%0Ab',
        '%09',
        '%7f',
        '%c2%85',
      ],
      ...['%', '%z', '%zz', '%ff', '%c3%28', '%ed%a0%80', '%f8%88', 'x'.repeat(101)],
      ...[encodeURIComponent('ü'.repeat(101)), '../mcp', '..%2f..'],
    ]
    for (const name of names) {
      for (const [method, root] of [
        ['POST', '/mcp'],
        ['GET', '/sse'],
      ] as const) {
        const path = `${root}/${name}`
        const call = { headers: callHeaders('legacy'), body: requestLine(1, 'ping') }
        const reply = await ask(server().url, { method, path, ...(root === '/mcp' ? call : {}) })
        expect({ path, status: reply.status }).toEqual({ path, status: 404 })
        expect(errorIn(reply).message).toMatch(/^no such project/)
      }
    }
  })
})

describe('projects by path', () => {
  const names = [
    ...[
      'a',
      'A',
      'a ',
      ' a',
      'ä',
      'a\u0308',
      'ａ',
      'a+b',
      'a b',
      'a%20b',
      '100%',
      '%41',
      '%2e',
      '%',
    ],
    ...[
      '__proto__',
      'constructor',
      'null',
      'undefined',
      '0',
      'false',
      '-',
      '--db',
      '...',
      '.hidden',
    ],
    ...["x'; DROP TABLE agents;--", '"', '\\', '<script>alert(1)', '?', '#', '&project=a', '='],
    ...[
      '🐦',
      '\u202eabc',
      '\u200b',
      'x'.repeat(100),
      'é'.repeat(100),
      'mcp',
      'sse',
      'c:',
      '*',
      '~',
    ],
  ]

  async function call(path: string, name: string, args: object): Promise<unknown> {
    const body = requestLine(1, 'tools/call', { name, arguments: args })
    const headers = callHeaders('legacy')
    const reply = await ask(server().url, { method: 'POST', path: `/mcp${path}`, headers, body })
    return z
      .tuple([z.object({ result: z.object({ structuredContent: z.unknown() }) })])
      .parse(answersIn(reply))[0].result.structuredContent
  }

  const holders = z.object({ claims: z.array(z.object({ holder_name: z.string() })) })
  const idSchema = z.object({ agent_id: z.string() })

  async function claim(path: string, name: string, files: string[]): Promise<void> {
    const { agent_id } = idSchema.parse(await call(path, 'register', { name, role: 'tester' }))
    const given = await call(path, 'claim_files', { agent_id, files })
    expect(given, path).toEqual({ claimed: files, conflicts: [] })
  }

  it('hold what was done in them and nothing else', async () => {
    const paths = names.map((name) => `/${encodeURIComponent(name)}`)
    for (const path of paths) await claim(path, `of ${path}`.slice(0, 200), ['same.ts'])
    for (const path of paths) {
      const { claims } = holders.parse(await call(path, 'get_file_claims', {}))
      expect(claims.map((one) => one.holder_name)).toEqual([`of ${path}`.slice(0, 200)])
    }
    expect(await call('', 'get_file_claims', {})).toEqual({ claims: [], has_more: false })
  })

  it('are the same over SSE', async () => {
    for (const name of ['over sse', '100 %', "it's", '%41%']) {
      const path = `/${encodeURIComponent(name)}`
      const client = await SseClient.open(server().url, `/sse${path}`)
      await claim(path, 'by-http', ['http.ts'])
      const { result } = await client.call('register', { name: 'by-sse', role: 'tester' })
      const { agent_id } = idSchema.parse(result?.structuredContent)
      await client.call('claim_files', { agent_id, files: ['sse.ts'] })
      const { claims } = holders.parse(await call(path, 'get_file_claims', {}))
      expect(claims.map((one) => one.holder_name).sort()).toEqual(['by-http', 'by-sse'])
    }
  })

  it('are the same in the questions beyond the tools, which name them in the query', async () => {
    const wrong: unknown[] = []
    for (const [index, part] of names.entries()) {
      const name = `asked ${part}`.slice(0, 100)
      await call(`/${encodeURIComponent(name)}`, 'register', { name: `agent-${index}`, role: 'r' })
      const path = `/api/agents?project=${encodeURIComponent(name)}`
      const { status, text } = await ask(server().url, { path })
      if (status !== 200 || !text.includes(`"agent-${index}"`)) wrong.push({ name, status, text })
    }
    expect(wrong).toEqual([])
  })

  it('need not be named: /mcp, /mcp/ and /mcp? are the own one', async () => {
    const paths = ['', '/', '?x=1', '/?']
    for (const path of paths) await claim(path, `by ${path}`, [`own${paths.indexOf(path)}.ts`])
    const { claims } = holders.parse(await call('', 'get_file_claims', {}))
    expect(claims.map((one) => one.holder_name)).toEqual(paths.map((path) => `by ${path}`))
  })
})
