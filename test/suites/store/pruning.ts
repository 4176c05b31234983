/** Pruning: what is old goes and the rest is as it was, for cursors, ids, keys and the journal; killed anywhere, beside others, by several at once. */
import { expect, it } from 'vitest'
import { timeText } from '../../../src/coordination/time.ts'
import { AgentMailError } from '../../../src/errors.ts'
import type { Store } from '../../../src/store/store.ts'
import { dayMs, hourMs, Story, telling } from '../../support/coordination/story.ts'
import { failureOf } from '../../support/failure-of.ts'
import { isLong } from '../../support/parts.ts'
import { seededChoice } from '../../support/seeded-random.ts'
import {
  listOf,
  type NewDatabase,
  type Server,
  TestClock,
  TestDatabase,
  troubled,
  upTo,
} from '../../support/store/databases.ts'

const letter = { channel: 'broadcast', subject: 's', body: 'b' }

const rowsIn = async (store: Store, table: string) => {
  const [row] = await store.all(`SELECT COUNT(*) AS times FROM ${table}`)
  return Number(row?.times)
}

/** All of them by a cursor, as a reader goes. */
async function readAll({ project }: Server, limit = 7): Promise<number[]> {
  const ids: number[] = []
  for (;;) {
    const { messages, has_more } = await project.messages.look({ after_id: ids.at(-1) ?? 0, limit })
    ids.push(...messages.map(({ id }) => id))
    if (!has_more) return ids
  }
}

async function scene(newDatabase: NewDatabase) {
  const database = await TestDatabase.create(newDatabase)
  const clock = new TestClock()
  return { database, clock, server: await database.server({ clock }) }
}

export function pruningSuite(newDatabase: NewDatabase): void {
  it('tells every later moment as it was, and no earlier one', async () => {
    const { clock, server, database } = await scene(newDatabase)
    const story = new Story(server, clock, seededChoice())
    const store = await database.store()
    for (const _ of upTo(isLong ? 6 : 2)) {
      await story.goOn(isLong ? 60 : 30)
      const cutoff = story.moments.at(-12) ?? 0
      const known = story.moments.slice(-16)
      const isKept = (moment: number) => moment >= cutoff
      const before = await telling(server, known.filter(isKept))
      const ids = await readAll(server)
      const held = await server.project.claims.get({})
      const ageMs = clock.ms - cutoff

      const counted = await server.coordination.prune({ ageMs, isDryRun: true })
      const rows = await rowsIn(store, 'journal')
      const pruned = await server.coordination.prune({ ageMs })
      expect(pruned).toEqual(counted)
      expect(await rowsIn(store, 'journal')).toBe(
        rows - (pruned?.projects[0]?.journal_entries ?? 0),
      )
      expect(await telling(server, known.filter(isKept))).toEqual(before)
      expect(await server.project.claims.get({})).toEqual(held)
      const left = await readAll(server)
      expect(left).toEqual(ids.filter((id) => left.includes(id)))
      for (const moment of story.moments.filter((one) => !isKept(one)).slice(-3)) {
        const as_of = timeText(moment * 1000)
        const message = `the journal before ${timeText(cutoff * 1000)} was pruned`
        const past = listOf(server.project.history({ as_of }))
        expect(await failureOf(past)).toMatchObject({ message: `as-of: ${message}` })
        const to = timeText(clock.ms * 1000)
        const difference = listOf(server.project.difference({ from: to, to: as_of }))
        expect(await failureOf(difference)).toMatchObject({ message: `diff: ${message}` })
      }
      expect(await server.coordination.prune({ ageMs })).toMatchObject({
        projects: [{ messages: 0, changes: 0, journal_entries: 0, agents: 0 }],
      })
    }
  })

  it('keeps what a living name may not have read, who is there, and who went lately', async () => {
    const { clock, server, database } = await scene(newDatabase)
    const { agents, messages, claims } = server.project
    const [ann, bob, gone, back] = await Promise.all(
      ['ann', 'bob', 'gone', 'back'].map((name) => agents.register({ name, role: 'r' })),
    )
    const say = (channel: string) =>
      messages.send({ ...letter, agent_id: bob?.agent_id ?? '', channel })
    for (const channel of ['broadcast', '@ann', '@gone', '@nobody', '@ann']) await say(channel)
    await claims.claim({ agent_id: bob?.agent_id ?? '', files: ['a.ts'] })
    for (const agent of [gone, back]) await agents.leave(agent?.agent_id ?? '')
    clock.pass(10 * dayMs)
    await agents.register({ name: 'back', role: 'r', agent_id: back?.agent_id })
    await agents.leave(back?.agent_id ?? '')
    await say('broadcast')
    expect(await server.coordination.prune({ ageMs: dayMs })).toMatchObject({
      projects: [{ messages: 3, agents: 1 }],
    })
    expect(await readAll(server)).toEqual([2, 5, 6])
    const known = (await agents.list({ known: true })).agents.map(({ name }) => name)
    expect(known.toSorted()).toEqual(['ann', 'back', 'bob'])
    const again = { name: 'gone', role: 'r', agent_id: gone?.agent_id }
    expect((await agents.register(again)).agent_id).not.toBe(gone?.agent_id)
    // Claims and the agents that hold them stay, however old they are.
    clock.pass(1000 * dayMs)
    await server.coordination.prune({ ageMs: 0 })
    expect((await claims.get({})).claims).toMatchObject([{ file_path: 'a.ts', holder_name: 'bob' }])
    expect(await listOf(server.project.history({}))).toMatchObject([
      { agent_name: ann && 'ann', event: 'registered' },
      { agent_name: 'bob', event: 'registered' },
      { agent_name: 'bob', event: 'claimed', file: 'a.ts' },
      { agent_name: 'gone', event: 'registered' },
    ])
    expect(await say('broadcast')).toEqual({ message_id: 7 })
    expect(await readAll(server)).toEqual([2, 5, 7])
    expect(await rowsIn(await database.store(), 'horizons')).toBe(1)
  })

  it('forgets keys after seven days, also of what was pruned, and no sooner', async () => {
    const { clock, server, database } = await scene(newDatabase)
    const { agents, messages, changes } = server.project
    const { agent_id } = await agents.register({ name: 'ann', role: 'r' })
    const say = () => messages.send({ ...letter, agent_id, idempotency_key: 'k' })
    const change = { agent_id, file_path: 'f', summary: 's', idempotency_key: 'k' }
    expect(await say()).toEqual({ message_id: 1 })
    expect(await changes.announce(change)).toEqual({ change_id: 1 })
    const store = await database.store()
    // As an earlier version left them.
    await store.transaction((write) => write.run('UPDATE idempotency_keys SET used_us = NULL'))
    clock.pass(3 * dayMs)
    await server.coordination.prune({ ageMs: 0 })
    expect(await readAll(server)).toEqual([])
    clock.pass(4 * dayMs - hourMs)
    expect(await server.coordination.prune({ ageMs: undefined })).toMatchObject({
      projects: [{ idempotency_keys: 0 }],
    })
    expect([await say(), await changes.announce(change)]).toEqual([
      { message_id: 1 },
      { change_id: 1 },
    ])
    clock.pass(2 * hourMs)
    expect(await server.coordination.prune({ ageMs: undefined })).toMatchObject({
      projects: [{ idempotency_keys: 2, messages: 0 }],
    })
    expect([await say(), await changes.announce(change)]).toEqual([
      { message_id: 2 },
      { change_id: 2 },
    ])
  })

  it('goes on where it was cut off, and was right all the time', async () => {
    const { clock, server, database } = await scene(newDatabase)
    const story = new Story(server, clock, seededChoice())
    await story.goOn(40)
    const { agent_id } = await server.project.agents.register({ name: 'zoe', role: 'r' })
    const many = upTo(1100).map(() => server.project.messages.send({ ...letter, agent_id }))
    await Promise.all(many)
    clock.pass(dayMs)
    const cutoff = clock.ms
    clock.pass(hourMs)
    await server.project.messages.send({ ...letter, agent_id })
    await story.goOn(4)
    const known = story.moments.filter((moment) => moment >= cutoff)
    const before = await telling(server, known)
    const ids = await readAll(server, 500)
    let cuts = 0
    for (let survived = 0; ; survived++) {
      let count = 0
      const through = troubled((moment) =>
        moment === 'after' && count++ >= survived * 2 ? 'failed' : undefined,
      )
      const other = await database.server({ clock, through })
      const error = await other.coordination.prune({ ageMs: clock.ms - cutoff }).catch((e) => e)
      expect(await telling(server, known)).toEqual(before)
      const left = await readAll(server, 500)
      expect(left.slice(-1)).toEqual(ids.slice(-1))
      expect(left).toEqual(ids.filter((id) => left.includes(id)))
      if (!AgentMailError.is(error)) break
      clock.pass(6000) // so that nobody waits for the one that was cut off
      cuts++
    }
    expect(cuts).toBeGreaterThan(2)
    expect((await readAll(server, 500)).length).toBeLessThan(100)
  })

  it('is done once by several servers that do it at once', async () => {
    const { clock, server, database } = await scene(newDatabase)
    const { agents, messages } = server.project
    const { agent_id } = await agents.register({ name: 'ann', role: 'r' })
    await Promise.all(upTo(700).map(() => messages.send({ ...letter, agent_id })))
    clock.pass(dayMs)
    const others = await database.servers(2, { clock })
    const [patient, ...hasty] = await Promise.all([
      ...[server, ...others].map(({ coordination }, index) =>
        coordination.prune({ ageMs: hourMs, isPatient: index === 0 }),
      ),
    ])
    const done = [patient, ...hasty].filter((one) => one !== undefined)
    const sum = done.reduce((all, { projects }) => all + (projects[0]?.messages ?? 0), 0)
    expect(sum).toBe(700)
    expect(patient).toBeDefined()
    expect(await messages.send({ ...letter, agent_id })).toEqual({ message_id: 701 })
    expect(await readAll(server)).toEqual([701])
  })
}
