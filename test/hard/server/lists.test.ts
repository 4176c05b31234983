/** The memory of a server that is asked for all it has, by many at once. */
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { memory } from '../../support/mcp/memory-in-use.ts'
import { isLong } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'
import { at, upTo } from '../../support/store/databases.ts'
import { addAgents, addClaims } from '../../support/store/many-rows.ts'

const many = 100_000
const readers = 16
/** Of each but the first, who reads all. */
const pagesEach = 12
/** Room for the garbage that Node has not collected yet. */
const roomMiB = 150

const page = z.object({
  claims: z.array(z.object({ file_path: z.string() })),
  has_more: z.boolean(),
})

describe.skipIf(!existsSync('/proc/self/status'))('a server with 100,000 claims', () => {
  it('stays flat while 16 read them, and the agents, and the page', {
    timeout: 600_000,
  }, async () => {
    const env = { AGENTMAIL_STALE_SECONDS: '86400' }
    const server = await TestServer.start({ env })
    const store = await openSqlite(server.database)
    const ids = await addAgents(store, 5_000, Date.now(), 'default')
    const path = (n: number) => `${'folder/'.repeat(20)}part-${n % 100}/file-${n}.ts`
    await addClaims(store, many, (n) => at(ids, n % ids.length), path, 'default')
    await store.close()
    const read = async (after?: string) =>
      page.parse((await server.call('get_file_claims', { after })).structuredContent)
    await read()
    const { now: idle } = memory(server.pid)
    /** Gives how many were read. */
    const walk = async (pages: number) => {
      let count = 0
      for (let after: string | undefined; pages > 0; pages--) {
        const { claims, has_more } = await read(after)
        count += claims.length
        after = claims.at(-1)?.file_path
        if (!has_more) break
      }
      return count
    }
    const look = async (url: string) => (await (await fetch(url)).text()).length
    const [counts, sizes] = await Promise.all([
      Promise.all(upTo(readers).map((n) => walk(isLong || n === 1 ? many : pagesEach))),
      Promise.all(
        upTo(readers).flatMap(() => [look(`${server.url}/api/agents`), look(server.url)]),
      ),
    ])
    const { peak } = memory(server.pid)
    console.log(`idle ${Math.round(idle)} MiB, at most ${Math.round(peak)} MiB`)
    expect(counts[0]).toBe(many)
    expect(Math.max(...sizes)).toBeLessThan(512 << 10)
    expect(peak - idle).toBeLessThan(roomMiB)
  })
})
