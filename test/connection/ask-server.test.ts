/** One question to the running server: nobody hears it but the one that left its note. */
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSilentServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Config } from '../../src/config.ts'
import { greetServer } from '../../src/connection/ask-server.ts'
import { listening } from '../support/listening.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const serve = async (answer: RequestListener) => `http://${await listening(createServer(answer))}`

/** The settings of somebody whose database has this note. */
function configWith(note: object | undefined, settings: Record<string, string> = {}): Config {
  const db = join(temporaryFolder(), 'own.db')
  if (note) writeFileSync(`${db}.server`, JSON.stringify(note))
  return new Config({}, { AGENTMAIL_DB: db, ...settings })
}

const ask = (config: Config, limitMs = 5_000) =>
  greetServer(config)({
    ...{ path: '/hooks/claude', body: '{"secret":1}', headers: { 'x-own': 'yes' }, limitMs },
  })

describe('a question to the running server', () => {
  it('is heard by the one of the note, on one connection, and its answer is given as it is', async () => {
    const heard: object[] = []
    const ports = new Set<unknown>()
    const url = await serve(async (request, response) => {
      const { method, url: path, headers, socket } = request
      ports.add(socket.remotePort)
      heard.push({ method, path, own: headers['x-own'], body: await text(request) })
      response.writeHead(200, { 'agentmail-instance': 'one' }).end('{"näïve":true}')
    })
    expect(await ask(configWith({ url, instance: 'one' }))).toEqual({
      status: 200,
      body: '{"näïve":true}',
    })
    expect(heard).toEqual([
      { method: 'GET', path: '/api/hello', own: undefined, body: '' },
      { method: 'POST', path: '/hooks/claude', own: 'yes', body: '{"secret":1}' },
    ])
    expect(ports.size).toBe(1)
  })

  it.each([
    ['another start of a server', { 'agentmail-instance': 'two' }, ''],
    ['another program', {}, 'hello'],
    ['another program that speaks JSON', {}, '{"stale_seconds":120,"instance":"two"}'],
  ])('is not heard by %s, nor is the token', async (_, headers, body) => {
    const heard: (string | undefined)[] = []
    const url = await serve((request, response) => {
      heard.push(request.method, request.headers.authorization)
      response.writeHead(200, headers).end(body)
    })
    const config = configWith({ url, instance: 'one' }, { AGENTMAIL_TOKEN: 'secret' })
    expect(await ask(config)).toBeUndefined()
    expect(new Set(heard)).toEqual(new Set(['GET', undefined]))
  })

  it('is heard by nobody where the process of the note has gone, whatever answers there', async () => {
    let asked = 0
    const url = await serve((_, response) => {
      asked++
      response.writeHead(200, { 'agentmail-instance': 'one' }).end('{}')
    })
    const settings = { AGENTMAIL_TOKEN: 'secret' }
    const gone = 999_999_999 // no machine counts so far
    expect(await ask(configWith({ url, instance: 'one', pid: gone }, settings))).toBeUndefined()
    expect(await ask(configWith({ url, instance: 'one', pid: 0 }, settings))).toBeUndefined()
    expect(asked).toBe(0)
    const own = configWith({ url, instance: 'one', pid: process.pid }, settings)
    expect(await ask(own)).toMatchObject({ status: 200 })
  })

  it('shows its token to the right one alone, and a server of an older version is known by its health', async () => {
    const heard: (string | undefined)[][] = []
    const url = await serve(({ url: path, headers }, response) => {
      heard.push([path, headers.authorization])
      const isHealth = path === '/health'
      response.writeHead(isHealth ? 200 : 401)
      response.end(isHealth ? '{"stale_seconds":120,"instance":"one"}' : '{}')
    })
    const config = configWith({ url, instance: 'one' }, { AGENTMAIL_TOKEN: 'secret' })
    expect(await ask(config)).toMatchObject({ status: 401 })
    expect(heard).toEqual([
      ['/api/hello', undefined],
      ['/health', undefined],
      ['/hooks/claude', 'Bearer secret'],
    ])
  })

  it('has no answer where there is no note, no server, a silent one, or one elsewhere', async () => {
    const silent = createSilentServer((socket) => {
      socket.on('error', () => {})
      onTestFinished(() => void socket.destroy())
    })
    const url = `http://${await listening(silent)}`
    expect(await ask(configWith(undefined))).toBeUndefined()
    expect(await ask(configWith({ url: 'http://127.0.0.1:1', instance: 'one' }))).toBeUndefined()
    expect(await ask(configWith({ url, instance: 'one' }), 50)).toBeUndefined()
    expect(await ask(configWith({ url: 'http://192.0.2.1', instance: 'one' }))).toBeUndefined()
  })

  it('is told as unanswered where somebody has heard it', async () => {
    const url = await serve(({ method }, response) => {
      if (method === 'GET') response.writeHead(200, { 'agentmail-instance': 'one' }).end('{}')
    })
    await expect(ask(configWith({ url, instance: 'one' }), 200)).rejects.toMatchObject({
      code: 'server_unreachable',
    })
  })
})
