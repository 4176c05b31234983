import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createSilentServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listening } from '../../test/support/listening.ts'
import { exchange, NoReply, openReply, secondsOf } from './http-request.ts'

const serve = async (answer: RequestListener) =>
  new URL(`http://${await listening(createServer(answer))}/path?query`)

/** Takes connections and says nothing. */
async function silentHost(): Promise<string> {
  const server = createSilentServer((socket) => {
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
  })
  return listening(server)
}

const failureOf = (asking: Promise<unknown>): Promise<NoReply> =>
  asking.then(
    () => expect.fail('There was a reply'),
    (error) => (error instanceof NoReply ? error : expect.fail(`This is another error: ${error}`)),
  )

describe('an HTTP request', () => {
  it('is a GET, or posts JSON, and gives the reply as it is', async () => {
    const seen: [IncomingMessage, string][] = []
    const url = await serve(async (request, response) => {
      seen.push([request, await text(request)])
      response.writeHead(418, { 'retry-after': '7' }).end('näïve')
    })
    const headers = { 'x-own': 'yes' }
    const reply = { status: 418, retryAfterSeconds: 7, body: 'näïve' }
    expect(await exchange({ url, headers }, 100)).toMatchObject(reply)
    expect(await exchange({ url, headers, json: { text: 'ü' } }, 100)).toMatchObject(reply)
    const [get, post] = seen
    expect(get?.[0]).toMatchObject({ method: 'GET', url: '/path?query', headers })
    expect(get?.[0].headers).not.toHaveProperty('content-type')
    expect(post?.[0]).toMatchObject({
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': '13' },
    })
    expect(post?.[1]).toBe('{"text":"ü"}')
  })

  it('has a connection of its own and follows nobody', async () => {
    const ports: unknown[] = []
    const url = await serve(({ socket }, response) => {
      ports.push(socket.remotePort)
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    for (let count = 0; count < 3; count++) {
      expect(await exchange({ url }, 100)).toMatchObject({ status: 302, body: '' })
    }
    expect(new Set(ports).size).toBe(3)
  })

  it('reads no more of a reply than it may, and hangs up on the rest', async () => {
    let isGone = false
    const url = await serve((_, response) => {
      response.on('close', () => {
        isGone = true
      })
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(1000)));
      }
      response.on('drain', write)
      write()
    })
    expect(await exchange({ url }, 5000)).toMatchObject({ status: 200, body: undefined })
    await expect.poll(() => isGone, { timeout: 20_000 }).toBe(true)
    const small = await serve((_, response) => void response.end('x'.repeat(100)))
    expect((await exchange({ url: small }, 100)).body).toHaveLength(100)
    expect((await exchange({ url: small }, 99)).body).toBeUndefined()
  })

  it('ends in time, wherever the other side stops, and with a signal of the caller', async () => {
    let stop: AbortController | undefined
    const url = await serve(({ url }, response) => {
      if (url === '/head') response.writeHead(200).write('x')
      stop?.abort()
    })
    for (const asked of [url, new URL('/head', url)]) {
      stop = undefined
      const late = await failureOf(exchange({ url: asked, limit: 1000 }, 100))
      expect(late).toMatchObject({ isLate: true, mayHaveGoneOut: true })
      stop = new AbortController()
      const outer = [undefined, stop.signal]
      const stopped = await failureOf(exchange({ url: asked, limit: 20_000, outer }, 100))
      expect(stopped).toMatchObject({ isLate: false, mayHaveGoneOut: true })
    }
    const outer = [AbortSignal.abort()]
    expect(await failureOf(exchange({ url, outer }, 100))).toMatchObject({ mayHaveGoneOut: false })
  })

  it('says whether it may have gone out before it failed', async () => {
    const reset = await serve(({ socket }) => socket.resetAndDestroy())
    const cut = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 1000 })
      response.write('{', () => response.destroy())
    })
    const host = await silentHost()
    const cases: [URL, boolean][] = [
      [reset, true],
      [cut, true],
      [new URL(`http://${host}`), true],
      [new URL(`https://${host}`), false], // TLS is never agreed on
      [new URL(`https://${reset.host}`), false], // it does not speak TLS
      [new URL('http://127.0.0.1:9'), false],
      [new URL('http://nowhere.invalid'), false],
    ]
    for (const [url, mayHaveGoneOut] of cases) {
      const failure = await failureOf(exchange({ url, limit: 1000 }, 100))
      expect(failure, url.href).toMatchObject({ mayHaveGoneOut })
    }
    const headers = { 'x-token': 'two\nlines' }
    const unfit = await failureOf(exchange({ url: reset, headers, limit: 500 }, 100))
    expect(unfit).toMatchObject({ mayHaveGoneOut: false, isLate: false })
  })

  it('can be read while it comes, within the same time', async () => {
    const url = await serve((_, response) => void response.write('first'))
    const { status, chunks } = await openReply({ url, limit: 1000 })
    const read: string[] = []
    const failure = await failureOf(
      (async () => {
        for await (const chunk of chunks) read.push(String(chunk))
      })(),
    )
    expect([status, read, failure.isLate]).toEqual([200, ['first'], true])
  })
})

describe('the header Retry-After', () => {
  it('is a number of seconds, a date, or nothing that can be told', () => {
    expect(['0', '7', ' 7 ', '1.2'].map(secondsOf)).toEqual([0, 7, 7, 2])
    expect(['soon', '', '-', undefined].map(secondsOf)).toEqual(Array(4).fill(undefined))
    expect(secondsOf('Fri, 01 Jan 2016 00:00:00 GMT')).toBe(0)
    expect(secondsOf(new Date(Date.now() + 3600_000).toUTCString())).toBeGreaterThan(3500)
  })
})
