/** The way to a running server: no request waits for ever, whatever is at the other end. */
import { createServer, type RequestListener } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RemoteConnection } from '../../src/connection/remote/remote-connection.ts'
import type { AgentMailError } from '../../src/errors.ts'
import { listening } from '../support/listening.ts'

setFlagsFromString('--expose_gc')
const tidyMemory: () => void = runInNewContext('gc')

/** Gives its address. */
const serve = async (answer: RequestListener) => `http://${await listening(createServer(answer))}`

const open = (url: string) => RemoteConnection.open({ url, token: undefined })

const codeOf = (error: AgentMailError) => error.code

describe('a connection to a server', () => {
  it.each(['the head', 'the rest'])(
    'is given up in time where %s of an answer does not come, however often memory is tidied',
    async (part) => {
      const url = await serve((_, response) => {
        if (part === 'the head') return
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{')
      })
      const tidying = setInterval(tidyMemory, 100)
      onTestFinished(() => clearInterval(tidying))
      await expect(open(url)).rejects.toMatchObject({
        code: 'server_unreachable',
        message: `the server at ${url} cannot be reached (it did not answer in time)`,
      })
    },
    15_000,
  )

  it('ends everything that is under way when it is closed, without a warning', async () => {
    const warnings: Error[] = []
    const heed = (warning: Error) => warnings.push(warning)
    process.on('warning', heed)
    onTestFinished(() => void process.off('warning', heed))
    let asked = 0
    const url = await serve(({ url: path = '' }, response) => {
      if (path.startsWith('/mcp')) asked++
      else response.end(path.startsWith('/health') ? '{"stale_seconds":120}' : '{"agents":[]}')
    })
    const connection = await open(url)
    const calls = Array.from({ length: 20 }, () => connection.call('get_changes').catch(codeOf))
    await expect.poll(() => asked, { timeout: 10_000 }).toBe(20)
    await connection.close()
    expect(await Promise.all(calls)).toEqual(Array(20).fill('server_unreachable'))
    const agents = connection.agents()[Symbol.asyncIterator]()
    expect(await agents.next().catch(codeOf)).toBe('server_unreachable')
    expect(warnings).toEqual([])
  })

  it('goes nowhere else with its token', async () => {
    let strays = 0
    const elsewhere = await serve((_, response) => {
      strays++
      response.end('{"stale_seconds":120}')
    })
    const url = await serve((_, response) => {
      response.writeHead(307, { location: elsewhere }).end()
    })
    expect(await open(url).catch(codeOf)).toBe('server_unreachable')
    expect(strays).toBe(0)
  })

  it('says nothing to whoever has come after its server, on a connection that is new', async () => {
    let instance = 'one'
    let isKept = true
    const heard: string[] = []
    const url = await serve((request, response) => {
      if (request.headers.authorization) heard.push(`${instance} ${request.url?.split('?')[0]}`)
      const head = { 'agentmail-instance': instance, ...(isKept ? {} : { connection: 'close' }) }
      response.writeHead(200, head).end('{"agents":[],"content":[{"type":"text","text":"{}"}]}')
    })
    const address = { url, token: 'secret', instance: 'one', pid: process.pid }
    const connection = await RemoteConnection.open(address)
    onTestFinished(() => connection.close())
    isKept = false
    expect(await connection.call('heartbeat')).toMatchObject({ content: [{ text: '{}' }] })
    instance = 'two'
    expect(await connection.call('heartbeat').catch(codeOf)).toBe('server_unreachable')
    expect(heard).toEqual(['one /api/call'])
  })

  it.each([
    [
      'of another start',
      { 'agentmail-instance': 'two' },
      '{"content":[{"type":"text","text":"x"}]}',
    ],
    ['of nobody', {}, '{"content":[{"type":"text","text":"x"}]}'],
    ['without content', { 'agentmail-instance': 'one' }, '{}'],
  ])('takes no answer %s for a success', async (_, head, body) => {
    const url = await serve(({ url: path = '' }, response) => {
      const isCall = path.startsWith('/api/call')
      response.writeHead(200, isCall ? head : { 'agentmail-instance': 'one' })
      response.end(isCall ? body : '{"agents":[]}')
    })
    const connection = await RemoteConnection.open({ url, token: undefined, instance: 'one' })
    onTestFinished(() => connection.close())
    expect(await connection.call('heartbeat').catch(codeOf)).toBe('server_unreachable')
  })
})
