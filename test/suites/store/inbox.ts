/** What a name was handed, and what became of messages to it: once, in order, never back, whoever reads where. */
import { expect, it } from 'vitest'
import {
  type NewDatabase,
  type Server,
  TestClock,
  TestDatabase,
  upTo,
} from '../../support/store/databases.ts'

const role = 'coder'

async function scene(newDatabase: NewDatabase) {
  const database = await TestDatabase.create(newDatabase)
  const clock = new TestClock()
  const server = await database.server({ clock })
  return { database, clock, server, ...hands(server) }
}

/** What a test does at a server. */
function hands({ project }: Server) {
  return {
    register: async (name: string, agent_id?: string) =>
      (await project.agents.register({ name, role, agent_id })).agent_id,
    say: async (agent_id: string, channel: string, body = 'b') =>
      (await project.messages.send({ agent_id, channel, subject: 's', body })).message_id,
    unread: async (agent_id: string, request: { channel?: string; limit?: number } = {}) =>
      (await project.unread.read({ agent_id, ...request })).messages.map(({ id }) => id),
    count: async (agent_id: string) => (await project.agents.heartbeat({ agent_id })).unread,
    leave: (agent_id: string) => project.agents.leave(agent_id),
  }
}

export function inboxSuite(newDatabase: NewDatabase): void {
  it('shows what is for a name and not read, oldest first, and marks nothing by that', async () => {
    const { register, say, unread, count, server } = await scene(newDatabase)
    const { project } = server
    const [ann, bob] = [await register('ann'), await register('bob')]
    const inbox = async (request: { all?: boolean; after_id?: number; limit?: number } = {}) => {
      const { inbox, has_more } = await project.inbox({ name: 'ann', limit: 500, ...request })
      return `${inbox.map(({ id }) => id).join(' ')}${has_more ? ' …' : ''}`
    }
    expect([await inbox(), await inbox({ all: true })]).toEqual(['', ''])
    await say(bob, '@ann', 's and more') // 1
    await say(ann, '@ann') // 2, her own
    await say(bob, 'broadcast') // 3
    await say(bob, '@bob') // 4
    const letter = { channel: '@ann', subject: 's', body: 'b' }
    await project.messages.send({ agent_id: bob, ...letter, isByMailbox: true }) // 5
    for (let id = 6; id <= 8; id++) await say(bob, '@ann')
    expect(await inbox()).toBe('1 6 7 8')
    expect([await inbox({ limit: 2 }), await inbox({ after_id: 6 })]).toEqual(['1 6 …', '7 8'])
    expect(await inbox({ all: true, limit: 2 })).toBe('7 8')
    const [first, second] = (await project.inbox({ name: 'ann', limit: 2 })).inbox
    expect(first).toEqual({
      ...{ id: '1', from: 'bob', kind: 'message', text: 's and more' },
      at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
    })
    expect(second?.text).toBe('s\nb')
    expect(await count(ann)).toBe(5)
    await project.messages.read({ agent_id: ann, channel: '@ann', after_id: 6, limit: 1 })
    expect(await inbox()).toBe('1 6 8') // a cursor has made one of them read
    await unread(ann, { channel: '@ann', limit: 1 })
    expect([await inbox(), await inbox({ all: true })]).toEqual(['6 8', '1 6 7 8'])
    await unread(ann)
    expect([await inbox(), await inbox({ all: true, after_id: 6 })]).toEqual(['', '7 8'])
    expect(await project.inbox({ name: 'nobody', limit: 1 })).toEqual({
      ...{ inbox: [], has_more: false },
    })
  })

  it('hands over what is in broadcast and the own channel, oldest first, once, but not one’s own', async () => {
    const { register, say, unread, count, server } = await scene(newDatabase)
    const bob = await register('bob')
    await say(bob, 'broadcast') // 1, before ann came
    await say(bob, '@ann') // 2, which waits for her
    const ann = await register('ann')
    await say(bob, 'broadcast') // 3
    await say(ann, 'broadcast') // 4
    await say(bob, '@bob') // 5
    await say(bob, 'builds') // 6
    await say(bob, '@ann') // 7
    await say(bob, 'broadcast') // 8
    expect(await count(ann)).toBe(4)
    const { messages } = await server.project.messages.read({ agent_id: ann, after_id: 0 })
    expect(messages).toHaveLength(8) // by a cursor, which moves no mark
    const first = await server.project.unread.read({ agent_id: ann, limit: 3 })
    expect(first.messages.map(({ id, channel }) => `${id} ${channel}`)).toEqual([
      ...['2 @ann', '3 broadcast', '7 @ann'],
    ])
    expect(first.has_more).toBe(true)
    expect(first.messages[1]).toEqual(messages[2])
    expect(await count(ann)).toBe(1)
    expect(await server.project.unread.read({ agent_id: ann })).toMatchObject({
      ...{ messages: [{ id: 8 }], has_more: false },
    })
    expect([await unread(ann), await count(ann)]).toEqual([[], 0])
    expect(await unread(ann, { channel: 'builds' })).toEqual([6])
    expect(await unread(ann, { channel: 'builds' })).toEqual([])
    expect(await unread(ann, { channel: '@bob' })).toEqual([5])
    expect(await unread(bob)).toEqual([4])
    expect(await unread(ann, { channel: '@nobody' })).toEqual([])
  })

  it('goes on under a name, whoever comes back under it, after a sweep, a restart and a prune', async () => {
    const { database, clock, server, register, say, unread, leave } = await scene(newDatabase)
    const bob = await register('bob')
    const first = await register('ann')
    await say(bob, '@ann') // 1
    await say(bob, 'broadcast') // 2
    await say(first, 'broadcast') // 3
    expect(await unread(first, { limit: 1 })).toEqual([1])
    await leave(first)
    const second = await register('ann')
    expect(second).not.toBe(first)
    expect(await unread(second)).toEqual([2]) // what was said under her name is her own
    await say(bob, '@ann') // 4
    await say(bob, 'builds') // 5
    expect(await unread(second, { channel: 'builds' })).toEqual([5])
    await server.coordination.sweep() // after which nothing waits that was heard of her
    clock.pass()
    await server.project.agents.heartbeat({ agent_id: bob })
    await server.coordination.sweep() // 6: the notice of it
    const other = await database.server({ clock })
    const again = hands(other)
    const third = await again.register('ann')
    expect(await again.unread(third)).toEqual([4])
    expect(await again.unread(third, { channel: 'builds' })).toEqual([])
    await again.leave(third)
    await say(bob, 'broadcast') // 7
    // One that is back by its old id goes on where the name was, too.
    expect(await register('ann', first)).toBe(first)
    expect(await unread(first)).toEqual([7])
    await leave(first)
    clock.pass()
    await server.project.agents.heartbeat({ agent_id: bob })
    await server.coordination.prune({ ageMs: 1000 })
    expect(await unread(await register('ann'))).toEqual([])
    const marks = await (await database.store()).all('SELECT DISTINCT agent_id FROM marks')
    expect(marks).toHaveLength(2) // of who lives
  })

  it('begins broadcast with the first registration of a name, and its own channel with its first message', async () => {
    const { register, say, unread, server } = await scene(newDatabase)
    const bob = await register('bob')
    await say(bob, 'broadcast') // 1
    await say(bob, '@ann') // 2
    const first = await register('ann')
    await say(bob, 'broadcast') // 3
    expect(await unread(first)).toEqual([2, 3])
    const {
      agent_id,
      note,
      agents,
      unread: waiting,
    } = await server.project.agents.register({
      ...{ name: 'ann', role: 'other' },
    })
    expect(agents).toEqual([
      { name: 'ann', role },
      { name: 'bob', role },
    ])
    expect(note).toContain(`${first} (coder), silent for 0 s`)
    expect(note).toContain(`register again with agent_id "${first}"`)
    expect(waiting).toBe(2)
    await say(first, '@ann') // 4
    expect(await unread(agent_id)).toEqual([2, 3, 4])
    expect(await unread(first)).toEqual([])
    // Who has gone on under another id, while that one lives, goes on where that one is.
    await server.project.agents.leave(first)
    expect(await register('ann', first)).toBe(first)
    await say(bob, '@ann') // 5
    expect([await unread(first), await unread(agent_id)]).toEqual([[5], [5]])
  })

  it('waits, and marks what ended the wait', async () => {
    const { server, register, say, unread } = await scene(newDatabase)
    const [ann, bob] = [await register('ann'), await register('bob')]
    const waiting = server.project.unread.read({ agent_id: ann, wait_seconds: 50 })
    const elsewhere = server.project.unread.read({ agent_id: ann, channel: 'x', wait_seconds: 50 })
    await say(bob, 'builds')
    await say(bob, '@ann')
    expect((await waiting).messages).toMatchObject([{ id: 2 }])
    expect(await unread(ann)).toEqual([])
    await say(bob, 'x')
    expect((await elsewhere).messages).toMatchObject([{ id: 3 }])
    const gone = new AbortController()
    const left = server.project.unread.read({ agent_id: ann, wait_seconds: 50 }, gone.signal)
    gone.abort()
    await say(bob, '@ann')
    expect((await left).messages).toEqual([])
    expect(await unread(ann)).toEqual([4]) // nobody was there to be handed it
  })

  it('ends a page at 512 KB, and loses nothing of it', async () => {
    const { server, register, say } = await scene(newDatabase)
    const [ann, bob] = [await register('ann'), await register('bob')]
    for (const n of upTo(20)) await say(bob, n % 2 ? '@ann' : 'broadcast', 'x'.repeat(60_000))
    const pages: number[][] = []
    for (let has_more = true; has_more; ) {
      const page = await server.project.unread.read({ agent_id: ann })
      pages.push(page.messages.map(({ id }) => id))
      has_more = page.has_more
    }
    expect(pages.flat()).toEqual(upTo(20))
    expect(pages.length).toBeGreaterThan(1)
  })

  it('counts up to a thousand, and passes over one’s own however many they are', async () => {
    const { server, register, count, unread, say } = await scene(newDatabase)
    const [ann, bob] = [await register('ann'), await register('bob')]
    const all = (agent_id: string, times: number) =>
      Promise.all(
        upTo(times).map(() =>
          server.project.messages.send({ agent_id, channel: 'broadcast', subject: 's', body: 'b' }),
        ),
      )
    await all(ann, 2100)
    expect([await count(ann), await count(bob)]).toEqual([0, 1000])
    const id = await say(bob, 'broadcast')
    expect(await count(ann)).toBe(1)
    expect(await unread(ann)).toEqual([id])
  })

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
}
