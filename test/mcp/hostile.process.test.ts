/** Hostile input to `agentmail mcp`: lines that are no MCP, storms of them, and clients that are stubborn. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { corpus, notJson, notMcp, type Outcome } from '../support/mcp/hostile-lines.ts'
import { LineClient } from '../support/mcp/line-client.ts'
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
