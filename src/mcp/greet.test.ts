/** A greeting from what was kept is, to every client and whatever it says, the same as one by the server itself. */
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { tools } from '../tools/mailbox/index.ts'
import { greet } from './greet.ts'
import type { Greeting } from './greetings.ts'
import { StdioTransport, serveOn } from './stdio.ts'

const toolset = { name: 'mailbox', instructions: 'Be kind.', tools }

const initialize = (changes: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
    ...changes,
  },
})
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
const ping = { jsonrpc: '2.0', id: 3, method: 'ping' }
const ordinary = [initialize(), initialized, list]

const linesOf = (messages: unknown[]): string =>
  messages.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join('')

async function* inParts(text: string, bytes: number): AsyncGenerator<Buffer> {
  const whole = Buffer.from(text)
  for (let at = 0; at < whole.length; at += bytes) yield whole.subarray(at, at + bytes)
}

interface Told {
  text: string
  /** Whether the server was needed. */
  isServed: boolean
}

async function tell(said: string, greeting?: Greeting, bytes = 1 << 20): Promise<Told> {
  const output = new PassThrough()
  const input = inParts(said, bytes)
  const greeted = greeting ? await greet(input, output, greeting, () => {}) : { input }
  if (greeted) {
    const transport = new StdioTransport(greeted.input, output, greeted)
    serveOn(transport, { toolset, answer: async () => ({ content: [] }) })
    await transport.ended
  }
  return { text: String(output.read() ?? ''), isServed: greeted !== undefined }
}

/** As the build keeps it. */
async function keptGreeting(): Promise<Greeting> {
  const kept: Greeting = { initialize: {}, tools: '' }
  for (const revision of ['2025-11-25', '2025-06-18']) {
    const said = linesOf([initialize({ protocolVersion: revision }), initialized, list])
    const [welcome = '', listed = ''] = (await tell(said)).text.split('\n')
    kept.initialize[revision] = JSON.stringify(JSON.parse(welcome).result)
    kept.tools = JSON.stringify(JSON.parse(listed).result)
  }
  return kept
}

const then = (...messages: unknown[]) => [...ordinary, ...messages]
const opened = (changes: object) => [initialize(changes), initialized, list, ping]

/** All of a greeting that needs no server. */
const greetings: [string, unknown[]][] = [
  ['the ordinary one', ordinary],
  ['another revision', [initialize({ protocolVersion: '2025-06-18' }), initialized, list]],
  ['an id in words', [initialize({}, 'a "b"'), initialized, list]],
  ['the id 0', [initialize({}, 0), initialized, list]],
  ['capabilities', [initialize({ capabilities: { roots: { listChanged: true }, sampling: {} } })]],
  ['empty parameters', [initialize(), { ...initialized, params: {} }, { ...list, params: {} }]],
  ['blank lines', ['', initialize(), ' ', initialized, '', list, '']],
  ['carriage returns', ordinary.map((one) => `${JSON.stringify(one)}\r`)],
  ['a list asked for twice', then({ ...list, id: 4 })],
  ['nothing but hello', [initialize()]],
  [
    'much',
    [initialize({ clientInfo: { name: 'x'.repeat(70_000), version: '1' } }), initialized, list],
  ],
  ['nothing', []],
]

/** What the server answers, from the start or from some line on. */
const others: [string, unknown[]][] = [
  ['a call', then(ping)],
  ['a tool', then({ ...list, method: 'tools/call', params: { name: 'receive' } })],
  ['an unknown tool', then({ ...list, method: 'tools/call', params: { name: 'x' } })],
  ['a page of the list', then({ ...list, params: { cursor: 'x' } })],
  ['a mark on the list', then({ ...list, params: { _meta: { progressToken: 1 } } })],
  ['a ping before it is ready', [initialize(), ping, initialized, list]],
  ['a list before it is ready', [initialize(), list, initialized, ping]],
  ['a list before anything', [list, initialize(), initialized, list]],
  ['ready before anything', [initialized, initialize(), initialized, list]],
  ['hello twice', [initialize(), initialize({}, 4), initialized, list]],
  ['ready twice', [initialize(), initialized, initialized, list]],
  ['ready with an id', [initialize(), { ...initialized, id: 5 }, list]],
  ['an unknown revision', opened({ protocolVersion: '1999-01-01' })],
  ['the name of a property as a revision', opened({ protocolVersion: 'constructor' })],
  ['a revision of the other era', opened({ protocolVersion: '2026-07-28' })],
  ['no revision', opened({ protocolVersion: undefined })],
  ['no capabilities', opened({ capabilities: undefined })],
  ['capabilities that are none', opened({ capabilities: [] })],
  ['a flag that is none', opened({ capabilities: { roots: { listChanged: 'yes' } } })],
  ['a capability that is none', opened({ capabilities: { sampling: true } })],
  ['a capability in one that is none', opened({ capabilities: { sampling: { context: 1 } } })],
  ['an unknown capability', opened({ capabilities: { odd: { deep: {} } } })],
  ['an experiment that is none', opened({ capabilities: { experimental: { a: 1 } } })],
  ['no client', opened({ clientInfo: undefined })],
  ['a client without a version', opened({ clientInfo: { name: 'x' } })],
  ['a client with a number as its name', opened({ clientInfo: { name: 1, version: '1' } })],
  ['a client with a title', opened({ clientInfo: { name: 'x', version: '1', title: 'X' } })],
  ['a client with more', opened({ clientInfo: { name: 'x', version: '1', websiteUrl: 'no' } })],
  ['more than is asked for', opened({ more: 1 })],
  ['a mark', opened({ _meta: { progressToken: 'x' } })],
  ['an id that is none', [initialize({}, null), initialized, list, ping]],
  ['an id between numbers', [initialize({}, 1.5), initialized, list, ping]],
  ['an id that is too large', [initialize({}, 2 ** 60), initialized, list, ping]],
  ['no id', [initialize({}, undefined), initialized, list, ping]],
  ['another protocol', [{ ...initialize(), jsonrpc: '1.0' }, initialize(), initialized, list]],
  ['a word too much', [{ ...initialize(), more: 1 }, initialized, list]],
  ['no JSON', ['{', ...ordinary]],
  ['no JSON later', then('{', ping)],
  ['several at once', [ordinary, ...ordinary]],
  ['the other era', [{ ...list, method: 'server/discover', params: { _meta: {} } }, ...ordinary]],
  ['an answer', [{ jsonrpc: '2.0', id: 9, result: {} }, ...ordinary]],
  ['depth', [`${'['.repeat(5000)}${']'.repeat(5000)}`, ...ordinary]],
]

describe('greeted from what was kept, a client hears what the server would say', async () => {
  const greeting = await keptGreeting()

  it.each(greetings)('to %s, without the server', async (_what, messages) => {
    const said = linesOf(messages)
    expect(await tell(said, greeting)).toEqual({ ...(await tell(said)), isServed: false })
  })

  it.each(others)('to %s', async (_what, messages) => {
    const said = linesOf(messages)
    expect(await tell(said, greeting)).toEqual(await tell(said))
  })

  it('in whatever parts it arrives', async () => {
    const much = initialize({ clientInfo: { name: 'x'.repeat(70_000), version: '1' } })
    for (const messages of [then(ping, list), [much, initialized, list]]) {
      const said = linesOf(messages)
      const { text } = await tell(said)
      for (const bytes of [1, 2, 7, 50, 163, 164, 165, 300].map(
        (one) => one * (1 + (said.length >> 16)),
      )) {
        expect((await tell(said, greeting, bytes)).text).toBe(text)
      }
    }
  })

  it('to a last line that lacks its newline', async () => {
    for (const messages of [ordinary, then(ping)]) {
      const said = linesOf(messages).trimEnd()
      expect((await tell(said, greeting)).text).toBe((await tell(said)).text)
    }
  })

  it('and the server is loaded as soon as it knows the tools', async () => {
    const heard: string[] = []
    const output = {
      write(line: string, done: () => void) {
        heard.push(line)
        done()
      },
    }
    await greet(inParts(linesOf(ordinary), 10), output, greeting, () => heard.push('now'))
    expect(heard.map((line) => line.slice(0, 9))).toEqual(['{"result"', '{"result"', 'now'])
  })
})
