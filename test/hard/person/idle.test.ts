/** What it costs to look at a page on which nothing happens. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Coordination } from '../../../src/coordination/coordination.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { counting, watched } from '../../support/person/watched.ts'
import { PageStream } from '../../support/server/page-stream.ts'
import { TestServer } from '../../support/server/server.ts'
import { SseClient } from '../../support/server/sse-client.ts'
import { upTo } from '../../support/store/databases.ts'
import { newPath } from '../../support/store/sqlite-files.ts'

/** The statements of five seconds in which ten agents are held by open connections, and a page looks on. */
async function idleStatements(options: { isDeaf?: boolean } = {}): Promise<string[]> {
  const statements: string[] = []
  const store = counting(statements, options)(await openSqlite(newPath()))
  // Signs of life are written every half a second.
  const coordination = await Coordination.open({ store, staleMs: 2000 })
  onTestFinished(() => coordination.close())
  const { agents, hold } = coordination.project('one')
  for (const n of upTo(10)) hold((await agents.register({ name: `a${n}`, role: 'r' })).agent_id)
  const viewer = await watched(coordination).open()
  await viewer.until('hello')
  await sleep(1000)
  statements.length = 0
  await sleep(5000)
  return statements
}

describe('an idle page', () => {
  it('reads nothing from the database: what runs are the signs of life of open connections', async () => {
    const statements = await idleStatements()
    expect(new Set(statements.map((sql) => sql.split(' SET ')[0]))).toEqual(
      new Set(['UPDATE presence']),
    )
    expect(statements.length).toBeGreaterThan(5)
  })

  it('would be seen to read where the counters are looked at again and again (control)', async () => {
    const statements = await idleStatements({ isDeaf: true })
    const looks = statements.filter((sql) => sql.startsWith('SELECT project, last_message'))
    expect(looks.length).toBeGreaterThan(5)
  })

  it('costs less than one part in a hundred of a core, with ten agents at open streams', async () => {
    const server = await TestServer.start()
    const clients = await Promise.all(upTo(10).map(() => SseClient.open(server.url)))
    for (const [index, client] of clients.entries()) {
      await client.call('register', { name: `agent ${index}`, role: 'coder' })
    }
    const page = await PageStream.open(server.url)
    await page.until('hello')
    await sleep(3000)
    const [before, start] = [cpuMs(server.pid), performance.now()]
    await sleep(20_000)
    const part = (cpuMs(server.pid) - before) / (performance.now() - start)
    console.log(`an idle server with ten agents and a page: ${(part * 100).toFixed(2)} % of a core`)
    expect(page.isClosed).toBe(false)
    expect(part).toBeLessThan(0.01)
  })
})

/** What a process has used of all cores so far; the system counts in hundredths of a second. */
function cpuMs(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = rest.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
