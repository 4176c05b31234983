import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createPlainServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { listening } from '../../../test/support/listening.ts'
import { NoReply } from '../http-request.ts'
import { HttpLine, type LineRequest } from './http-line.ts'

function lineTo(host: string, maxBytes = 1 << 20): HttpLine {
  const line = new HttpLine(new URL(`http://${host}`), maxBytes)
  onTestFinished(() => line.close())
  return line
}

const serve = (answer: RequestListener) => listening(createServer(answer))

/** Answers each connection with these bytes, in pieces. */
function reciting(pieces: string[], onSocket = (_: Socket) => {}): Promise<string> {
  const server = createPlainServer(async (socket) => {
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    onSocket(socket)
    for (const piece of pieces) {
      socket.write(piece)
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  return listening(server)
}

const get = { method: 'GET', path: '/path?query', headers: {}, limit: 10_000 }

const failureOf = (asking: Promise<unknown>): Promise<NoReply> =>
  asking.then(
    () => expect.fail('There was a reply'),
    (error) => (error instanceof NoReply ? error : expect.fail(`This is another error: ${error}`)),
  )

describe('a line of HTTP', () => {
  it('asks as node:http would, one question after the other on one connection', async () => {
    const seen: [IncomingMessage, string][] = []
    const ports = new Set<unknown>()
    const host = await serve(async (request, response) => {
      seen.push([request, await text(request)])
      ports.add(request.socket.remotePort)
      response.writeHead(418, { 'X-Own': 'told' }).end('näïve')
    })
    const line = lineTo(host)
    const headers = { 'x-own': 'yes', 'content-type': 'application/json' }
    const reply = { status: 418, body: 'näïve', headers: { 'x-own': 'told' } }
    expect(await line.ask(get)).toMatchObject(reply)
    const post = { ...get, method: 'POST', headers, body: '{"text":"ü"}' }
    expect(await line.ask(post)).toMatchObject(reply)
    expect(seen[0]?.[0]).toMatchObject({ method: 'GET', url: '/path?query', headers: { host } })
    expect(seen[1]?.[0]).toMatchObject({ method: 'POST', headers: { ...headers, host } })
    expect(seen[1]?.[1]).toBe('{"text":"ü"}')
    expect(ports.size).toBe(1)
  })

  it.each<[string, RequestListener, string]>([
    ['whole', (_, response) => void response.end('x'.repeat(200_000)), 'x'.repeat(200_000)],
    [
      'in parts',
      (_, response) => {
        response.write('one ')
        response.write('ü'.repeat(70_000))
        response.end(' two')
      },
      `one ${'ü'.repeat(70_000)} two`,
    ],
    ['empty', (_, response) => void response.end(), ''],
    ['without a body', (_, response) => void response.writeHead(204).end(), ''],
    [
      'announced first',
      (_, response) => {
        response.writeProcessing()
        response.end('then')
      },
      'then',
    ],
  ])('reads a reply that comes %s, and goes on', async (_, answer, body) => {
    const line = lineTo(await serve(answer))
    expect(await line.ask(get)).toMatchObject({ body })
    expect(await line.ask(get)).toMatchObject({ body })
  })

  it('reads a reply byte by byte, and one that ends with its connection', async () => {
    const chunked =
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n5;x=y\r\npedia\r\n0\r\nX: y\r\n\r\n'
    expect(await lineTo(await reciting([...chunked])).ask(get)).toMatchObject({ body: 'Wikipedia' })
    const old = await reciting(['HTTP/1.0 200 OK\r\n\r\n', 'to the end'], (socket) =>
      setTimeout(() => socket.end(), 100),
    )
    expect(await lineTo(old).ask(get)).toMatchObject({ status: 200, body: 'to the end' })
  })

  it('opens another connection where the other side has closed or is about to', async () => {
    const ports: unknown[] = []
    let isClosing = true
    const sockets: Socket[] = []
    const host = await serve(({ socket }, response) => {
      ports.push(socket.remotePort)
      sockets.push(socket)
      if (isClosing) response.setHeader('connection', 'close')
      response.end('here')
    })
    const line = lineTo(host)
    await line.ask(get)
    isClosing = false
    await line.ask(get)
    await line.ask(get)
    sockets[1]?.destroy()
    await eventually('it is seen that the other side has gone', async () => {
      const reply = await line.ask(get).catch(() => undefined)
      return reply?.body === 'here' && new Set(ports).size === 3
    })
    expect(ports[1]).toBe(ports[2])
  })

  it.each([
    ['is none of HTTP', ['SSH-2.0-OpenSSH_9.2\r\n\r\n']],
    ['has a head without an end', ['HTTP/1.1 200 OK\r\n', 'X: y\r\n'.repeat(20_000)]],
    ['has a length that is none', ['HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n']],
    ['has parts that are none', ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n']],
  ])('fails where a reply %s', async (_, pieces) => {
    const error = await failureOf(lineTo(await reciting(pieces)).ask(get))
    expect(error).toMatchObject({ mayHaveGoneOut: true, isLate: false })
  })

  it('reads no more than it may', async () => {
    const whole = await serve((_, response) => void response.end('x'.repeat(5001)))
    const parts = await serve((_, response) => {
      response.write('x'.repeat(5001))
      response.end()
    })
    for (const host of [whole, parts]) {
      const line = lineTo(host, 5000)
      expect(await line.ask(get)).toMatchObject({ status: 200, body: undefined })
      expect(await line.ask(get)).toMatchObject({ status: 200, body: undefined })
    }
  })

  it.each([
    ['no word', []],
    ['no end of the head', ['HTTP/1.1 200 OK\r\n']],
    ['no end of the body', ['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf']],
  ])('ends in time where %s comes, and with a signal of the caller', async (_, pieces) => {
    const line = lineTo(await reciting(pieces))
    expect(await failureOf(line.ask({ ...get, limit: 50 }))).toMatchObject({ isLate: true })
    const caller = new AbortController()
    const asking = failureOf(line.ask({ ...get, outer: [undefined, caller.signal] }))
    setTimeout(() => caller.abort(), 50)
    expect(await asking).toMatchObject({ isLate: false })
    const closed = failureOf(line.ask(get))
    line.close()
    expect(await closed).toMatchObject({ isLate: false })
    expect(line.isBusy).toBe(false)
  })

  it('says that nothing has gone out where nobody listens, or it would be read as something else', async () => {
    const none = await failureOf(lineTo('127.0.0.1:1').ask(get))
    expect(none).toMatchObject({ mayHaveGoneOut: false, cause: { code: 'ECONNREFUSED' } })
    let asked = 0
    const line = lineTo(await serve(() => asked++))
    const wrong: Partial<LineRequest>[] = [
      { headers: { authorization: 'Bearer x\r\nX-Other: y' } },
      { headers: { authorization: 'Bearer ü' } },
      { path: '/a b' },
      { path: '/\r\n\r\nGET /' },
    ]
    for (const some of wrong) {
      const error = await failureOf(line.ask({ ...get, ...some }))
      expect(error.mayHaveGoneOut).toBe(false)
    }
    expect(asked).toBe(0)
  })
})
