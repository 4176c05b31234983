/** What a name was handed, and what became of messages to it: once, in order, never back, whoever reads where. */
import { expect, it } from 'vitest'
import { type NewDatabase, upTo } from '../../support/store/databases.ts'
import { hands, scene } from '../../support/store/inbox-scene.ts'

const role = 'coder'

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
    await say(bob, '@ann', 's\nand more') // 1
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
      ...{ id: '1', from: 'bob', kind: 'message', text: 's\nand more' },
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
}
