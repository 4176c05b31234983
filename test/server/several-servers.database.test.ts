/** Three servers on one database, their clocks days apart: agents at one hear from those at the others, one holds a file, and the dead are swept once. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { doltCommitsSuite } from '../suites/several-servers/dolt-commits.ts'
import { lostNodesSuite } from '../suites/several-servers/lost-nodes.ts'
import { afterAllTests } from '../support/at-end.ts'
import { expectDamage } from '../support/control-run.ts'
import { letOneDie, newDatabaseAt, startServers } from '../support/coordination/team.ts'
import { oddTime } from '../support/loading.ts'
import { describeWith, isLong } from '../support/parts.ts'
import type { TestServer } from '../support/server/server.ts'
import type { DatabaseServer } from '../support/store/database-servers.ts'
import { at, upTo } from '../support/store/databases.ts'
import { startDolt } from '../support/store/dolt.ts'
import { startGalera } from '../support/store/galera.ts'
import { startMariadb } from '../support/store/mariadb.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

vi.setConfig({ testTimeout: 180_000 })

/** A machine that stalls for so long makes an agent stale that lives. */
const lives = { AGENTMAIL_STALE_SECONDS: '5', AGENTMAIL_SWEEP_SECONDS: '1' }
const dayMs = 24 * 60 * 60_000
const environments = [0, dayMs, -dayMs].map((shiftMs) => ({ ...lives, ...oddTime({ shiftMs }) }))

/** How often a server looks for what others have stored. */
const pollMs = 300

/** Of its own for each test: the servers are shared. */
const newProject = () => randomUUID()

const claimedSchema = z.object({ claimed: z.array(z.string()) })

const median = (numbers: number[]) =>
  at(
    numbers.toSorted((a, b) => a - b),
    Math.floor(numbers.length / 2),
  )

async function msOf(work: Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work
  return performance.now() - start
}

interface Engine {
  engine: string
  part: string
  start: () => Promise<DatabaseServer[]>
  /** What is its own. */
  more?: (nodes: () => DatabaseServer[]) => void
}

const engines: Engine[] = [
  // Alone in the long version only, since a node of Galera is one.
  ...(isLong
    ? [{ engine: 'MariaDB', part: 'mariadbd', start: async () => [await startMariadb()] }]
    : []),
  { engine: 'Dolt', part: 'dolt', start: async () => [await startDolt()], more: doltCommitsSuite },
  {
    engine: 'Galera, each at its own node',
    part: 'libgalera_smm.so',
    start: startGalera,
    more: lostNodesSuite,
  },
]

for (const { engine, part, start, more } of engines) {
  describeWith(part, `three servers on ${engine}`, () => {
    let nodes: DatabaseServer[] = []
    let servers: TestServer[] = []
    const atEnd = afterAllTests()
    beforeAll(async () => {
      nodes = await start()
      for (const node of nodes) atEnd(() => node.stop())
      servers = await startServers(await newDatabaseAt(nodes), environments, atEnd)
    })

    describe.concurrent('together', () => {
      it('wake a reader that waits at one when a message is sent at another', async () => {
        const [reading, sending] = [at(servers, 1), at(servers, 2)]
        const project = newProject()
        const reader = await reading.register('reader', 'reader', project)
        const delays: number[] = []
        const calls: number[] = []
        for (const round of upTo(5)) {
          const request = { agent_id: reader, channel: `${round}`, wait_seconds: 30 }
          const waiting = reading.call('read_messages', request, project)
          const agent_id = await sending.register('sender', 'sender', project)
          await sleep((pollMs / 5) * round)
          const letter = { agent_id, channel: `${round}`, subject: 's', body: 'b' }
          calls.push(await msOf(sending.call('send_message', letter, project)))
          delays.push(await msOf(waiting))
          expect(await waiting).toMatchObject({ structuredContent: { messages: [{ body: 'b' }] } })
        }
        const [delay, call] = [Math.round(median(delays)), Math.round(median(calls))]
        console.log(`${engine}: heard after ${delay} ms, while a call takes ${call} ms`)
        expect(delay).toBeLessThan(2 * pollMs + 20 * call)
      })

      it('give a file to one of those who claim it at the same moment', async () => {
        const project = newProject()
        for (const round of upTo(isLong ? 50 : 4)) {
          const files = [`file ${round}`]
          const claiming = servers.flatMap((server) =>
            upTo(4).map(async () => {
              const agent_id = await server.register('claimer', 'coder', project)
              const answer = await server.call('claim_files', { agent_id, files }, project)
              return claimedSchema.parse(answer.structuredContent).claimed
            }),
          )
          expect((await Promise.all(claiming)).flat()).toEqual(files)
        }
      })

      it('sweep an agent that died once, and nobody who lives at any of them', async () => {
        const outcome = await letOneDie(servers, newProject())
        expect(outcome).toEqual({ killed: 0, surprises: 0, isToldOnce: true })
      })
    })

    more?.(() => nodes)
  })
}

describe('three servers whose own clocks count', () => {
  it('sweep agents that live (control)', async () => {
    await expectDamage(async () => {
      const servers = await startServers([join(temporaryFolder(), 'agentmail.db')], environments)
      return (await letOneDie(servers, newProject())).killed
    })
  })
})
