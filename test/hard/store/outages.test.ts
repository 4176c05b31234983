/** A database that is killed, restarted and cut off under load: AgentMail goes on by itself, and whatever it answers is true. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Env } from '../../support/agentmail.ts'
import { expectDamage } from '../../support/control-run.ts'
import { faultsOf, StubbornWriters } from '../../support/coordination/stubborn-writers.ts'
import { oddTime } from '../../support/loading.ts'
import { describeWith, isLong } from '../../support/parts.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { TestServer } from '../../support/server/server.ts'
import { type Cut, cuts, DatabaseProxy } from '../../support/store/database-proxy.ts'
import { type DatabaseServer, query } from '../../support/store/database-servers.ts'
import { startDolt } from '../../support/store/dolt.ts'
import { startMariadb } from '../../support/store/mariadb.ts'

vi.setConfig({ testTimeout: isLong ? 900_000 : 180_000 })

const engines = [
  { engine: 'MariaDB', part: 'mariadbd', start: startMariadb, restarts: isLong ? 20 : 3 },
  { engine: 'Dolt', part: 'dolt', start: startDolt, restarts: isLong ? 10 : 3 },
]

/** After the database answers somebody else, a write must be stored within this time. */
const recoveryMs = 5_000

for (const { engine, part, start, restarts } of engines) {
  describeWith(part, engine, () => {
    let database: DatabaseServer
    beforeAll(async () => {
      database = await start()
    })
    afterAll(() => database.stop())

    describe('killed and started again under sixteen writers', () => {
      /** @param pauseMs at most so long nobody starts it again. */
      async function weather(times: number, withKeys: boolean, pauseMs: number, env: Env = {}) {
        const random = seededRandom()
        const url = await database.newDatabase()
        const server = await TestServer.start({ db: url, env })
        const writers = new StubbornWriters(server.url, { random, withKeys })
        const recoveries: number[] = []
        await writers.writeDuring(async () => {
          for (let restart = 0; restart < times; restart++) {
            await writers.untilNext()
            await sleep(random() * 300)
            await database.kill()
            await sleep(random() * pauseMs)
            await database.start()
            recoveries.push(await writers.untilNext())
          }
        })
        expect(server.child.exitCode).toBeNull()
        expect(await faultsOf(url, writers.writes)).toEqual([])
        expect((await server.stop()).exitCode).toBe(0)
        const worst = Math.round(Math.max(...recoveries))
        console.log(`${engine}: ${writers.summary}, back after ${worst} ms at most`)
        return worst
      }

      it('keeps each acknowledged write once, without gaps, and answers again within five seconds', async () => {
        expect(await weather(restarts, true, 500)).toBeLessThan(recoveryMs)
      })

      it('tells callers without a key the truth: stored, not stored, or perhaps', async () => {
        // Its patience is at an end after a second, so that calls fail.
        await weather(isLong ? restarts : 2, false, 3_000, oddTime({ speed: 10 }))
      })
    })

    describe('cut off at a commit', () => {
      async function writeThrough(kinds: Cut[], times: number, isForgetful = false) {
        const random = seededRandom()
        const url = await database.newDatabase()
        const proxy = await DatabaseProxy.start(url)
        const server = await TestServer.start({ db: proxy.url })
        if (isForgetful) await query(url, ...forgetTokens)
        const writers = new StubbornWriters(server.url, { random, count: 4, withKeys: false })
        await writers.writeDuring(async () => {
          proxy.cutCommits(() => (random() < 0.4 ? kinds[proxy.cut % kinds.length] : undefined))
          while (proxy.cut < times) await writers.untilNext()
          proxy.cutCommits(() => undefined)
        })
        expect(writers.errors).toBe(0)
        return faultsOf(url, writers.writes)
      }

      it('acknowledges each call and stores it once, whether the database had heard, was at it, was done, or denied it', async () => {
        expect(await writeThrough(cuts, isLong ? 600 : 20)).toEqual([])
      })

      it('stores calls twice when the outcome of a commit cannot be found (control)', async () => {
        await expectDamage(async () => (await writeThrough(['after'], 3, true)).length)
      })
    })
  })
}

/** Makes the database lose what a transaction leaves behind of itself. */
const forgetTokens = ['INSERT', 'UPDATE'].map(
  (event) =>
    `CREATE TRIGGER forget_${event} BEFORE ${event} ON writers FOR EACH ROW SET NEW.token = ''`,
)
