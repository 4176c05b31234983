/** Whom the HTTP server answers, by Host and Origin: nobody who came by a name that is not its own. */
import { existsSync, readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { requestLine } from '../support/mcp/protocol.ts'
import {
  type Asked,
  ask,
  callHeaders,
  errorIn,
  exchange,
  statusIn,
} from '../support/server/http.ts'
import { health, routes } from '../support/server/routes.ts'
import { sharedServer, TestServer } from '../support/server/server.ts'

const foreignNames = [
  ...['evil.example', 'evil.example:PORT', 'EVIL.EXAMPLE', 'null', 'undefined', '*', ''],
  // A name that its owner points at this machine.
  ...[
    'rebound.evil.example:PORT',
    '127.0.0.1.nip.example',
    'localhost.evil.example',
    'localtest.me',
  ],
  ...[
    'localhost.',
    'localhost.:PORT',
    '127.0.0.1.',
    '127.0.0.1.:PORT',
    '.localhost',
    'a.localhost',
  ],
  ...['localhost@evil.example', 'evil.example@localhost', 'user:pass@localhost', '@localhost'],
  ...['localhost:PORT@evil.example', 'localhost:@evil.example', 'evil.example#localhost'],
  // Loopback in other spellings: no client writes them, so none is taken.
  ...['127.1', '127.0.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.2', '0.0.0.0', '0'],
  ...[
    '::1',
    '[::]',
    '[::]:PORT',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::1%lo]',
    '[::1%25lo]',
  ],
  ...['[::1', '::1]', '[[::1]]', '[::1]evil.example', '[::1].evil.example', '[localhost]', '[]'],
  ...[
    'localhost:',
    '[::1]:',
    'localhost:80x',
    'localhost:http',
    'localhost:-1',
    'localhost:999999',
  ],
  ...['localhost:80:80', 'localhost:PORT:PORT', ':PORT', 'localhost,evil.example', 'localhost, a'],
  ...['localhost evil.example', 'localhost/', 'localhost/evil.example', 'localhost\\evil.example'],
  ...['http://localhost', '//localhost', 'localhost?', 'localhost#', 'localhost%00', '%6cocalhost'],
  ...['localhost\u00e9', 'loc\u00adalhost', 'localhost;evil.example', 'localhost"', "localhost'"],
]
const ownNames = [
  ...['localhost', 'localhost:PORT', 'LOCALHOST', 'LocalHost:PORT', '127.0.0.1', '127.0.0.1:PORT'],
  ...['[::1]', '[::1]:PORT', 'localhost:80'],
]

const foreignOrigins = [
  ...['null', 'undefined', '*', '', 'http://', 'https://', 'http:', '//localhost', 'localhost'],
  ...['127.0.0.1', 'localhost:PORT', 'http:localhost', 'http:/localhost', 'http:\\\\localhost'],
  ...['file://', 'file://localhost', 'ftp://localhost', 'ws://localhost', 'data:text/html,x'],
  ...['chrome-extension://localhost', 'javascript://localhost', 'about:blank', 'about://localhost'],
  ...['http://localhost/', 'http://localhost/x', 'http://localhost?x', 'http://localhost#x'],
  ...['http://localhost http://evil.example', 'http://localhost, http://evil.example'],
  ...['http://evil.example/http://localhost', 'http://evil.example?http://localhost', ' localhost'],
  ...foreignNames.filter((name) => name !== '').map((name) => `http://${name}`),
  ...['https://evil.example', 'HTTPS://EVIL.EXAMPLE:PORT'],
  // Pages of this machine that are somebody else's.
  ...['http://localhost:3000', 'http://127.0.0.1:1', 'https://[::1]:80', 'http://localhost:1PORT'],
]
const ownOrigins = [
  ...[
    'http://localhost:PORT',
    'HTTP://LOCALHOST:PORT',
    'http://127.0.0.1:PORT',
    'http://[::1]:PORT',
  ],
  ...['http://localhost', 'https://localhost'],
]

/** Asks every route with such a header; gives each answer that is not as it should be. */
async function surprises(
  server: TestServer,
  header: 'host' | 'origin',
  values: string[],
  isFine: (status: number, route: { status: number }) => boolean,
): Promise<string[]> {
  const { port } = new URL(server.url)
  const found: string[] = []
  for (const value of values.map((text) => text.replaceAll('PORT', port))) {
    for (const route of routes) {
      const { status, headers } = await ask(server.url, {
        ...route,
        headers: { ...route.headers, [header]: value },
      })
      const isOpened = Object.keys(headers).some((name) => name.startsWith('access-control-'))
      if (isFine(status, route) && !isOpened) continue
      found.push(`${header}: ${value} ${route.method} ${route.path}: ${status}`)
    }
  }
  return found
}

const isForbidden = (status: number) => status === 403
const isAnswered = (status: number, route: { status: number }) => status === route.status

const server = sharedServer()

describe('the name in Host', () => {
  it('is refused on every route unless it is the own', async () => {
    expect(await surprises(server(), 'host', foreignNames, isForbidden)).toEqual([])
    const reply = await ask(server().url, { ...health, headers: { host: 'evil.example' } })
    expect(errorIn(reply).message).toMatch(/^this Host is not allowed: .*AGENTMAIL_ALLOWED_HOSTS/)
  })

  it('is taken on every route in any case, with and without a port', async () => {
    expect(await surprises(server(), 'host', ownNames, isAnswered)).toEqual([])
  })

  it('must be there', async () => {
    for (const { method, path } of routes) {
      const target = `${method} ${path}`
      expect(statusIn(await exchange(server().url, `${target} HTTP/1.0\r\n\r\n`)), target).toBe(403)
      const modern = `${target} HTTP/1.1\r\nConnection: close\r\n\r\n`
      expect(statusIn(await exchange(server().url, modern)), target).toBe(400)
    }
    const named = 'GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n'
    expect(statusIn(await exchange(server().url, named))).toBe(200)
  })

  it('must be there once', async () => {
    const hosts = (...names: string[]) => names.map((name): [string, string] => ['host', name])
    for (const names of [
      ['localhost', 'evil.example'],
      ['evil.example', 'localhost'],
      ['localhost', 'localhost'],
    ]) {
      const { status } = await ask(server().url, { path: '/health', headers: hosts(...names) })
      expect([400, 403], names.join(' and ')).toContain(status)
    }
  })

  it('counts also where the target names another', async () => {
    const get = (target: string, host: string) =>
      exchange(server().url, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect(statusIn(await get('http://localhost/health', 'evil.example'))).toBe(403)
    expect(statusIn(await get('http://evil.example/health', 'localhost'))).not.toBe(200)
    expect(statusIn(await get('//evil.example/health', 'localhost'))).not.toBe(200)
  })
})

describe('the Origin', () => {
  it('is refused on every route unless it is the own', async () => {
    expect(await surprises(server(), 'origin', foreignOrigins, isForbidden)).toEqual([])
    const reply = await ask(server().url, { ...health, headers: { origin: 'null' } })
    expect(errorIn(reply).message).toMatch(/^this Origin is not allowed/)
  })

  it('may be the own, in any case', async () => {
    expect(await surprises(server(), 'origin', ownOrigins, isAnswered)).toEqual([])
  })

  it('is refused when there are two', async () => {
    const headers = (...origins: string[]) => origins.map((o): [string, string] => ['origin', o])
    for (const origins of [
      ['http://localhost', 'http://evil.example'],
      ['http://evil.example', 'http://localhost'],
    ]) {
      const { status } = await ask(server().url, { path: '/health', headers: headers(...origins) })
      expect(status, origins.join(' and ')).toBe(403)
    }
  })
})

describe('a foreign name', () => {
  const headers = { ...callHeaders('legacy'), host: 'evil.example' }
  const requests: [name: string, request: Asked][] = [
    ['a wrong token', { path: '/', headers: { ...headers, authorization: 'Bearer wrong' } }],
    ['no token', { path: '/', headers }],
    ['a method that is not allowed', { method: 'DELETE', path: '/mcp', headers }],
    ['a path that is not there', { path: '/nothing', headers }],
    [
      'a type that is not JSON',
      { method: 'POST', path: '/mcp', body: 'x', headers: { host: 'a' } },
    ],
    ['text that is not JSON', { method: 'POST', path: '/mcp', body: '{', headers }],
    ['a large body', { method: 'POST', path: '/mcp', body: 'x'.repeat(2 << 20), headers }],
    ['a project that cannot be', { method: 'POST', path: '/mcp/a/b', body: '{}', headers }],
  ]

  it('is refused before anything else is', async () => {
    const server = await TestServer.start({ env: { AGENTMAIL_TOKEN: 'right' } })
    for (const [name, request] of requests)
      expect((await ask(server.url, request)).status, name).toBe(403)
  })

  it('changes nothing', async () => {
    const { url, database } = server()
    const args = { name: 'intruder', role: 'spy' }
    const body = requestLine(1, 'tools/call', { name: 'register', arguments: args })
    for (const header of ['host', 'origin']) {
      const headers = { ...callHeaders('legacy'), [header]: 'evil.example' }
      await ask(url, { method: 'POST', path: '/mcp', body, headers })
    }
    const { text } = await ask(url, { path: '/api/agents' })
    expect(JSON.parse(text)).toEqual({ agents: [], has_more: false })
    const written = [database, `${database}-wal`].filter(existsSync)
    expect(written.some((file) => readFileSync(file).includes('intruder'))).toBe(false)
  })
})

describe('a name that is told by', () => {
  const taken = (server: TestServer, names: string[]) =>
    surprises(server, 'host', names, isAnswered)

  it('AGENTMAIL_ALLOWED_HOSTS is taken, in Host and Origin, and no name like it', async () => {
    const env = { AGENTMAIL_ALLOWED_HOSTS: 'mail.example, Box.Example ,,10.0.0.7' }
    const server = await TestServer.start({ env })
    const names = ['mail.example', 'MAIL.EXAMPLE:443', 'box.example', '10.0.0.7:PORT', 'localhost']
    expect(await taken(server, names)).toEqual([])
    const origins = ['https://mail.example', 'http://BOX.example:PORT', 'http://localhost:PORT']
    expect(await surprises(server, 'origin', origins, isAnswered)).toEqual([])
    const others = [
      'sub.mail.example',
      'mail.example.',
      'mail.example.evil',
      'xmail.example',
      'mail',
    ]
    expect(await surprises(server, 'host', others, isForbidden)).toEqual([])
    const foreign = others.map((name) => `http://${name}`)
    expect(await surprises(server, 'origin', foreign, isForbidden)).toEqual([])
  })

  const hasIpv6 = Object.values(networkInterfaces()).some((some) =>
    some?.some(({ address }) => address === '::1'),
  )

  it.skipIf(!hasIpv6)('the address it is bound to is taken, in IPv6 too', async () => {
    const server = await TestServer.start({ args: ['--host', '::1'] })
    expect(new URL(server.url).hostname).toBe('[::1]')
    expect(await taken(server, ['[::1]:PORT', 'localhost:PORT', '127.0.0.1'])).toEqual([])
    const others = ['[::]', '::1', '[0:0:0:0:0:0:0:1]', 'evil.example']
    expect(await surprises(server, 'host', others, isForbidden)).toEqual([])
  })
})
