/** What became of messages to a name: who has not read them, where those stand, and what pruning keeps for them. */
import { expect, it } from 'vitest'
import type { NewDatabase } from '../../support/store/databases.ts'
import { scene } from '../../support/store/inbox-scene.ts'

export function receiptsSuite(newDatabase: NewDatabase): void {
  it('finds who of several names has messages that were not read, and waits for them', async () => {
    const { server, register, say, unread } = await scene(newDatabase)
    const [ann, bob] = [await register('ann'), await register('bob')]
    const { project } = server
    const found = async (request: object = {}) =>
      (
        await project.waitingFor({ names: ['ann', 'bob', 'zoe', "o'x", 'none'], ...request })
      ).waiting.map(
        ({ name, newest_id, is_notified }) => `${name} ${newest_id}${is_notified ? ' told' : ''}`,
      )
    expect(await found()).toEqual([])
    // Neither what one says to oneself counts, nor what is in a mailbox, nor what is elsewhere.
    await say(ann, '@ann') // 1
    const letter = { channel: '@zoe', subject: 's', body: 'b' }
    await project.messages.send({ agent_id: bob, ...letter, isByMailbox: true }) // 2
    for (const channel of ['broadcast', '@ANN', 'ann', '@none of them']) await say(bob, channel)
    expect(await found()).toEqual([])
    for (const channel of ['@ann', '@ann', '@zoe', "@o'x"]) await say(bob, channel) // 7 to 10
    expect(await found()).toEqual(['ann 8', 'zoe 9', "o'x 10"])
    expect(await found({ after_id: 8 })).toEqual(['zoe 9', "o'x 10"])
    await project.receipts.notified('ann', 8)
    expect(await found({ names: ['ann'] })).toEqual(['ann 8 told'])
    await project.messages.read({ agent_id: ann, after_id: 7, limit: 1 })
    expect(await found({ names: ['ann'] })).toEqual(['ann 7 told'])
    expect(await unread(ann)).toEqual(expect.arrayContaining([7, 8]))
    expect(await found()).toEqual(['zoe 9', "o'x 10"])
    const waiting = found({ names: ['ann', 'bob'], after_id: 10, wait_seconds: 50 })
    await say(ann, '@zoe')
    await say(ann, '@bob')
    expect(await waiting).toEqual(['bob 12'])
  })

  it('lets one of several servers tell an idle session what waits, and notes how', async () => {
    const { database, clock, server, register, say } = await scene(newDatabase)
    const name = { client: 'claude', session: 's' }
    const caller = {
      ...{ ...name, role: 'claude', names: ['ann'], isAvoided: () => false },
      ...{ place: null, home: null, elsewhere: null, mailboxOf: () => null },
    }
    await server.project.sessions.start(caller)
    const bob = await register('bob')
    const ids = [await say(bob, '@ann'), await say(bob, '@ann')]
    expect(await server.project.sessions.view(name)).toMatchObject({ ids, newest_id: ids[1] })
    const tries = await Promise.all(
      [server, await database.server({ clock }), server].map(({ project }) =>
        project.sessions.announce(name, 'rewake'),
      ),
    )
    expect(tries.filter((one) => one.ids.length > 0)).toEqual([{ ids, from: ['bob'] }])
    const { waiting } = await server.project.waitingFor({ names: ['ann'] })
    expect(waiting).toMatchObject([{ is_notified: true, notified_by: 'rewake' }])
    await server.project.receipts.told(ids, 'codex')
    const { sent } = await server.project.sent({ from: 'bob', limit: 5 })
    expect(sent.map(({ state, notified_by }) => `${state} ${notified_by}`)).toEqual([
      'notified rewake',
      'notified rewake',
    ])
    await server.project.sessions.note(caller, 'work')
    await say(bob, '@ann')
    expect(await server.project.sessions.announce(name, 'rewake')).toEqual({ ids: [], from: [] })
    expect(await server.project.sessions.idle('claude')).toEqual([])
  })

  it('keeps receipts: queued, notified, read, and never back', async () => {
    const { clock, server, register, say, unread } = await scene(newDatabase)
    const [ann, bob, zoe] = [await register('ann'), await register('bob'), await register('zoe')]
    const { receipts, messages, sent } = server.project
    const states = async () =>
      (await sent({ from: 'bob', limit: 10 })).sent.map((one) => `${one.id} ${one.state}`)
    for (const channel of ['@ann', 'broadcast', '@ann', '@zoe', '@ann']) await say(bob, channel)
    expect(await states()).toEqual(['5 queued', '4 queued', '3 queued', '1 queued'])
    await receipts.notified('ann', 3)
    expect(await states()).toEqual(['5 queued', '4 queued', '3 notified', '1 notified'])
    const [, , told] = (await sent({ from: 'bob', limit: 10 })).sent
    clock.pass(1000)
    await receipts.notified('ann', 3)
    expect((await sent({ from: 'bob', limit: 10 })).sent[2]).toEqual(told) // the first time counts
    expect(await unread(ann, { limit: 1 })).toEqual([1])
    await receipts.notified('ann', 5)
    expect(await states()).toEqual(['5 notified', '4 queued', '3 notified', '1 read'])
    // Who has another name, or wrote it, does not make it read; a cursor does.
    await messages.read({ agent_id: bob, after_id: 0 })
    await messages.read({ agent_id: ann, after_id: 3 })
    expect(await states()).toEqual(['5 read', '4 queued', '3 notified', '1 read'])
    await messages.read({ agent_id: zoe, channel: '@zoe' })
    expect(await states()).toEqual(['5 read', '4 read', '3 notified', '1 read'])
    const before = await sent({ from: 'bob', limit: 10 })
    clock.pass(1000)
    await messages.read({ agent_id: ann, after_id: 3 })
    expect(await unread(ann)).toEqual([2, 3, 5])
    const after = await sent({ from: 'bob', limit: 10 })
    expect(after.sent[0]).toEqual(before.sent[0])
    expect(await sent({ from: 'bob', to: 'zoe', limit: 10 })).toMatchObject({
      sent: [{ id: '4', to: 'zoe', text: 's\nb' }],
    })
    expect((await sent({ from: 'bob', limit: 2 })).sent).toHaveLength(2)
    expect(await sent({ from: 'ann', limit: 2 })).toEqual({ sent: [] })
  })

  it('keeps from pruning what a living name was not handed, and nothing else of it', async () => {
    const { clock, server, database, register, say, unread, leave } = await scene(newDatabase)
    const [ann, bob] = [await register('ann'), await register('bob')]
    const old = await register('old')
    for (const channel of ['@ann', 'broadcast', '@ann', 'builds', '@old']) await say(bob, channel)
    expect(await unread(ann, { limit: 2 })).toEqual([1, 2])
    await leave(old)
    clock.pass(1000)
    const left = async () =>
      (await server.project.messages.look({ after_id: 0 })).messages.map(({ id }) => id)
    await say(ann, 'broadcast') // 6: unread by bob
    clock.pass(1000)
    await server.coordination.prune({ ageMs: 500 })
    expect(await left()).toEqual([3, 6])
    const store = await database.store()
    expect(await store.all('SELECT message_id FROM receipts')).toEqual([])
    expect([await unread(ann), await unread(bob)]).toEqual([[3], [6]])
    expect(await store.all('SELECT message_id FROM receipts')).toEqual([{ message_id: 3 }])
    await server.coordination.prune({ ageMs: 0 })
    expect(await left()).toEqual([])
    expect(await store.all('SELECT message_id FROM receipts')).toEqual([])
  })

  it('tells where agents stand until they register again, and how much in @name was not read', async () => {
    const { server, register, say, unread } = await scene(newDatabase)
    const { project } = server
    const [ann, bob] = [await register('ann'), await register('bob')]
    await project.standAt(ann, 'x'.repeat(255))
    await project.standAt('nobody', 'anywhere')
    for (const channel of ['@ann', '@ann', '@ann', 'broadcast', '@bob']) await say(bob, channel)
    const standings = async () =>
      (await project.standings({})).agents
        .map((agent) => `${agent.name} ${agent.place?.length ?? 'nowhere'} ${agent.unread}`)
        .sort()
    expect(await standings()).toEqual(['ann 255 3', 'bob nowhere 0'])
    await project.messages.read({ agent_id: ann, after_id: 2 }) // by a cursor: the third
    expect(await standings()).toEqual(['ann 255 2', 'bob nowhere 0'])
    expect(await unread(ann, { limit: 1 })).toEqual([1])
    expect(await standings()).toEqual(['ann 255 1', 'bob nowhere 0'])
    await register('ann', ann)
    expect(await standings()).toEqual(['ann nowhere 1', 'bob nowhere 0'])
    expect((await project.standings({ agent: 'bob', limit: 1 })).agents).toHaveLength(1)
    expect(await project.standings({ limit: 1 })).toMatchObject({ has_more: true })
  })

  it('keeps from pruning what the person has not read, who is registered by nothing', async () => {
    const { server, clock, register, say } = await scene(newDatabase)
    const ann = await register('ann')
    const read = await say(ann, '@human')
    const waiting = await say(ann, '@human')
    await server.project.receipts.read([read])
    clock.pass(10 * 24 * 3600_000)
    await server.coordination.prune({ ageMs: 24 * 3600_000, person: 'human' })
    const { messages } = await server.project.messages.look({ channel: '@human' })
    expect(messages.map(({ id }) => id)).toEqual([waiting])
  })
}
