/** Sessions of coding clients: one agent each, whatever comes at once and at whichever server. */
import { expect, it } from 'vitest'
import { seededChoice } from '../../support/seeded-random.ts'
import { callerAs, handedIn, turnEnd } from '../../support/sessions/callers.ts'
import {
  at,
  breathe,
  interleaved,
  type NewDatabase,
  type Server,
  TestClock,
  TestDatabase,
  upTo,
} from '../../support/store/databases.ts'
import { scene } from '../../support/store/inbox-scene.ts'

export function sessionsSuite(newDatabase: NewDatabase): void {
  const twoServers = async () => {
    const database = await TestDatabase.create(newDatabase)
    const random = seededChoice()
    const servers = await database.servers(2, { through: interleaved(() => breathe(random)) })
    return { database, one: at(servers, 0).project, two: at(servers, 1).project }
  }
  const namesIn = async ({ project }: Pick<Server, 'project'>) => {
    const { agents } = await project.agents.list()
    return agents.map(({ name }) => name).sort()
  }

  it('gives each that begins a number of its own, at two servers at once', async () => {
    const { one, two } = await twoServers()
    await Promise.all(
      upTo(12).map((n) => (n % 2 ? one : two).sessions.note(callerAs(`s${n}`), 'work')),
    )
    const expected = upTo(12).map((n) => `claude-${n}`)
    expect(await namesIn({ project: one })).toEqual(expected.sort())
  })

  it('begins a session once, whichever of its moments comes first and where', async () => {
    const { one, two } = await twoServers()
    const caller = callerAs('s')
    await Promise.all([
      one.sessions.start(caller),
      two.sessions.edit(caller, ['a']),
      one.sessions.edited(caller, ['a']),
      two.sessions.note(caller, 'work'),
    ])
    expect(await namesIn({ project: one })).toEqual(['claude-1'])
    expect((await one.claims.get({})).claims).toMatchObject([{ file_path: 'a' }])
  })

  it('lets one of two edit a file, and none a file in a folder that another holds', async () => {
    const { one, two } = await twoServers()
    for (const n of upTo(8)) {
      const answers = await Promise.all([
        one.sessions.edit(callerAs('s1'), [`f${n}`, `g${n}`]),
        two.sessions.edit(callerAs('s2'), [`g${n}`, `f${n}`]),
      ])
      expect(answers.map(({ holders }) => holders.length).sort()).toEqual([0, 2])
      const { claims } = await one.claims.get({ files: [`f${n}`, `g${n}`] })
      expect(new Set(claims.map(({ agent_id }) => agent_id)).size).toBe(1)
    }
    const { agent_id } = await one.agents.register({ name: 'bob', role: 'coder' })
    await one.claims.claim({ agent_id, files: ['src/'] })
    const { holders } = await two.sessions.edit(callerAs('s2'), ['lib/a', 'src/deep/a'])
    expect(holders).toMatchObject([{ path: 'src/deep/a', name: 'bob', role: 'coder' }])
    expect((await one.claims.get({ files: ['lib/a'] })).claims).toEqual([])
  })

  it('announces a turn once and releases what hooks have claimed, but not what the agent has', async () => {
    const { one, two } = await twoServers()
    const caller = callerAs('s')
    const { session } = await one.sessions.edit(caller, ['a', 'b', 'c'])
    const { agent_id } = session
    await one.claims.claim({ agent_id, files: ['b', 'd'] })
    await Promise.all([one.sessions.edited(caller, ['a', 'b']), two.sessions.edited(caller, ['a'])])
    await Promise.all([
      one.sessions.handOver(caller, turnEnd),
      two.sessions.handOver(caller, turnEnd),
    ])
    const { changes } = await one.changes.get({})
    expect(changes.map(({ summary }) => summary).sort()).toEqual([
      'Edited by claude-1 (1 edit in one turn; announced by its hook).',
      'Edited by claude-1 (2 edits in one turn; announced by its hook).',
    ])
    const { claims } = await two.claims.get({})
    expect(claims.map(({ file_path }) => file_path)).toEqual(['b', 'd'])
  })

  it('hands a message over once, and to one of two that ask at the same moment', async () => {
    const { one, two } = await twoServers()
    const caller = callerAs('s')
    await one.sessions.start(caller)
    const { agent_id } = await one.agents.register({ name: 'bob', role: 'coder' })
    const letter = { agent_id, channel: '@claude-1', subject: 's' }
    for (const n of upTo(5)) await one.messages.send({ ...letter, body: `m${n}` })
    const [first, second] = await Promise.all([
      one.sessions.handOver(caller, turnEnd),
      two.sessions.handOver(caller, turnEnd),
    ])
    const bodies = [...first.messages, ...second.messages].map(({ body }) => body)
    expect(bodies.sort()).toEqual(['m1', 'm2', 'm3', 'm4', 'm5'])
  })

  it('keeps what does not fit, in its order, and names what is too long once', async () => {
    const { server, register, say, count, unread } = await scene(newDatabase)
    const { sessions } = server.project
    const caller = callerAs('s')
    const { session } = await sessions.start(caller)
    const bob = await register('bob')
    for (const length of [4000, 4000, 4000]) await say(bob, '@claude-1', 'x'.repeat(length)) // 1 to 3
    await say(bob, 'broadcast', 'short') // 4
    const idsOf = async () => {
      const { messages, tooLong, left } = await sessions.handOver(caller, turnEnd)
      return { ids: messages.map(({ id }) => id), long: tooLong.map(({ id }) => id), left }
    }
    expect(await idsOf()).toEqual({ ids: [1, 2, 4], long: [], left: 1 })
    expect(await idsOf()).toEqual({ ids: [3], long: [], left: 0 })
    await say(bob, '@claude-1', 'x'.repeat(9001)) // 5
    await say(bob, '@claude-1', 'after it') // 6
    await say(bob, 'broadcast', 'x'.repeat(9001)) // 7
    await say(bob, 'broadcast', 'after that') // 8
    expect(await idsOf()).toEqual({ ids: [6, 8], long: [5, 7], left: 0 })
    expect(await idsOf()).toEqual({ ids: [], long: [], left: 2 })
    await say(bob, '@claude-1', 'later') // 9
    expect(await idsOf()).toEqual({ ids: [9], long: [], left: 2 })
    expect(await count(session.agent_id)).toBe(2)
    const { state } = (await server.project.sent({ from: 'bob', limit: 9 })).sent[2] ?? {}
    expect(state).toBe('notified')
    expect(await unread(session.agent_id)).toEqual([5, 7])
    expect(await idsOf()).toEqual({ ids: [], long: [], left: 0 })
    await say(bob, '@claude-1') // 10
    expect(await unread(session.agent_id)).toEqual([10])
  })

  it('is another agent once one was registered in it, with all that the former held and was handed', async () => {
    const { server, register, say, unread } = await scene(newDatabase)
    const { project } = server
    const caller = callerAs('s')
    const { session } = await project.sessions.start(caller)
    const bob = await register('bob')
    await project.sessions.edit(caller, ['a'])
    await project.claims.claim({ agent_id: session.agent_id, files: ['b'] })
    await say(bob, '@claude-1', 'read') // 1
    await project.sessions.handOver(caller, turnEnd)
    await say(bob, '@claude-1', 'unread') // 2
    const ann = await register('ann')
    await project.sessions.become(caller, ann)
    expect(await namesIn(server)).toEqual(['ann', 'bob'])
    const { claims } = await project.claims.get({})
    expect(claims.map(({ holder_name, file_path }) => `${holder_name} ${file_path}`)).toEqual([
      ...['ann a', 'ann b'],
    ])
    expect((await project.messages.look({})).messages).toHaveLength(2) // and no notice
    const { messages } = await project.sessions.handOver(caller, turnEnd)
    expect(messages.map(({ body }) => body)).toEqual(['unread'])
    expect(await unread(ann)).toEqual([])
    expect((await project.sessions.find(caller))?.agent_id).toBe(ann)
    await project.sessions.become(caller, 'nobody') // whoever that is
    expect((await project.sessions.find(caller))?.agent_id).toBe(ann)
  })

  it('that becomes another agent has unread what was said to all and either has not read', async () => {
    const { server, register, say } = await scene(newDatabase)
    const { project } = server
    const handed = handedIn(project.sessions)
    const ann = await register('ann')
    const bob = await register('bob')
    await project.sessions.start(callerAs('s'))
    await say(bob, 'broadcast') // 1
    expect(await handed('s')).toEqual([1])
    await project.sessions.become(callerAs('s'), ann)
    expect(await handed('s')).toEqual([1])
    await project.sessions.start(callerAs('t'))
    await say(bob, 'broadcast') // 2
    await project.sessions.become(callerAs('t'), await register('carl'))
    expect(await handed('t')).toEqual([2])
    expect(await handed('t')).toEqual([])
  })

  it('gives the agent of a session another name and role, under its id, at every server', async () => {
    const { database, clock, server, register, say, unread } = await scene(newDatabase)
    const { project } = server
    const other = await database.server({ clock })
    const caller = callerAs('s')
    const { session } = await project.sessions.start(caller)
    const { agent_id } = session
    const bob = await register('bob')
    await project.sessions.edit(caller, ['a'])
    await other.project.agents.heartbeat({ agent_id }) // which has seen its name
    await say(bob, '@claude-1') // 1
    const answer = await project.sessions.register(caller, { name: 'parser', role: 'coder' })
    expect(answer).toMatchObject({ agent_id, agents: [{ name: 'bob' }], unread: 0 })
    expect(answer.note).toContain('1 message is unread in @claude-1')
    await say(bob, '@parser') // 2
    await other.project.messages.send({ agent_id, channel: '@bob', subject: 's', body: 'b' }) // 3
    const [said] = (await project.messages.look({ channel: '@bob' })).messages
    expect(said?.sender_name).toBe('parser')
    const { claims } = await project.claims.get({})
    expect(claims).toMatchObject([{ file_path: 'a', holder_name: 'parser', agent_id }])
    expect(await namesIn(server)).toEqual(['bob', 'parser'])
    expect(await unread(agent_id)).toEqual([2])
    const { messages } = await project.sessions.handOver(caller, turnEnd)
    expect(messages.map(({ id }) => id)).toEqual([1])
    // Outside a session, and with an id of somebody else, it is as ever.
    const outside = await project.sessions.register(undefined, { name: 'carl', role: 'coder' })
    expect(outside.agent_id).not.toBe(agent_id)
    const resumed = { name: 'carl', role: 'coder', agent_id: outside.agent_id }
    await project.sessions.register(caller, resumed)
    expect((await project.sessions.find(caller))?.name).toBe('carl')
  })

  it('leaves its former name with what it was handed, for whoever has that next', async () => {
    const { server, register, say } = await scene(newDatabase)
    const { sessions } = server.project
    const handed = handedIn(sessions)
    const rename = (session: string, name: string) =>
      sessions.register(callerAs(session), { name, role: 'coder' })
    const bob = await register('bob')
    await sessions.start(callerAs('m1'))
    await say(bob, '@claude-1') // 1
    await say(bob, 'broadcast') // 2
    expect(await handed('m1')).toEqual([1, 2])
    await rename('m1', 'alice')
    await say(bob, '@claude-1') // 3
    await say(bob, '@alice') // 4
    expect(await handed('m1')).toEqual([3, 4])
    for (const name of ['carl', 'alice', 'carl']) await rename('m1', name)
    await say(bob, '@claude-1') // 5
    expect(await handed('m1')).toEqual([])
    await sessions.end(callerAs('m1'))
    expect((await sessions.start(callerAs('m2'))).session.name).toBe('claude-1')
    expect(await handed('m2')).toEqual([5])
    await rename('m2', 'alice')
    expect(await handed('m2')).toEqual([])
    const known = (await server.project.agents.list({ known: true })).agents
    expect(known.filter(({ name }) => name === 'alice').length).toBeLessThan(3)
  })

  it('ends without a notice, with everything released, and is there again when it is heard of', async () => {
    const { clock, server, register } = await scene(newDatabase)
    const { project, coordination } = server
    const caller = callerAs('s')
    await project.sessions.edit(caller, ['a'])
    await project.sessions.edited(caller, ['a'])
    const { agent_id = '' } = (await project.sessions.find(caller)) ?? {}
    await project.claims.claim({ agent_id, files: ['b'] })
    await project.sessions.end(caller)
    await project.sessions.end(caller)
    await project.sessions.end(callerAs('never heard of'))
    expect(await namesIn(server)).toEqual([])
    expect((await project.claims.get({})).claims).toEqual([])
    expect((await project.changes.get({})).changes).toHaveLength(1)
    expect(await project.sessions.find(caller)).toBeUndefined()
    clock.pass()
    await coordination.sweep()
    expect((await project.messages.look({})).messages).toEqual([])
    await project.sessions.note(caller)
    expect((await project.sessions.find(caller))?.agent_id).toBe(agent_id)
    // While it waits for its user it stays, long after others have gone, and goes in silence.
    const sweptAfter = async (ms?: number) => {
      clock.pass(ms)
      await coordination.sweep()
      const { messages } = await project.messages.look({})
      return [await namesIn(server), messages.map(({ sender_name }) => sender_name)]
    }
    await register('bob')
    expect(await sweptAfter()).toEqual([['claude-1'], ['bob']])
    expect(await sweptAfter(13 * 3600_000)).toEqual([[], ['bob']])
    // In the middle of something, or with files in its hands, it goes as everybody does.
    await project.sessions.note(caller, 'work')
    expect((await project.sessions.find(caller))?.agent_id).toBe(agent_id)
    expect(await sweptAfter()).toEqual([[], ['bob', 'claude-1']])
    await project.sessions.note(caller, 'ready')
    await project.claims.claim({ agent_id, files: ['b'] })
    expect(await sweptAfter()).toEqual([[], ['bob', 'claude-1', 'claude-1']])
  })

  it('keeps no more sessions than it should, and none of an agent that was pruned', async () => {
    const clock = new TestClock()
    const database = await TestDatabase.create(newDatabase)
    const { project, coordination } = await database.server({ clock })
    const store = await database.store()
    const rowsIn = async (table: string) => (await store.all(`SELECT project FROM ${table}`)).length
    for (const n of upTo(2)) {
      await project.sessions.edited(callerAs(`s${n}`), ['a'])
      await project.sessions.end(callerAs(`s${n}`))
    }
    await project.sessions.edited(callerAs('elsewhere', { place: 'outside m2' }), ['a'])
    expect([await rowsIn('sessions'), await rowsIn('turn_edits')]).toEqual([3, 1])
    clock.pass(8 * 24 * 3600_000)
    await project.sessions.start(callerAs('later'))
    expect([await rowsIn('sessions'), await rowsIn('turn_edits')]).toEqual([2, 1])
    await coordination.sweep()
    clock.pass(24 * 3600_000)
    await project.sessions.note(callerAs('later'))
    await coordination.prune({ ageMs: 3600_000 })
    expect([await rowsIn('sessions'), await rowsIn('turn_edits')]).toEqual([1, 0])
  })
}
