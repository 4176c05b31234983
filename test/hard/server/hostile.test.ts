/** Hostile input over HTTP and SSE: bodies that are no MCP and storms of them, each answered, and the next call too. */
import { Agent } from 'node:http'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { root } from '../../support/agentmail.ts'
import { Storm } from '../../support/coordination/storm.ts'
import { corpus, type Outcome } from '../../support/mcp/hostile-lines.ts'
import {
  type Answer,
  type Era,
  eras,
  type Id,
  meta,
  requestLine,
} from '../../support/mcp/protocol.ts'
import { isLong } from '../../support/parts.ts'
import { chosenSeed } from '../../support/seeded-random.ts'
import { answersIn, ask, callHeaders, type Reply } from '../../support/server/http.ts'
import { TestServer } from '../../support/server/server.ts'
import { SseClient } from '../../support/server/sse-client.ts'

const words = {
  tools: [
    ...['register', 'heartbeat', 'send_message', 'read_messages', 'claim_files', 'release_files'],
    ...['get_file_claims', 'announce_change', 'get_changes'],
  ],
  arguments: [
    ...['agent_id', 'name', 'role', 'channel', 'subject', 'body', 'since', 'after_id', 'limit'],
    ...['wait_seconds', 'files', 'file_path', 'summary', 'idempotency_key'],
  ],
}

const mebibyte = 1 << 20
const requestSchema = z.looseObject({
  method: z.string(),
  params: z.looseObject({ name: z.unknown().optional() }).optional(),
})

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    return undefined
  }
}

/** The same in the modern era, where it has room for an envelope. */
function enveloped(body: Buffer): Buffer {
  const { data } = requestSchema.safeParse(parsed(body))
  // What parsing would change or not survive goes out as it is.
  if (!data || body.length > mebibyte / 2 || body.includes('__proto__')) return body
  const params = { ...data.params, _meta: { ...meta, ...Object(data.params?._meta) } }
  try {
    return Buffer.from(JSON.stringify({ ...data, params }))
  } catch {
    return body
  }
}

/** Posts a line as a client of the era would, with the headers that belong to it. */
function post(url: string, era: Era, line: string | Buffer, agent?: Agent): Promise<Reply> {
  const { data } = requestSchema.safeParse(parsed(Buffer.from(line)))
  const header = (value: unknown) =>
    typeof value === 'string' && /^[\x21-\x7e]{1,1000}$/.test(value) ? value : undefined
  return ask(url, {
    method: 'POST',
    path: '/mcp',
    headers: callHeaders(era, header(data?.method) ?? 'tools/call', header(data?.params?.name)),
    body: era === 'modern' ? enveloped(Buffer.from(line)) : Buffer.from(line),
    ...(agent ? { agent } : {}),
  })
}

/** What belongs to the inside of the server and to nobody's answer. */
const insides = [
  ...[/\n\s+at .+:\d+:\d+/, /node_modules|node:internal|\.[cm]?[jt]s:\d+/, /\[object \w+\]/],
  ...[/SQLITE|sqlite3?_|\bSQL\b|constraint failed|no such (?:table|column)|near "/i],
  ...[/TypeError|RangeError|SyntaxError|is not a function|Cannot read prop|Unexpected token/],
]
/** How the library that checks messages words its findings. */
const libraryWords = [/ZodError|invalid_type|Invalid input: expected|unrecognized_keys/]

/** The answers of a kind that no server should give, or that tell too much. */
function faultsIn(reply: Reply, server: TestServer): string[] {
  const folders = [dirname(server.database), root]
  const isPlain = [200, 202, 400, 404, 413].includes(reply.status)
  const type = reply.headers['content-type']
  const isTyped = type === 'application/json' || type === 'text/event-stream'
  return [
    ...(isPlain ? [] : [`status ${reply.status}`]),
    ...(reply.status === 202 ? (reply.text === '' ? [] : ['202 with a body']) : []),
    ...(reply.status === 202 || isTyped ? [] : [`type ${type}`]),
    ...insides.filter((inside) => inside.test(reply.text)).map(String),
    ...folders.filter((folder) => reply.text.includes(folder)),
  ]
}

async function expectStanding(server: TestServer, label: string): Promise<void> {
  const next = await post(server.url, 'legacy', requestLine('next', 'ping'))
  expect(answersIn(next), label).toEqual([{ jsonrpc: '2.0', id: 'next', result: {} }])
}

/** Where HTTP differs from lines: a body may start with a byte order mark, be a batch of the older revisions, or be too big. */
const differs = (name: string, line: string | Buffer) =>
  ['a byte order mark', 'a batch', 'a batch of notifications'].includes(name) ||
  line.length > mebibyte

describe.each(eras)('the corpus of malformed messages over Streamable HTTP, %s era', (era) => {
  it('is answered one by one, and the server goes on', async () => {
    const server = await TestServer.start()
    const answeredWith = (outcome: Outcome, reply: Reply): boolean => {
      const [answer, ...more] = answersIn(reply)
      if (more.length > 0) return false
      if (outcome === 'silence' || outcome === 'anything')
        return reply.status === (answer ? 400 : 202)
      if ('refused' in outcome)
        return reply.status === 400 && answer?.error?.code === outcome.refused
      return answer !== undefined && (answer.id === outcome.answered || reply.status === 400)
    }
    for (const [name, line, outcome] of corpus) {
      const reply = await post(server.url, era, line)
      const faults = faultsIn(reply, server)
      const isRight = differs(name, line) || answeredWith(outcome, reply)
      expect({ name, faults, isRight, text: reply.text.slice(0, 300) }).toMatchObject({
        faults: [],
        isRight: true,
      })
      await expectStanding(server, `after ${name}`)
    }
    expect(await server.stop()).toMatchObject({ exitCode: 0, signal: null })
  })
})

it('answers malformed messages in words of its own, not of a library', async () => {
  const server = await TestServer.start()
  const found: string[] = []
  for (const [name, line] of corpus) {
    const { text } = await post(server.url, 'legacy', line)
    if (libraryWords.some((some) => some.test(text))) found.push(name)
  }
  expect(found).toEqual([])
})

it('answers the corpus over SSE, message by message, and goes on', async () => {
  const server = await TestServer.start()
  const client = await SseClient.open(server.url)
  for (const [name, line, outcome] of corpus) {
    client.answers.length = 0
    const reply = await client.post(Buffer.from(line))
    expect(faultsIn({ ...reply, text: reply.status === 202 ? '' : reply.text }, server)).toEqual([])
    const next = await client.request('ping')
    const given: Answer[] = client.answers.filter((answer) => answer !== next)
    const isRefused = typeof outcome === 'object' && 'refused' in outcome
    if (isRefused && !differs(name, line)) expect(reply.status, name).toBe(400)
    if (reply.status !== 202) {
      expect(answersIn(reply), name).toMatchObject([{ id: null, error: {} }])
      expect(given, name).toEqual([])
    } else if (typeof outcome === 'object' && 'answered' in outcome) {
      expect(given, name).toMatchObject([{ id: outcome.answered }])
    } else expect(given.length, name).toBeLessThan(2)
  }
  expect(client.faults).toEqual([])
  expect(await server.stop()).toMatchObject({ exitCode: 0, signal: null })
})

const withUsableId = z.looseObject({ id: z.union([z.string(), z.int()]), method: z.unknown() })

describe('a storm of generated calls', () => {
  const total = isLong ? 33_400 : 1_000
  const atOnce = 8

  /** Runs `each` for so many lines, some at a time. */
  async function pour(storm: Storm, each: (line: Buffer) => Promise<void>): Promise<void> {
    let left = total
    const pourer = async () => {
      while (left-- > 0) await each(storm.next())
    }
    await Promise.all(Array.from({ length: atOnce }, pourer))
  }

  it.each(eras)(
    `gets an answer to each over Streamable HTTP, %s era (${total} calls)`,
    { timeout: 900_000 },
    async (era) => {
      const seed = chosenSeed()
      const server = await TestServer.start()
      const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
      onTestFinished(() => agent.destroy())
      const statuses = new Map<number, number>()
      await pour(new Storm(seed, era, words), async (line) => {
        const reply = await post(server.url, era, line, agent)
        const label = `SEED=${seed}: ${line.toString('latin1').slice(0, 500)}`
        expect(faultsIn(reply, server), label).toEqual([])
        const { data: asked } = withUsableId.safeParse(parsed(line))
        const ids = answersIn(reply).map(({ id }) => id)
        if (reply.status === 200 && asked) expect(ids, label).toEqual([asked.id])
        if (reply.status !== 200) expect(ids.length, label).toBe(reply.status === 202 ? 0 : 1)
        statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
      })
      await expectStanding(server, `SEED=${seed}`)
      expect(await server.stop(), `SEED=${seed}`).toMatchObject({ exitCode: 0, signal: null })
      for (const status of [200, 400]) expect(statuses.get(status)).toBeGreaterThan(total / 10)
    },
  )

  it(`gets an answer to each usable id over SSE (${total} calls)`, {
    timeout: 900_000,
  }, async () => {
    const seed = chosenSeed()
    const server = await TestServer.start()
    const client = await SseClient.open(server.url)
    const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
    onTestFinished(() => agent.destroy())
    const asked = new Map<Id, number>()
    const given = new Map<Id, number>()
    const count = (map: Map<Id, number>, id: Id) => map.set(id, (map.get(id) ?? 0) + 1)
    client.onAnswer = ({ id }) => {
      count(given, id)
      client.answers.length = 0
    }
    await pour(new Storm(seed, 'legacy', words), async (line) => {
      const { data } = withUsableId.safeParse(parsed(line))
      const reply = await client.post(line, { agent })
      const isTaken = reply.status === 202
      expect(faultsIn({ ...reply, text: isTaken ? '' : reply.text }, server)).toEqual([])
      if (isTaken && data && 'method' in data) count(asked, data.id)
    })
    expect(await client.request('ping'), `SEED=${seed}`).toHaveProperty('result')
    const { agent_id } = z
      .object({ agent_id: z.string() })
      .parse(
        (await client.call('register', { name: 'after', role: 'r' })).result?.structuredContent,
      )
    expect(agent_id).toHaveLength(36)
    expect(await server.stop(), `SEED=${seed}`).toMatchObject({ exitCode: 0, signal: null })
    expect(client.faults).toEqual([])
    expect(asked.size).toBeGreaterThan(total / 10) // a quarter on the average
    const tooOften = [...given].filter(([id, times]) => times > (asked.get(id) ?? 0))
    const isOurs = ([id]: [Id, number]) => typeof id === 'string' && id.startsWith('request-')
    expect(
      tooOften.filter((one) => !isOurs(one)),
      `SEED=${seed}`,
    ).toEqual([])
  })
})
