/** A project as full as it can be: 100,000 stale agents, 100,000 claims. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { integer } from '../../../src/store/store.ts'
import { at, TestClock, TestDatabase, upTo } from '../../support/store/databases.ts'
import { addAgents, addClaims } from '../../support/store/many-rows.ts'
import { newPath } from '../../support/store/sqlite-files.ts'

const many = 100_000
const patienceMs = 300_000

async function open() {
  const path = newPath()
  const database = await TestDatabase.create(async () => () => openSqlite(path))
  const clock = new TestClock()
  const { coordination, project } = await database.server({ clock })
  const store = await database.store()
  const count = async (sql: string) => integer((await store.all(sql))[0]?.n)
  return { clock, coordination, project, store, count }
}

describe('100,000 stale agents', () => {
  it(
    'are swept, each once and with one notice, and calls beside it go on',
    async () => {
      const { clock, coordination, store, count } = await open()
      const ids = await addAgents(store, many, clock.now())
      await addClaims(store, many, (n) => at(ids, n <= 10_000 ? 0 : n % many))
      clock.pass()

      const beside = coordination.project('beside')
      const { agent_id } = await beside.agents.register({ name: 'living', role: 'coder' })
      let longestMs = 0
      let calls = 0
      let isOver = false
      const calling = (async () => {
        while (!isOver) {
          const before = performance.now()
          await beside.messages.send({ agent_id, channel: 'dev', subject: 's', body: 'b' })
          longestMs = Math.max(longestMs, performance.now() - before)
          calls++
          await sleep(5)
        }
      })()
      const before = performance.now()
      expect(await coordination.sweep()).toBe(many)
      const tookMs = performance.now() - before
      isOver = true
      await calling
      console.log(
        `swept in ${Math.round(tookMs)} ms; ${calls} calls beside it, the longest ${Math.round(longestMs)} ms`,
      )

      expect(longestMs).toBeLessThan(tookMs / 5)
      expect(await coordination.sweep()).toBe(0)
      const notices = "FROM messages WHERE project = '' AND subject = 'agent-stale'"
      expect(await count(`SELECT COUNT(*) AS n ${notices}`)).toBe(many)
      expect(await count(`SELECT COUNT(DISTINCT sender_id) AS n ${notices}`)).toBe(many)
      expect(await count(`SELECT MAX(id) AS n ${notices}`)).toBe(many)
      expect(await count('SELECT COUNT(*) AS n FROM file_claims')).toBe(0)
      expect(await count("SELECT COUNT(*) AS n FROM journal WHERE event = 'released'")).toBe(many)
      expect(await count("SELECT COUNT(*) AS n FROM presence WHERE project = ''")).toBe(0)
    },
    patienceMs,
  )
})

describe('100,000 claims', () => {
  it(
    'are all that a project has: one more is refused, and room that is made can be taken',
    async () => {
      const { coordination, project, store, count } = await open()
      const { agent_id } = await project.agents.register({ name: 'a', role: 'b' })
      const other = await project.agents.register({ name: 'other', role: 'b' })
      await addClaims(store, many - 5, (n) => (n <= 100 ? agent_id : `holder ${n % 20}`))
      const claim = (...files: string[]) => project.claims.claim({ agent_id, files })
      const own = 'src/part-1/file-1.ts'
      await expect(claim(own, ...upTo(6).map((n) => `new ${n}`))).rejects.toThrow(
        'too many claims: the project has 99995 of at most 100000, and these would be 6 more',
      )
      // In one batch: each is counted with those before it.
      const outcomes = await Promise.allSettled(upTo(20).map((n) => claim(`new ${n}`)))
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
      expect((await claim(own, 'new 1')).claimed).toEqual([own, 'new 1'])
      const call = { agent_id: other.agent_id, files: [own] }
      expect((await project.claims.claim(call)).conflicts).toMatchObject([{ held_by: agent_id }])
      await expect(claim('one more')).rejects.toThrow('too many claims: the project has 100000 ')
      const elsewhere = coordination.project('other')
      const guest = await elsewhere.agents.register({ name: 'a', role: 'b' })
      expect((await elsewhere.claims.claim({ ...guest, files: [own] })).claimed).toEqual([own])
      await project.claims.release({ agent_id, files: [own] })
      expect((await claim('one more')).claimed).toEqual(['one more'])
      expect(await count("SELECT COUNT(*) AS n FROM file_claims WHERE project = ''")).toBe(many)
    },
    patienceMs,
  )
})
