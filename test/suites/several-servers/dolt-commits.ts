/** Who makes Dolt's commits where several servers could: one of them, and another when it dies. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { newDatabaseAt } from '../../support/coordination/team.ts'
import { eventually } from '../../support/eventually.ts'
import { TestServer } from '../../support/server/server.ts'
import { type DatabaseServer, query } from '../../support/store/database-servers.ts'
import { at, upTo } from '../../support/store/databases.ts'

const everyMs = 500

/** @param nodes one Dolt server. */
export function doltCommitsSuite(nodes: () => DatabaseServer[]): void {
  const start = (db: string) =>
    TestServer.start({ db, env: { AGENTMAIL_DOLT_COMMIT_SECONDS: `${everyMs / 1000}` } })

  it('let one make the commits, one an interval at most, and another when it is killed', async () => {
    const url = at(await newDatabaseAt(nodes()), 0)
    const commits = async () => (await query(url, 'SELECT commit_hash FROM dolt_log')).length
    const first = await start(url)
    const before = await commits()
    const write = async (server: TestServer) => {
      const agent_id = await server.register('writer')
      return server.call('send_message', { agent_id, subject: 's', body: 'b' })
    }
    await write(first)
    await eventually('the first makes one', async () => (await commits()) > before)
    const others = await Promise.all(upTo(2).map(() => start(url)))

    const [startedAt, made] = [performance.now(), await commits()]
    for (const _ of upTo(10)) {
      await Promise.all([first, ...others].map(write))
      await sleep(everyMs / 5)
    }
    await eventually('it makes more', async () => (await commits()) > made)
    const more = (await commits()) - made
    const intervals = Math.ceil((performance.now() - startedAt) / everyMs)
    expect(more).toBeLessThanOrEqual(intervals + 1)

    first.child.kill('SIGKILL')
    await first.ended
    for (const survivor of others) {
      const last = await commits()
      await write(survivor)
      await eventually('another makes them', async () => (await commits()) > last)
    }
  })
}
