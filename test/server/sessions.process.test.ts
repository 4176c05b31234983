/** Who gets an answer over HTTP and SSE: whoever asked and nobody else; and how long an SSE session lives. */
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { memory } from '../support/mcp/memory-in-use.ts'
import { requestLine } from '../support/mcp/protocol.ts'
import { ask, callHeaders, errorIn } from '../support/server/http.ts'
import { sharedServer, TestServer } from '../support/server/server.ts'
import { SseClient } from '../support/server/sse-client.ts'

describe('an SSE session', () => {
  const server = sharedServer()
  const post = (path: string) =>
    ask(server().url, {
      method: 'POST',
      path,
      headers: callHeaders('legacy'),
      body: requestLine(1, 'ping'),
    })

  it('has an id that nobody can guess', async () => {
    const streams = await Promise.all(
      Array.from({ length: 100 }, () => SseClient.open(server().url)),
    )
    const ids = streams.map(
      ({ endpoint }) => /^\/messages\?sessionId=(.+)$/.exec(endpoint)?.[1] ?? '',
    )
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
    for (const part of [0, 1, 2, 3, 4]) {
      const different = new Set(ids.map((id) => id.split('-')[part]))
      expect(different.size, `part ${part} of the ids`).toBeGreaterThan(90)
    }
    for (const stream of streams) stream.close()
  })

  it('is not there under any other id', async () => {
    const { endpoint } = await SseClient.open(server().url)
    const id = endpoint.slice(endpoint.indexOf('=') + 1)
    const queries = [
      ...[
        '',
        '?',
        '?sessionId',
        '?sessionId=',
        '?sessionId=none',
        '?sessionId=__proto__',
        `?${id}`,
      ],
      ...[
        `?sessionId=${id.toUpperCase()}`,
        `?sessionId=${id}x`,
        `?sessionId=%20${id}`,
        '?sessionId=*',
      ],
      ...[`?sessionid=${id}`, `?session_id=${id}`, `?sessionId=${id.slice(0, -1)}`, `/${id}`],
      ...['?sessionId=00000000-0000-4000-8000-000000000000', `?sessionId=x&sessionId=${id}`],
    ]
    for (const query of queries) {
      const reply = await post(`/messages${query}`)
      expect({ query, status: reply.status }).toEqual({ query, status: 404 })
    }
    expect(errorIn(await post('/messages?sessionId=none')).message).toMatch(
      /^no such session: open/,
    )
    expect((await post(endpoint)).status).toBe(202)
  })

  it('is gone with its stream, and no other is', async () => {
    const [one, other] = await Promise.all([
      SseClient.open(server().url),
      SseClient.open(server().url),
    ])
    expect(await one.request('ping')).toMatchObject({ result: {} })
    one.close()
    await eventually('the session is gone', async () => (await post(one.endpoint)).status === 404)
    expect(await other.request('ping')).toMatchObject({ result: {} })
  })

  it('ends a wait with its stream, and the server goes on', async () => {
    const client = await SseClient.open(server().url)
    const { result } = await client.call('register', { name: 'leaver', role: 'r' })
    const { agent_id } = Object(result?.structuredContent)
    const args = { agent_id, wait_seconds: 50, channel: 'silent' }
    const waiting = client.call('read_messages', args).catch(() => 'ended')
    await new Promise((resolve) => setTimeout(resolve, 200))
    client.close()
    expect(await waiting).toBe('ended')
    const next = await SseClient.open(server().url)
    expect(await next.request('tools/list')).toHaveProperty('result.tools')
  })

  it('is let go when its client never reads, before it fills the memory', async () => {
    const { url, pid } = await TestServer.start()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => {
      socket.destroy()
    })
    const first = new Promise((resolve) => socket.once('data', resolve))
    socket.write('GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const endpoint = /\/messages\?sessionId=[\w-]+/.exec(String(await first))?.[0] ?? ''
    socket.pause()
    const idle = existsSync('/proc/self/status') ? memory(pid).now : 0
    const params = { name: 'x'.repeat(500_000) }
    const request = {
      method: 'POST',
      path: endpoint,
      headers: callHeaders('legacy'),
      body: requestLine(1, 'tools/call', params), // its answer repeats the name
    }
    let taken = 0
    while ((await ask(url, request)).status === 202) expect(++taken).toBeLessThan(200)
    expect(taken).toBeGreaterThan(2)
    expect((await ask(url, request)).status).toBe(404)
    if (idle > 0) expect(memory(pid).peak).toBeLessThan(idle + 150)
    expect((await ask(url, { path: '/health' })).status).toBe(200)
  })
})
