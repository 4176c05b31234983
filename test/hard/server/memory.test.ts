/** The memory of a server under bodies without measure. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Agent } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memory } from '../../support/mcp/memory-in-use.ts'
import { requestLine } from '../../support/mcp/protocol.ts'
import { ask, callHeaders } from '../../support/server/http.ts'
import { TestServer } from '../../support/server/server.ts'

const mebibyte = 1 << 20
const headers = callHeaders('legacy')

/** A request of exactly that size, with a method that does not exist. */
function sized(bytes: number): string {
  const frame = requestLine('sized', 'x')
  return frame.replace('"x"', `"${'x'.repeat(bytes - frame.length + 1)}"`)
}

/** In parts, so that no length is sent before them. */
function* parts(body: Buffer, size = 64 << 10): Generator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

const isMeasurable = existsSync('/proc/self/status')

describe.skipIf(!isMeasurable)('memory', () => {
  /** Room for the garbage that Node has not collected yet. */
  const roomMiB = 120
  const atOnce = 8

  /** By how many MiB a server grows at most while it gets so many bodies. */
  async function growth(
    { url, pid }: { url: string; pid: number },
    body: () => string | Iterable<Buffer>,
    times: number,
    path = '/mcp',
  ): Promise<number> {
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
    onTestFinished(() => agent.destroy())
    const send = () => ask(url, { method: 'POST', path, headers, body: body(), agent })
    await ask(url, { path: '/health' })
    const { now: idle } = memory(pid)
    for (let count = 0; count < times; count += atOnce)
      await Promise.all(Array.from({ length: atOnce }, send))
    await ask(url, { path: '/health' })
    return memory(pid).peak - idle
  }

  const large = Buffer.alloc(24 * mebibyte, 'x')

  it('stays flat under bodies that are too big', async () => {
    expect(await growth(await TestServer.start(), () => parts(large), 24)).toBeLessThan(roomMiB)
  })

  it('would be seen to grow in a server that reads them whole', async () => {
    const naive = `
      const { createServer } = require('node:http')
      const server = createServer((request, response) => {
        const chunks = []
        request.on('data', (chunk) => chunks.push(chunk))
        request.on('end', () => response.writeHead(413).end(String(Buffer.concat(chunks).length)))
      })
      server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
    const child = spawn(process.execPath, ['-e', naive])
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    const port = await new Promise((resolve) => child.stdout.once('data', resolve))
    const server = { url: `http://127.0.0.1:${String(port).trim()}`, pid: child.pid ?? 0 }
    expect(await growth(server, () => parts(large), 24)).toBeGreaterThan(roomMiB)
  })

  it.each<[name: string, body: () => string, path?: string]>([
    ['and no JSON', () => 'x'.repeat(mebibyte)],
    ['and deep', () => '['.repeat(mebibyte)],
    ['and of an unknown method', () => sized(mebibyte)],
    ['and for nobody', () => 'x'.repeat(mebibyte), '/messages?sessionId=none'],
  ])('stays flat under bodies that are as big as may be, %s', async (_, body, path) => {
    expect(await growth(await TestServer.start(), body, 64, path)).toBeLessThan(roomMiB)
  })
})
