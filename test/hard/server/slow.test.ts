/** Slow clients of the HTTP server: those that never finish asking, and those that never read. Others are served on, and the slow ones are let go. */
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { memory } from '../../support/mcp/memory-in-use.ts'
import { isLong } from '../../support/parts.ts'
import { ask } from '../../support/server/http.ts'
import { callTool, TestServer } from '../../support/server/server.ts'

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

/** Connections that are kept busy with as little as possible; each that is closed is opened again until `rest`. */
class SlowClients {
  readonly #port: number
  readonly #open = new Map<Socket, string>()
  #isResting = false
  closed = 0

  constructor(url: string, ofEach: number) {
    this.#port = Number(new URL(url).port)
    for (const kind of Object.keys(unfinished))
      for (let count = 0; count < ofEach; count++) this.#connect(kind)
    onTestFinished(() => {
      this.rest()
      for (const socket of this.#open.keys()) socket.destroy()
    })
  }

  /** Opens no more. */
  rest(): void {
    this.#isResting = true
  }

  /** Which kinds hold a connection. */
  get kinds(): string[] {
    return [...new Set(this.#open.values())].sort()
  }

  #connect(kind: string): void {
    const { first = '', more = '' } = unfinished[kind] ?? {}
    const socket = connect(this.#port, '127.0.0.1')
    this.#open.set(socket, kind)
    socket.resume()
    if (first !== '') socket.write(first)
    const timer = setInterval(() => more !== '' && socket.writable && socket.write(more), 700)
    socket.on('error', () => {}) // closed while it was writing
    socket.on('close', () => {
      clearInterval(timer)
      this.#open.delete(socket)
      this.closed++
      if (!this.#isResting) this.#connect(kind)
    })
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

/** Asks for that many large pages at once, and reads none. */
function openDeafClient(url: string, pages: number): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write('GET /api/messages HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(pages))
  onTestFinished(() => {
    socket.destroy()
  })
  return socket
}

describe('200 slow connections', () => {
  const all = Object.keys(unfinished).sort()

  it('do not hold up others, and are closed', { timeout: 150_000 }, async () => {
    const { server, agentId } = await wordyServer()
    const spared = await wordyServer()
    const { url } = server
    const slow = new SlowClients(url, 180 / all.length)
    for (let count = 0; count < 20; count++) openDeafClient(url, 12)
    expect((await ask(url, { path: '/health' })).status).toBe(200)
    // Both at once: whatever else holds up the machine holds up both.
    const [alone, beside] = await Promise.all([
      p99(spared.server.url, spared.agentId),
      p99(url, agentId),
    ])
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
    const control = new SlowClients(`http://127.0.0.1:${port}`, 1)

    slow.rest()
    await eventually('all are closed', () => slow.kinds.length === 0, 90_000)
    expect({ kinds: control.kinds, closed: control.closed }).toEqual({ kinds: all, closed: 0 })
    expect((await server.call('heartbeat', { agent_id: agentId })).text).toMatch(/^{"ok":true,/)
    expect(await server.stop()).toMatchObject({ exitCode: 0 })
  })
})

describe('a client that never reads', () => {
  it.skipIf(!existsSync('/proc/self/status'))(
    'costs little, however much it asks for at once',
    async () => {
      const { server } = await wordyServer()
      await ask(server.url, { path: '/api/messages' })
      const { now: idle } = memory(server.pid)
      openDeafClient(server.url, 400)
      await new Promise((resolve) => setTimeout(resolve, 1_000)) // for it to be heard
      expect((await ask(server.url, { path: '/health' })).status).toBe(200)
      expect(memory(server.pid).peak).toBeLessThan(idle + 100)
    },
  )

  const manners: [name: string, more: string][] = [
    ['says nothing more', ''],
    ['goes on as if it asked', '\r\n'],
  ]

  it.runIf(isLong).each(manners)('is let go when it %s', { timeout: 300_000 }, async (_, more) => {
    const { server } = await wordyServer()
    const deaf = Array.from({ length: 14 }, () => openDeafClient(server.url, 12))
    const timer = setInterval(() => {
      for (const socket of deaf) if (more !== '' && socket.writable) socket.write(more)
    }, 5_000)
    onTestFinished(() => clearInterval(timer))
    /** Reads at last: whoever was let go comes to an end, with less than it had asked for. */
    const wasLetGo = async (socket: Socket) => {
      const ended = new Promise((resolve) => socket.once('close', () => resolve(true)))
      socket.resume()
      return Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 3_000, false))])
    }
    for (const socket of deaf) {
      await new Promise((resolve) => setTimeout(resolve, 14_000))
      if (await wasLetGo(socket)) return
    }
    throw new Error('It was kept for minutes')
  })
})
