/** A simulated year of busy agents, with and without pruning: how large the database is, month by month. */
import { statSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { Coordination } from '../../../src/coordination/coordination.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { isLong } from '../../support/parts.ts'
import { staleMs, TestClock, upTo } from '../../support/store/databases.ts'
import { newPath } from '../../support/store/sqlite-files.ts'

vi.setConfig({ testTimeout: 3600_000 })

const dayMs = 24 * 3600_000
/** The short version is a year of which a week is told as a day, so to speak. */
const year = isLong
  ? { days: 360, monthDays: 30, keepDays: 90, agents: 20, rounds: 4 }
  : { days: 48, monthDays: 4, keepDays: 12, agents: 10, rounds: 4 }
const letter = {
  channel: 'broadcast',
  subject: 'progress',
  body: 'Done with that part. '.repeat(8),
}

/** Gives the size of the file after each month, in bytes. */
async function sizesOfYear(keepDays: number | undefined): Promise<number[]> {
  const path = newPath()
  const clock = new TestClock()
  const store = await openSqlite(path)
  const coordination = await Coordination.open({ store, staleMs, clock })
  const sizes: number[] = []
  let said = 0
  let reader = 0
  for (const day of upTo(year.days)) {
    said += await busyDay(coordination, clock, day)
    clock.pass((dayMs * 3) / 4)
    await coordination.sweep()
    await coordination.prune({ ageMs: keepDays && keepDays * dayMs })
    reader = await readOn(coordination, reader, said)
    if (day % year.monthDays !== 0) continue
    await store.transaction(async () => {}) // so that nothing of it is still under way
    const [{ pages, size } = {}] = await store.all(
      'SELECT page_count AS pages, page_size AS size FROM pragma_page_count(), pragma_page_size()',
    )
    sizes.push(Number(pages) * Number(size))
  }
  await coordination.close()
  expect(Math.abs(statSync(path).size - (sizes.at(-1) ?? 0))).toBeLessThan(1 << 20)
  return sizes
}

/** Agents come, claim, say, announce, release; most leave, some are swept, one of them holds a file for long. Gives how much was said. */
async function busyDay(coordination: Coordination, clock: TestClock, day: number): Promise<number> {
  const { agents, messages, claims, changes } = coordination.project('')
  const team = await Promise.all(
    upTo(year.agents).map((n) => agents.register({ name: `agent ${n}`, role: 'coder' })),
  )
  for (const round of upTo(year.rounds)) {
    await Promise.all(
      team.map(async ({ agent_id }, n) => {
        const files = [`src/part-${n}/${round}.ts`, `test/part-${n}/${round}.test.ts`]
        const key = `${day} ${round}`
        await claims.claim({ agent_id, files })
        await messages.send({ ...letter, agent_id, idempotency_key: key })
        const channel = `@agent ${(n % year.agents) + 1}`
        await messages.send({ ...letter, agent_id, channel })
        await changes.announce({ agent_id, file_path: files[0] ?? '', summary: letter.body })
        await claims.release({ agent_id, files })
      }),
    )
    clock.pass(dayMs / 4 / year.rounds)
  }
  // They work for a quarter of a day. A third goes without a word, and is swept.
  for (const [n, { agent_id }] of team.entries()) if (n % 3 > 0) await agents.leave(agent_id)
  return year.agents * year.rounds * 2
}

/** A reader that comes once a day goes on where it was. */
async function readOn(coordination: Coordination, after: number, said: number): Promise<number> {
  let cursor = after
  for (;;) {
    const page = await coordination.project('').messages.look({ after_id: cursor, limit: 500 })
    for (const { id } of page.messages) {
      expect(id).toBe(cursor + 1)
      cursor = id
    }
    if (page.has_more) continue
    expect(cursor).toBeGreaterThanOrEqual(said)
    return cursor
  }
}

it('grows for ever without AGENTMAIL_KEEP_DAYS, and stays flat with it', async () => {
  const forEver = await sizesOfYear(undefined)
  const kept = await sizesOfYear(year.keepDays)
  const megabytes = (bytes = 0) => (bytes / (1 << 20)).toFixed(1).padStart(7)
  const rows = forEver.map(
    (size, month) =>
      `| ${String(month + 1).padStart(5)} | ${megabytes(size)} MB | ${megabytes(kept[month])} MB |`,
  )
  console.log(['| month | for ever   | kept       |', '|---|---|---|', ...rows].join('\n'))
  expect(forEver).toHaveLength(12)
  const [threeMonths = 0, end = 0] = [forEver[3], forEver.at(-1)]
  expect(end).toBeGreaterThan(2 * threeMonths) // (control)
  const full = Math.max(...kept.slice(2, 5))
  expect(Math.max(...kept.slice(5))).toBeLessThan(1.1 * full)
})
