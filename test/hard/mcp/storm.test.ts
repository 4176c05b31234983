/** A storm of generated lines at an MCP server: each usable id is answered once. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Storm } from '../../support/coordination/storm.ts'
import { LineClient } from '../../support/mcp/line-client.ts'
import { eras, type Id } from '../../support/mcp/protocol.ts'
import { isLong } from '../../support/parts.ts'
import { chosenSeed } from '../../support/seeded-random.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const office = () => ({
  env: { AGENTMAIL_AGENT: 'a', AGENTMAIL_DIR: join(temporaryFolder(), '.agentmail') },
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
