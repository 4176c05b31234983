/** How agentmail serve ends: told to stop, it finishes what is under way and answers whoever waits; and how two share a database. */
import { existsSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { eventually } from '../support/eventually.ts'
import { requestLine } from '../support/mcp/protocol.ts'
import { isLong } from '../support/parts.ts'
import { answersIn, ask, callHeaders } from '../support/server/http.ts'
import { TestServer } from '../support/server/server.ts'
import { SseClient } from '../support/server/sse-client.ts'

/** Far less than the longest wait, far more than a busy machine needs. */
const soonMs = 30_000

async function expectSoon<T>(what: string, promise: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`This took too long: ${what}`)), soonMs).unref()
  })
  return Promise.race([promise, late])
}

const expectOrderlyEnd = async (server: TestServer) => {
  expect(await expectSoon('the end', server.stop())).toMatchObject({ exitCode: 0, signal: null })
  expect(existsSync(`${server.database}.server`)).toBe(false)
}

function openSocket(url: string, text: string): { socket: Socket; answer: Promise<string> } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let said = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    said += chunk
  })
  socket.on('error', () => {})
  const answer = new Promise<string>((resolve) => socket.on('close', () => resolve(said)))
  onTestFinished(() => {
    socket.destroy()
  })
  socket.write(text)
  return { socket, answer }
}

const pageSchema = z.object({
  messages: z.array(z.object({ id: z.int(), body: z.string() })),
  has_more: z.boolean(),
})

/** Resolves when requests that came later were answered: what was sent before has arrived by then. */
async function arrived({ url }: TestServer): Promise<void> {
  const agent = new Agent() // a connection each
  for (let count = 0; count < 30; count++) await ask(url, { path: '/health', agent })
}

describe('told to stop', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s it ends with 0', async (signal) => {
    const server = await TestServer.start()
    server.child.kill(signal)
    expect(await expectSoon('the end', server.ended)).toMatchObject({ exitCode: 0, signal: null })
    expect(existsSync(`${server.database}.server`)).toBe(false)
  })

  it('it answers whoever waits for messages with an empty page, on every way', async () => {
    const server = await TestServer.start()
    const agent_id = await server.register('waiter')
    const args = { agent_id, wait_seconds: 50 }
    const sse = await SseClient.open(server.url)
    const body = requestLine(1, 'tools/call', { name: 'read_messages', arguments: args })
    const ways: [name: string, empty: Promise<unknown>][] = [
      ['modern', server.call('read_messages', args).then((answer) => answer.structuredContent)],
      [
        'legacy',
        ask(server.url, {
          method: 'POST',
          path: '/mcp',
          headers: callHeaders('legacy'),
          body,
        }).then((reply) => answersIn(reply)[0]?.result?.structuredContent),
      ],
      ['SSE', sse.call('read_messages', args).then(({ result }) => result?.structuredContent)],
      [
        'beyond the tools',
        ask(server.url, { path: '/api/messages?wait_seconds=50' }).then(({ text }) =>
          JSON.parse(text),
        ),
      ],
    ]
    await arrived(server)
    const end = expectOrderlyEnd(server)
    for (const [name, empty] of ways)
      expect({ name, given: await expectSoon(name, empty) }).toEqual({
        name,
        given: { messages: [], has_more: false },
      })
    await end
    await sse.closed
  })

  it('it finishes a request that is still being sent', async () => {
    const server = await TestServer.start()
    const agent_id = await server.register('sender')
    const args = { agent_id, subject: 'last', body: 'words' }
    const body = requestLine(1, 'tools/call', { name: 'send_message', arguments: args })
    const head = [
      'POST /mcp HTTP/1.1',
      'Host: localhost',
      ...Object.entries(callHeaders('legacy')).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${body.length}`,
    ]
    const half = `${head.join('\r\n')}\r\n\r\n${body.slice(0, 40)}`
    const { socket, answer } = openSocket(server.url, half)
    await arrived(server)
    let log = ''
    server.child.stderr.on('data', (chunk) => {
      log += chunk
    })
    const end = expectOrderlyEnd(server)
    await eventually('it is stopping', () => log.includes('stopping'))
    socket.write(body.slice(40))
    expect(await expectSoon('the answer', answer)).toContain('"message_id":1')
    await end
    const next = await TestServer.start({ db: server.database })
    const reader = await next.register('reader')
    const { structuredContent } = await next.call('read_messages', { agent_id: reader })
    expect(structuredContent).toMatchObject({ messages: [{ subject: 'last', body: 'words' }] })
  })

  it('it keeps every message that it has acknowledged', async () => {
    const server = await TestServer.start()
    const agent_id = await server.register('sender')
    const acknowledged: string[] = []
    const send = async (name: string) => {
      for (let count = 0; ; count++) {
        const args = { agent_id, subject: 's', body: `${name}-${count}` }
        const answer = await server.call('send_message', args).catch(() => undefined)
        if (!answer || answer.isError) return
        acknowledged.push(args.body)
      }
    }
    const senders = Promise.all(['a', 'b', 'c', 'd'].map(send))
    await eventually('some are sent', () => acknowledged.length > 50)
    await expectOrderlyEnd(server)
    await senders
    const next = await TestServer.start({ db: server.database })
    const stored = new Set<string>()
    for (let after = 0, more = true; more; ) {
      const { text } = await ask(next.url, { path: `/api/messages?limit=500&after_id=${after}` })
      const page = pageSchema.parse(JSON.parse(text))
      for (const { id, body } of page.messages) {
        stored.add(body)
        after = id
      }
      more = page.has_more
    }
    expect(acknowledged.filter((body) => !stored.has(body))).toEqual([])
  })

  it('it waits for no connection that asks nothing', async () => {
    const server = await TestServer.start()
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    await Promise.all(Array.from({ length: 20 }, () => ask(server.url, { path: '/health', agent })))
    for (let count = 0; count < 5; count++) {
      await SseClient.open(server.url)
      openSocket(server.url, '')
      openSocket(server.url, 'GET /hea')
    }
    await arrived(server)
    await expectOrderlyEnd(server)
  })

  /** A server that has been told to stop while a client holds back the rest of its request. */
  async function heldUp(): Promise<TestServer> {
    const server = await TestServer.start()
    let log = ''
    server.child.stderr.on('data', (chunk) => {
      log += chunk
    })
    const head = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    openSocket(server.url, `${head}Content-Length: 100\r\n\r\n{`)
    await arrived(server)
    server.child.kill('SIGTERM')
    await eventually('it is stopping', () => log.includes('stopping'))
    return server
  }

  it('again, it ends at once with 1', async () => {
    const server = await heldUp()
    const again = setInterval(() => server.child.kill('SIGTERM'), 100)
    onTestFinished(() => clearInterval(again))
    expect(await expectSoon('the end', server.ended)).toMatchObject({ exitCode: 1, signal: null })
  })

  it('twice at once, as npm does when it passes Ctrl-C on, it ends in order', async () => {
    const server = await TestServer.start()
    const agent_id = await server.register('waiter')
    const waiting = server.call('read_messages', { agent_id, wait_seconds: 50 })
    await arrived(server)
    for (let i = 0; i < 2; i++) server.child.kill('SIGINT')
    expect(await expectSoon('the end', server.ended)).toMatchObject({ exitCode: 0, signal: null })
    expect((await waiting).isError).toBeFalsy()
  })

  it.runIf(isLong)('it does not wait for ever for a request that never comes whole', async () => {
    expect(await (await heldUp()).ended).toMatchObject({ exitCode: 0, signal: null })
  })

  it('it takes nothing new', async () => {
    const server = await TestServer.start()
    const agent_id = await server.register('waiter')
    const waiting = server.call('read_messages', { agent_id, wait_seconds: 50 })
    await arrived(server)
    await expectOrderlyEnd(server)
    await waiting
    await expect(ask(server.url, { path: '/health' })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    })
  })
})

describe('two servers on one database', () => {
  it('share agents, messages and claims, and one wakes who waits at the other', async () => {
    const one = await TestServer.start()
    const two = await TestServer.start({ db: one.database })
    const [a, b] = [await one.register('a'), await two.register('b')]
    const claim = (server: TestServer, agent_id: string) =>
      server.call('claim_files', { agent_id, files: ['shared.ts'] })
    expect((await claim(one, a)).structuredContent).toMatchObject({ claimed: ['shared.ts'] })
    expect((await claim(two, b)).structuredContent).toMatchObject({
      claimed: [],
      conflicts: [{ file: 'shared.ts', held_by: a, holder_name: 'a' }],
    })
    const waiting = one.call('read_messages', { agent_id: a, wait_seconds: 50 })
    await arrived(one)
    await two.call('send_message', { agent_id: b, subject: 'hi', body: 'from two' })
    expect((await expectSoon('the news', waiting)).structuredContent).toMatchObject({
      messages: [{ body: 'from two', sender_id: b, sender_name: 'b' }],
    })
    expect(await two.stop()).toMatchObject({ exitCode: 0 })
    expect((await one.call('heartbeat', { agent_id: b })).structuredContent).toMatchObject({
      ok: true,
    })
  })

  it('the note names the one that started last, and the other leaves it alone', async () => {
    const one = await TestServer.start()
    const two = await TestServer.start({ db: one.database })
    const note = () => JSON.parse(readFileSync(`${one.database}.server`, 'utf8')).url
    expect(note()).toBe(two.url)
    expect(await one.stop()).toMatchObject({ exitCode: 0 })
    expect(note()).toBe(two.url)
    await expectOrderlyEnd(two)
  })
})
