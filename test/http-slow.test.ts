/** Slow clients of the HTTP server: those that never finish asking, and those that never read. Others are served on, and the slow ones are let go. */
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from './support/agentmail.ts'
import { ask } from './support/http.ts'
import { isLong } from './support/parts.ts'
import { callTool, TestServer } from './support/server.ts'

const head = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'

/** What a client says at once, and what it goes on to say, bit by bit. */
const unfinished: Record<string, { first: string; more: string }> = {
  'say nothing': { first: '', more: '' },
  'never end the first line': { first: 'GET /', more: 'x' },
  'never end their headers': { first: head, more: 'X-More: 1\r\n' },
  'never end a header': { first: `${head}X-Long: `, more: 'x' },
  'never end their body': { first: `${head}Content-Length: 1000\r\n\r\n{`, more: ' ' },
  'never end their chunks': {
    first: `${head}Transfer-Encoding: chunked\r\n\r\n`,
    more: '1\r\nx\r\n',
  },
}

/** Connections that are kept busy with as little as possible. */
class SlowClients {
  readonly #sockets: { kind: string; socket: Socket; isClosed: boolean }[] = []

  constructor(url: string, kinds: typeof unfinished, ofEach: number) {
    const { port } = new URL(url)
    for (const [kind, { first, more }] of Object.entries(kinds)) {
      for (let count = 0; count < ofEach; count++) {
        const socket = connect(Number(port), '127.0.0.1')
        const client = { kind, socket, isClosed: false }
        this.#sockets.push(client)
        socket.on('error', () => {})
        socket.on('close', () => {
          client.isClosed = true
        })
        socket.resume()
        if (first !== '') socket.write(first)
        if (more === '') continue
        const timer = setInterval(() => socket.writable && socket.write(more), 700)
        socket.on('close', () => clearInterval(timer))
      }
    }
    onTestFinished(() => {
      for (const { socket } of this.#sockets) socket.destroy()
    })
  }

  /** Which kinds still hold a connection. */
  get open(): string[] {
    return [...new Set(this.#sockets.filter(({ isClosed }) => !isClosed).map(({ kind }) => kind))]
  }
}

/** The time that 99 of 100 calls stay under, in milliseconds. */
async function p99(url: string, agentId: string): Promise<number> {
  const times: number[] = []
  const caller = async () => {
    for (let count = 0; count < 75; count++) {
      const start = performance.now()
      await callTool(url, 'heartbeat', { agent_id: agentId })
      times.push(performance.now() - start)
    }
  }
  await Promise.all([caller(), caller(), caller(), caller()])
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
}

/** A server with messages enough for a large page, whose answers nobody has to read. */
async function wordyServer(): Promise<{ server: TestServer; agentId: string }> {
  const server = await TestServer.start()
  const agentId = await server.register('healthy')
  const body = 'x'.repeat(60 << 10)
  for (let count = 0; count < 8; count++)
    await server.call('send_message', { agent_id: agentId, subject: 's', body })
  return { server, agentId }
}

/** Asks for large pages over and over, and reads none. */
function openDeafClient(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write('GET /api/messages HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(40))
  onTestFinished(() => {
    socket.destroy()
  })
  return socket
}

describe('200 slow connections', () => {
  const kinds = Object.keys(unfinished).length

  it('do not hold up others, and those that never finish asking are closed', {
    timeout: 120_000,
  }, async () => {
    const { server, agentId } = await wordyServer()
    const { url } = server
    const alone = await p99(url, agentId)
    const slow = new SlowClients(url, unfinished, Math.ceil(160 / kinds))
    for (let count = 0; count < 40; count++) openDeafClient(url)
    expect((await ask(url, { path: '/health' })).status).toBe(200)
    expect(slow.open).toEqual(Object.keys(unfinished))
    const beside = await p99(url, agentId)
    console.log(`p99 alone ${alone.toFixed(1)} ms, beside 200 slow ones ${beside.toFixed(1)} ms`)
    expect(beside).toBeLessThan(4 * alone + 200)

    const patient = createServer({ headersTimeout: 0, requestTimeout: 0 }, () => {})
    await new Promise<void>((resolve) => patient.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      patient.closeAllConnections()
      patient.close()
    })
    const address = patient.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const control = new SlowClients(`http://127.0.0.1:${port}`, unfinished, 1)

    await eventually('all are closed', () => slow.open.length === 0, 90_000)
    expect(control.open, 'where nobody closes them').toEqual(Object.keys(unfinished))
    expect((await server.call('heartbeat', { agent_id: agentId })).text).toBe('{"ok":true}')
    expect(await server.stop()).toMatchObject({ exitCode: 0 })
  })

  it.runIf(isLong)(
    'are closed when they never read, and not before others are answered',
    { timeout: 200_000 },
    async () => {
      const { server, agentId } = await wordyServer()
      const deaf = Array.from({ length: 50 }, () => openDeafClient(server.url))
      const closed = deaf.map((socket) => new Promise((resolve) => socket.on('close', resolve)))
      // A reset is seen by whoever writes, also without reading.
      const timer = setInterval(() => {
        for (const socket of deaf) socket.write('\r\n')
      }, 5_000)
      onTestFinished(() => clearInterval(timer))
      expect((await server.call('heartbeat', { agent_id: agentId })).text).toBe('{"ok":true}')
      await Promise.all(closed)
    },
  )
})
