/** Signs of life against sweeps: whoever was heard of stays with all it holds, whoever was not goes once. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Project } from '../../../src/coordination/coordination.ts'
import { AgentMailError } from '../../../src/errors.ts'
import { type Store, text } from '../../../src/store/store.ts'
import { WriteQueue } from '../../../src/store/write-queue.ts'
import { expectDamage } from '../../support/control-run.ts'
import { isLong } from '../../support/parts.ts'
import { seededChoice } from '../../support/seeded-random.ts'
import {
  at,
  breathe,
  interleaved,
  listOf,
  type NewDatabase,
  registerAgents,
  type Server,
  staleMs,
  TestClock,
  TestDatabase,
  troubled,
  upTo,
} from '../../support/store/databases.ts'

/** What an agent can do to be heard of. */
const signs: ((project: Project, agent_id: string, turn: string) => Promise<unknown>)[] = [
  (project, agent_id) => project.agents.heartbeat({ agent_id }),
  (project, agent_id) => project.agents.heartbeat({ agent_id }),
  (project, agent_id, turn) => project.claims.claim({ agent_id, files: [turn] }),
  (project, agent_id) => project.claims.release({ agent_id, files: ['nothing'] }),
  (project, agent_id) => project.changes.announce({ agent_id, file_path: 'f', summary: 's' }),
  (project, agent_id) =>
    project.messages.send({ agent_id, channel: 'dev', subject: 's', body: 'b' }),
]

/** Whether it was acknowledged; refused can only be who is not registered any more. */
const isHeard = (sign: Promise<unknown>): Promise<boolean> =>
  sign.then(
    () => true,
    (error: unknown) => {
      expect(AgentMailError.is(error) && error.code).toBe('not_registered')
      return false
    },
  )

const present = async ({ project }: Server) =>
  new Set((await project.agents.list()).agents.map(({ agent_id }) => agent_id))

/** Who was told to be stale, oldest first. */
async function notices({ project }: Server): Promise<{ sender_id: string; body: string }[]> {
  const { messages } = await project.messages.look({ channel: 'broadcast', limit: 500 })
  return messages.filter(({ subject }) => subject === 'agent-stale')
}

/** Reads who is stale, and removes them by their names alone. */
async function naiveSweep(store: Store, wait: () => Promise<void>, nowMs: number): Promise<number> {
  const rows = await store.all(
    'SELECT agent_id FROM presence WHERE last_seen_us < ?',
    (nowMs - staleMs) * 1000,
  )
  await wait()
  await new WriteQueue(store).write(async (write) => {
    for (const row of rows) {
      await write.run('DELETE FROM presence WHERE agent_id = ?', text(row.agent_id))
    }
  })
  return rows.length
}

export function lifeSuite(newDatabase: NewDatabase): void {
  it('ends without a notice for whoever said goodbye, with the last file that it holds', async () => {
    const clock = new TestClock()
    const database = await TestDatabase.create(newDatabase)
    const server = await database.server({ clock })
    const { agents, claims } = server.project
    const [guest, agent, silent] = await registerAgents([server], 3)
    for (const { agent_id } of [guest, agent, silent].flatMap((one) => one ?? [])) {
      await claims.claim({ agent_id, files: [`a of ${agent_id}`, `b of ${agent_id}`] })
      await agents.leave(agent_id)
    }
    const release = (agent_id = '') =>
      claims.release({ agent_id, files: [`a of ${agent_id}`, `b of ${agent_id}`] })
    // Who registers again has come to stay.
    await agents.register({ name: 'a1', role: 'coder', agent_id: agent?.agent_id })
    await claims.release({ agent_id: guest?.agent_id ?? '', files: [`a of ${guest?.agent_id}`] })
    expect((await present(server)).size).toBe(3)
    await Promise.all([release(guest?.agent_id), release(agent?.agent_id)])
    expect(await present(server)).toEqual(new Set([agent?.agent_id, silent?.agent_id]))
    expect(await isHeard(agents.heartbeat({ agent_id: guest?.agent_id ?? '' }))).toBe(false)
    clock.pass()
    await server.coordination.sweep()
    expect((await notices(server)).map(({ sender_id }) => sender_id).toSorted()).toEqual(
      [agent?.agent_id, silent?.agent_id].toSorted(),
    )
  })

  describe('a sweep that races with signs of life at two servers', () => {
    const group = 20

    /** How often an acknowledged agent was removed, or a refused one kept. */
    async function race(rounds: number, isNaive = false) {
      const random = seededChoice()
      const clock = new TestClock()
      const database = await TestDatabase.create(newDatabase)
      const wait = () => breathe(random)
      const servers = await database.servers(2, { clock, through: interleaved(wait) })
      const store = await database.store()
      const [first, second] = [at(servers, 0), at(servers, 1)]
      const counts = { heard: 0, refused: 0, wrong: 0, orphans: 0, notices: 0 }
      for (const round of upTo(rounds)) {
        const agents = await registerAgents(servers, group)
        clock.pass()
        const sweeper = at(servers, random(2)).coordination
        const sweep = async () => {
          for (let turns = random(40); turns > 0; turns--) await wait()
          return isNaive ? naiveSweep(store, wait, clock.now()) : sweeper.sweep()
        }
        const sweeping = sweep()
        const heard = await Promise.all(
          agents.map(async ({ agent_id, project }, index) => {
            for (let turns = random(40); turns > 0; turns--) await wait()
            if (random(3) === 0) await sleep(random(40)) // where a sweep takes its time
            const sign = at(signs, random(signs.length))
            return isHeard(sign(project, agent_id, `${round} ${index}`))
          }),
        )
        await sweeping
        const still = await present(first)
        const { claims } = await second.project.claims.get({})
        counts.orphans += claims.filter(({ agent_id }) => !still.has(agent_id)).length
        counts.wrong += agents.filter(({ agent_id }, i) => still.has(agent_id) !== heard[i]).length
        counts.heard += heard.filter(Boolean).length
        counts.refused += heard.filter((one) => !one).length
        clock.pass()
        if (isNaive) await naiveSweep(store, wait, clock.now())
        else await first.coordination.sweep()
        const told = (await notices(second)).slice(-group).map(({ sender_id }) => sender_id)
        counts.notices += agents.filter(({ agent_id }) => told.includes(agent_id)).length
      }
      expect(await present(first)).toEqual(new Set())
      return counts
    }

    it('never removes whoever was answered, and answers nobody whom it has removed', async () => {
      const rounds = isLong ? 500 : 6
      const { heard, refused, ...rest } = await race(rounds)
      expect(rest).toEqual({ wrong: 0, orphans: 0, notices: rounds * group })
      expect(heard).toBeGreaterThan(0)
      expect(refused).toBeGreaterThan(0)
    })

    it('removes agents that were answered when it trusts what it read before (control)', async () => {
      await expectDamage(async () => (await race(3, true)).wrong)
    })
  })

  describe('three servers that sweep at the same moment', () => {
    async function open() {
      const random = seededChoice()
      const clock = new TestClock()
      const database = await TestDatabase.create(newDatabase)
      const wait = () => breathe(random)
      const servers = await database.servers(3, { clock, through: interleaved(wait) })
      return { random, clock, database, wait, servers, first: at(servers, 0) }
    }

    it('release an agent’s claims and tell the others, once', async () => {
      const { random, clock, servers, first } = await open()
      const { agents, claims, history } = first.project
      for (const round of upTo(isLong ? 100 : 2)) {
        const dead = await registerAgents(servers, 4)
        const fileOf = (agent_id: string) => `${round} ${agent_id}`
        const files = dead.map(({ agent_id }) => fileOf(agent_id)).toSorted()
        for (const { agent_id, project } of dead) {
          await project.claims.claim({ agent_id, files: [fileOf(agent_id)] })
        }
        const living = await agents.register({ name: 'living', role: 'b' })
        clock.pass()
        await agents.heartbeat(living)
        const before = await listOf(history({}))

        const reaching = claims.claim({ ...living, files })
        const sweeping = servers.map(async ({ coordination }) => {
          await breathe(random)
          return coordination.sweep()
        })
        const counts = await Promise.all(sweeping)
        const { claimed } = await reaching
        expect([0, files.length]).toContain(claimed.length) // before the sweep, or after it

        expect(counts.reduce((sum, count) => sum + count)).toBe(dead.length)
        expect(await present(first)).toEqual(new Set([living.agent_id]))
        const told = (await notices(first)).slice(-dead.length)
        for (const [index, { agent_id }] of dead.entries()) {
          const body = `Agent a${index} (role: coder) went stale and was removed. Its file claims have been released.`
          expect(told.filter(({ sender_id }) => sender_id === agent_id)).toMatchObject([{ body }])
        }
        const entries = (await listOf(history({}))).slice(before.length)
        const ended = entries.filter(({ event }) => event === 'went stale' || event === 'released')
        expect(ended).toHaveLength(2 * dead.length)
        expect(ended.flatMap(({ file }) => file ?? []).toSorted()).toEqual(files)
        expect(await claims.claim({ ...living, files })).toEqual({ claimed: files, conflicts: [] })
        await claims.release({ ...living, files })
        await agents.leave(living.agent_id)
      }
    })

    it('sweep an agent several times when each trusts what it read before (control)', async () => {
      const { clock, database, wait, servers } = await open()
      const stores = await Promise.all(servers.map(() => database.store()))
      await expectDamage(async () => {
        await registerAgents(servers, 4)
        clock.pass()
        const sweeping = stores.map((store) => naiveSweep(store, wait, clock.now()))
        const counts = await Promise.all(sweeping)
        return counts.reduce((sum, count) => sum + count) - 4
      })
    })

    it('tell an agent that was swept to register again, and give it its id back', async () => {
      const { clock, servers, first } = await open()
      const { agents, claims, messages } = at(servers, 1).project
      const { agent_id } = await first.project.agents.register({ name: 'a', role: 'b' })
      await claims.claim({ agent_id, files: ['f'] })
      clock.pass()
      await at(servers, 2).coordination.sweep()
      for (const sign of signs) {
        const error = await sign(first.project, agent_id, 'f').catch((reason: unknown) => reason)
        expect(AgentMailError.is(error) && error.text).toMatch(
          /agent "[0-9a-f-]{36}" is not registered\n.*Register again/,
        )
      }
      await expect(messages.read({ agent_id })).rejects.toThrow('is not registered')
      expect(await agents.register({ name: 'a', role: 'c', agent_id })).toMatchObject({
        agent_id,
      })
      expect(await claims.get({})).toEqual({ claims: [], has_more: false })
      const { messages: kept } = await messages.read({ agent_id })
      expect(kept.map(({ subject, sender_id }) => [subject, sender_id])).toEqual([
        ['agent-stale', agent_id],
      ])
    })
  })

  describe('an agent that only reads', () => {
    it('is alive though its sign of life could not be written at first', async () => {
      const clock = new TestClock()
      const database = await TestDatabase.create(newDatabase)
      let isFull = false
      const through = troubled(() => (isFull ? 'full' : undefined))
      const { coordination, project } = await database.server({ clock, through })
      const { agent_id } = await project.agents.register({ name: 'a', role: 'b' })
      clock.pass(staleMs * 0.9)
      await project.messages.read({ agent_id })
      isFull = true
      await expect(coordination.sweep()).rejects.toThrow('could not be written')
      isFull = false
      clock.pass(staleMs * 0.5)
      expect(await coordination.sweep()).toBe(0)
    })

    it('is answered though nothing can be written, however long it was silent', async () => {
      const clock = new TestClock()
      const database = await TestDatabase.create(newDatabase)
      let isFull = false
      const through = troubled(() => (isFull ? 'full' : undefined))
      const { project } = await database.server({ clock, through })
      const { agent_id } = await project.agents.register({ name: 'a', role: 'b' })
      isFull = true
      for (const _ of upTo(4)) {
        clock.pass(staleMs / 5)
        expect(await project.messages.read({ agent_id })).toEqual({ messages: [], has_more: false })
      }
    })

    it('is alive for the other servers as soon as it was answered', async () => {
      const clock = new TestClock()
      const database = await TestDatabase.create(newDatabase)
      const own = await database.server({ clock })
      const other = await database.server({ clock })
      const { agent_id } = await own.project.agents.register({ name: 'a', role: 'b' })
      clock.pass(staleMs - 1000)
      await own.project.messages.read({ agent_id })
      clock.pass(2000)
      expect(await other.coordination.sweep()).toBe(0)
    })
  })
}
