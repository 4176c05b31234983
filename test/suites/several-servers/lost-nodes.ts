/** Nodes of a cluster that die or lose the others: agents at the other nodes go on, and so does a server that knows all the nodes. */
import { expect, it } from 'vitest'
import { faultsOf, StubbornWriters } from '../../support/coordination/stubborn-writers.ts'
import { addressOfAll, newDatabaseAt } from '../../support/coordination/team.ts'
import { eventually } from '../../support/eventually.ts'
import { isLong } from '../../support/parts.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { TestServer } from '../../support/server/server.ts'
import { type DatabaseServer, query } from '../../support/store/database-servers.ts'
import { at, upTo } from '../../support/store/databases.ts'
import { missSoon } from '../../support/store/galera.ts'

/** A node that hears nothing of the others any more, but is still there for clients. */
const isolate = (url: string, isAlone: boolean) =>
  query(url, `SET GLOBAL wsrep_provider_options = 'gmcast.isolate=${isAlone ? 1 : 0}'`)

/** @param nodes a cluster of three, which loses its first. */
export function lostNodesSuite(nodes: () => DatabaseServer[]): void {
  /** Writes at servers of the other nodes and at one that knows all, while `lose` takes the first node away. */
  async function weather(lose: (url: string) => Promise<unknown>) {
    const random = seededRandom()
    await missSoon(nodes())
    const urls = await newDatabaseAt(nodes())
    const [lost, ...others] = urls
    if (lost === undefined) return expect.fail('there are no nodes')
    const storms = await Promise.all(
      [addressOfAll(urls), ...others].map(async (db, index) => {
        const { url } = await TestServer.start({ db })
        return new StubbornWriters(url, { random, count: 4, name: `${index}`, withKeys: false })
      }),
    )
    const isLost = (async () => {
      await Promise.all(storms.map((storm) => storm.untilNext()))
      await lose(lost)
    })()
    const writing = storms.map((storm) =>
      storm.writeDuring(async () => {
        await isLost
        const enough = storm.stored + 20
        while (storm.stored < enough) await storm.untilNext()
      }),
    )
    await Promise.all(writing)
    const writes = storms.flatMap((storm) => storm.writes)
    console.log(storms.map(({ summary }) => summary).join('; '))
    expect(await faultsOf(at(others, 0), writes)).toEqual([])
  }

  it('go on without one that has lost the others', async () => {
    for (const _ of upTo(isLong ? 10 : 1)) {
      let address = ''
      await weather(async (url) => {
        address = url
        await isolate(url, true)
      })
      await isolate(address, false)
      await eventually('it is one of them again', async () => {
        const [state] = await query(address, "SHOW STATUS LIKE 'wsrep_local_state_comment'")
        return state?.Value === 'Synced'
      })
    }
  })

  it('go on without one that was killed', () => weather(() => at(nodes(), 0).kill()))
}
