/** Hostile input to `agentmail mcp`: lines that are no MCP, storms of them, and clients that are stubborn. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Storm } from '../support/coordination/storm.ts'
import { eventually } from '../support/eventually.ts'
import { corpus, notJson, notMcp, type Outcome } from '../support/mcp/hostile-lines.ts'
import { LineClient } from '../support/mcp/line-client.ts'
import { eras, type Id } from '../support/mcp/protocol.ts'
import { isLong } from '../support/parts.ts'
import { chosenSeed } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const office = () => ({
  env: { AGENTMAIL_AGENT: 'a', AGENTMAIL_DIR: join(temporaryFolder(), '.agentmail') },
})

describe('a corpus of malformed lines', () => {
  const situations: [name: string, open: () => Promise<LineClient>][] = [
    ['before the client has said hello', async () => new LineClient(office())],
    ['in the legacy era', () => LineClient.open(office())],
    ['in the modern era', () => LineClient.open({ ...office(), era: 'modern' })],
  ]

  it.each(situations)('is answered line by line, and the server goes on, %s', async (_, open) => {
    const client = await open()
    for (const [name, line, outcome] of corpus) {
      client.answers.length = 0
      client.write(line)
      if (typeof outcome === 'object' && 'answered' in outcome)
        await client.answer(outcome.answered)
      const next = await client.request('tools/list')
      expect(next, `after ${name}`).toHaveProperty('result.tools')
      const given = client.answers.filter((answer) => answer !== next)
      if (outcome === 'silence') expect(given, name).toEqual([])
      else if (outcome === 'anything') expect(given.length, name).toBeLessThan(2)
      else if ('refused' in outcome) {
        const error = { code: outcome.refused }
        expect(given, name).toMatchObject([{ id: outcome.id, error }])
      } else expect(given, name).toMatchObject([{ id: outcome.answered }])
    }
    expect(await client.finish()).toMatchObject({ exitCode: 0, signal: null })
    expect(client.faults).toEqual([])
  })

  it('is answered when it comes all at once and the input ends', async () => {
    const client = await LineClient.open(office())
    client.answers.length = 0
    client.write(...corpus.map(([, line]) => line))
    expect(await client.finish()).toMatchObject({ exitCode: 0, signal: null })
    for (const [name, , outcome] of corpus) {
      if (typeof outcome !== 'object') continue
      const id = 'refused' in outcome ? outcome.id : outcome.answered
      if (id !== null) expect(client.answersTo(id), name).toHaveLength(1)
    }
    const refusals = (outcome: Outcome) => corpus.filter(([, , one]) => one === outcome).length
    const codes = client.answersTo(null).map(({ error }) => error?.code)
    expect(codes.filter((code) => code === -32700)).toHaveLength(refusals(notJson))
    expect(codes.filter((code) => code === -32600).length).toBeGreaterThanOrEqual(refusals(notMcp))
    expect(client.faults).toEqual([])
  })
})

const withUsableId = z.looseObject({ id: z.union([z.string(), z.int()]) })
const cancellationSchema = z.looseObject({
  method: z.literal('notifications/cancelled'),
  params: z.looseObject({ requestId: z.union([z.string(), z.int()]) }),
})

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    return undefined
  }
}

describe.each(eras)('a storm of generated lines, %s era', (era) => {
  const total = isLong ? 50_000 : 2_500
  const round = 250

  it(`answers each usable id once and stands (${total} lines)`, { timeout: 900_000 }, async () => {
    const seed = chosenSeed()
    const storm = new Storm(seed, era)
    const client = await LineClient.open({ ...office(), era })
    const atLeast = new Map<Id, number>()
    const atMost = new Map<Id, number>()
    const given = new Map<Id, number>()
    const count = (map: Map<Id, number>, id: Id) => map.set(id, (map.get(id) ?? 0) + 1)
    client.onAnswer = ({ id }) => count(given, id)
    const cancelled = new Set<Id>()

    for (let sent = 0; sent < total; sent += round) {
      const lines = Array.from({ length: round }, () => storm.next())
      for (const line of lines) {
        const value = parsed(line)
        const { data: asked } = withUsableId.safeParse(value)
        if (asked) count(atMost, asked.id)
        // Without a method it may be a response, which is not answered.
        if (asked && 'method' in asked) count(atLeast, asked.id)
        const { data: cancellation } = cancellationSchema.safeParse(value)
        if (cancellation) cancelled.add(cancellation.params.requestId)
      }
      client.write(...lines)
      expect(await client.request('tools/list'), `SEED=${seed}`).toHaveProperty('result.tools')
      client.answers.length = 0
      client.notifications.length = 0
    }
    expect((await client.call('receive')).result, `SEED=${seed}`).toBeDefined()
    expect(await client.finish(), `SEED=${seed}`).toMatchObject({ exitCode: 0, signal: null })
    expect(client.faults, `SEED=${seed}`).toEqual([])

    expect(atLeast.size).toBeGreaterThan(total / 4)
    const wrong = [...atMost].filter(([id, most]) => {
      const times = given.get(id) ?? 0
      return times > most || (times < (atLeast.get(id) ?? 0) && !cancelled.has(id))
    })
    expect(wrong, `SEED=${seed}: [id, times asked], answered too often or not at all`).toEqual([])
  })
})

describe('a client that is slow or stubborn', () => {
  it('gets its refusals although it reads late and its input has ended', async () => {
    const client = await LineClient.open(office())
    client.answers.length = 0
    client.child.stdout.pause()
    client.write(...Array<string>(2_000).fill('nonsense'))
    client.child.stdin.end()
    await new Promise((resolve) => setTimeout(resolve, 500)) // time to end too early
    client.child.stdout.resume()
    expect(await client.ended).toMatchObject({ exitCode: 0, signal: null })
    expect(client.answersTo(null)).toHaveLength(2_000)
  })

  it('gets an answer to each request under an id that it uses over and over', async () => {
    const client = new LineClient(office())
    const lines = Array.from({ length: 200 }, () => client.line('same', 'tools/list'))
    client.write(...lines)
    expect(await client.finish()).toMatchObject({ exitCode: 0 })
    expect(client.answersTo('same')).toHaveLength(200)
  })

  it('is served on however many subscriptions it opens', async () => {
    const client = await LineClient.open({ ...office(), era: 'modern' })
    const ids = Array.from({ length: 200 }, (_, index) => index)
    client.answers.length = 0
    client.write(...ids.map((id) => client.line(id, 'subscriptions/listen', { notifications: {} })))
    const isServed = () => client.notifications.length + client.answers.length === ids.length
    await eventually('each subscription is acknowledged or refused', isServed, 20_000)
    const next = client.request('tools/list')
    const timeout = new Promise((resolve) => setTimeout(resolve, 20_000, 'no answer'))
    expect(await Promise.race([next, timeout])).toHaveProperty('result.tools')
  })
})
