/** Receivers that mean harm, or are broken: nobody waits for them for long, and what they took is not posted again. */
import type { ServerResponse } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { listening } from '../../support/listening.ts'
import { TestNotices } from '../../support/notices/spool.ts'

/** As fast as it is read, without end. */
function pour(response: ServerResponse, chunk: Buffer): void {
  response.writeHead(200)
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

describe('a receiver that has taken a notice', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['answers without end', (response) => pour(response, Buffer.alloc(1 << 20))],
    ['answers 10 MB', (response) => response.end(Buffer.alloc(10 << 20))],
    ['never ends its answer', (response) => void response.writeHead(202).write('x')],
    [
      'breaks off in its answer',
      (response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('x')
        setTimeout(() => response.destroy(), 50)
      },
    ],
    ['says nothing more', (response) => void response.writeHead(204).end()],
  ])('and %s is not asked again', async (_, answer) => {
    const notices = await TestNotices.start()
    notices.receiver.answer(answer)
    await notices.tell('first')
    await notices.tell('second')
    const before = process.memoryUsage().rss
    const began = performance.now()
    await notices.post()
    expect(notices.receiver.subjects).toEqual(['first', 'second'])
    expect(performance.now() - began).toBeLessThan(20_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(100 << 20)
  })
})

describe('a receiver that does not take it', () => {
  /** Not an HTTP server at all. */
  async function speaking(answer: (socket: Socket) => void): Promise<TestNotices> {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      answer(socket)
    })
    return TestNotices.start({ AGENTMAIL_NOTIFY: `http://${await listening(server)}/secret` })
  }

  it.each<[string, (socket: Socket) => void, RegExp]>([
    ['does not answer', () => {}, /no answer within 5 seconds/],
    ['answers nonsense', (socket) => socket.end('220 mail.example.com ESMTP\r\n'), /HPE_/],
    ['closes at once', (socket) => socket.destroy(), /ECONNRESET/],
    [
      'sends headers without end',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(100_000)}`),
      /HPE_HEADER_OVERFLOW/,
    ],
    [
      'lets one wait a byte at a time',
      (socket) => {
        const timer = setInterval(() => socket.write('H'), 200)
        socket.on('close', () => clearInterval(timer))
        socket.write('HTTP/1.1 200 OK\r\nX-')
      },
      /no answer within 5 seconds/,
    ],
  ])('and %s is asked again later, and tells nothing of the address', async (_, answer, why) => {
    const notices = await speaking(answer)
    await notices.tell('x')
    const poster = notices.poster()
    const began = performance.now()
    expect(await poster.step()).toBe(0)
    expect(performance.now() - began).toBeLessThan(20_000)
    expect(await poster.step()).toBe(1000)
    const { trouble } = notices.spool.posted()
    expect(trouble).toMatch(why)
    expect(trouble).not.toContain('secret')
    expect(notices.spool.waiting()).toHaveLength(1)
  })

  it('is not followed elsewhere, and rests no longer than an hour whatever it says', async () => {
    const notices = await TestNotices.start()
    const later = (seconds: string) => (response: ServerResponse) =>
      response.writeHead(429, { 'retry-after': seconds }).end()
    notices.receiver.answer(later('999999999'), later('-1'), later('Fri, 31 Dec 9999 23:59:59 GMT'))
    await notices.tell('x')
    const poster = notices.poster()
    const rests: number[] = []
    for (let step = 0; step < 6; step++) {
      const restMs = (await poster.step()) ?? -1
      rests.push(restMs)
      notices.clock.ms += Math.max(0, restMs)
    }
    expect(Math.max(...rests)).toBe(3600_000)
    expect(rests.at(-1)).toBe(-1)
  })
})
