/** What pages are told: every entry of every journal once and in order, wherever they come from. */
import { describe, expect, it } from 'vitest'
import { cursorNow } from '../../src/person/events/cursor.ts'
import { eventually } from '../support/eventually.ts'
import { counting, newDatabase, watched } from '../support/person/watched.ts'
import { type Server, type Through, upTo } from '../support/store/databases.ts'

async function say({ coordination }: Server, key: string, count: number): Promise<void> {
  const { agents, messages } = coordination.project(key)
  const { agent_id } = await agents.register({ name: 'ann', role: 'coder' })
  const letter = { agent_id, channel: 'broadcast', subject: 's', body: 'b' }
  await Promise.all(upTo(count - 1).map(() => messages.send(letter)))
}

/** The numbers of the entries of a project, as they came. */
const numbers = (entries: { project: string; entry: number }[], project: string) =>
  entries.filter((entry) => entry.project === project).map(({ entry }) => entry)

const all = '-'

const deaf: Through = (store) => ({
  ...counting([], { isDeaf: true })(store),
  others: {
    watch() {
      throw new Error('too many files are watched')
    },
  },
})

const goingDeaf: Through = (store) => ({
  ...counting([], { isDeaf: true })(store),
  others: {
    watch(_, onFailure) {
      setImmediate(onFailure, new Error('it is watched no more'))
      return () => {}
    },
  },
})

describe('a page', () => {
  it('is told what happens from now on, where it says nothing of where it was', async () => {
    const server = await (await newDatabase()).server()
    await say(server, 'one', 5)
    const viewer = await watched(server.coordination).open()
    expect(viewer.events).toEqual([
      { name: 'hello', data: { instance: 'this one', cursor: 'one:5' }, cursor: 'one:5' },
    ])
    await say(server, 'one', 3)
    await viewer.until('entry', 3)
    expect(numbers(viewer.entries, 'one')).toEqual([6, 7, 8])
    expect(viewer.cursor).toBe(await cursorNow(server.coordination))
  })

  it('is told everything once and in order while others write, wherever it comes back from', async () => {
    const server = await (await newDatabase()).server()
    const { open } = watched(server.coordination)
    const start = await cursorNow(server.coordination)
    expect(start).toBe(all)
    await say(server, 'one', 1300)
    const writing = (async () => {
      for (const _ of upTo(20)) await Promise.all([say(server, 'one', 40), say(server, 'two', 30)])
    })()
    const viewers = [await open(start), await open('one:700'), await open(start)]
    await writing
    viewers.push(await open(viewers[0]?.events.find(({ name }) => name === 'entry')?.cursor))
    const last = await cursorNow(server.coordination)
    expect(last).toBe('one:2100,two:600')
    await eventually('all have come to the end', () =>
      viewers.every(({ cursor }) => cursor?.includes('one:2100') && cursor.includes('two:600')),
    )
    for (const [index, viewer] of viewers.entries()) {
      const first = [1, 701, 1, 2][index] ?? 0
      const expected = upTo(2100).filter((entry) => entry >= first)
      expect(numbers(viewer.entries, 'one')).toEqual(expected)
      expect(numbers(viewer.entries, 'two')).toEqual(upTo(600))
      expect(viewer.resets).toEqual([])
    }
  })

  it('is told of a project that comes later from its first entry on, and of its name', async () => {
    const server = await (await newDatabase()).server()
    await say(server, 'one', 2)
    const { open } = watched(server.coordination)
    const viewer = await open()
    await say(server, 'two', 2)
    await viewer.until('entry', 2)
    expect(numbers(viewer.entries, 'two')).toEqual([1, 2])
    await viewer.untilHint('projects')
    const hints = () => viewer.hinted('projects')
    const before = hints()
    await server.coordination.projects.rename('two', 'deux')
    await eventually('the new name is hinted at', () => hints() > before)
    await say(server, 'two', 1)
    await viewer.until('entry', 3)
    expect(viewer.entries.at(-1)).toMatchObject({ project: 'deux', entry: 3 })
  })

  it.each<[name: string, cursor: string]>([
    ['cannot be read', 'one'],
    ['is beyond what is there', 'one:6'],
    ['is of a project that is not there', 'one:1,nowhere:1'],
    ['names too many', '*'],
    ['is too long', 'x'.repeat(9000)],
  ])('starts anew where its cursor %s', async (_, cursor) => {
    const server = await (await newDatabase()).server()
    await say(server, 'one', 5)
    const viewer = await watched(server.coordination).open(cursor)
    const reset = { name: 'reset', data: { cursor: 'one:5' }, cursor: 'one:5' }
    expect(viewer.events.slice(1)).toEqual([reset])
    await say(server, 'one', 1)
    await viewer.until('entry')
    expect(numbers(viewer.entries, 'one')).toEqual([6])
  })

  it('starts anew where it is too far behind, or what it missed was pruned', async () => {
    const database = await newDatabase()
    const [server, store] = [await database.server(), await database.store()]
    await say(server, 'one', 10)
    const { open } = watched(server.coordination)
    const remove = (sql: string) => store.transaction((transaction) => transaction.run(sql))
    await remove('DELETE FROM journal WHERE entry = 3')
    expect((await open('one:3')).resets).toEqual([])
    const pruned = await open('one:1')
    await pruned.until('reset')
    expect(pruned.resets).toEqual([{ cursor: 'one:10' }])
    await remove('UPDATE projects SET last_entry = 60000')
    const far = await open('one:9999')
    expect(far.resets).toEqual([{ cursor: expect.stringMatching(/^one:/) }])
  })

  it('starts anew where what it was about to be told is gone, and goes on', async () => {
    const database = await newDatabase()
    const [server, store] = [await database.server(), await database.store()]
    await say(server, 'one', 10)
    const viewer = await watched(server.coordination).open()
    await store.transaction((transaction) => transaction.run('UPDATE projects SET last_entry = 20'))
    await viewer.until('reset')
    expect(viewer.resets).toEqual([{ cursor: 'one:20' }])
  })

  it('that goes leaves nothing behind that reads', async () => {
    const statements: string[] = []
    const server = await (await newDatabase()).server({ through: counting(statements) })
    const { open, leave } = watched(server.coordination)
    leave(await open())
    await say(server, 'one', 3)
    expect(statements.filter((sql) => sql.includes('FROM journal j'))).toEqual([])
    const viewer = await open()
    await say(server, 'one', 3)
    await viewer.until('entry', 3)
    expect(statements.some((sql) => sql.includes('FROM journal j'))).toBe(true)
  })
})

describe('many pages', () => {
  it('are told by one reading', async () => {
    const statements: string[] = []
    const server = await (await newDatabase()).server({ through: counting(statements) })
    const { open } = watched(server.coordination)
    const viewers = await Promise.all(upTo(50).map(() => open()))
    await say(server, 'one', 1)
    await Promise.all(viewers.map((viewer) => viewer.until('entry')))
    expect(statements.filter((sql) => sql.includes('FROM journal j'))).toHaveLength(1)
  })
})

describe('two servers on one file', () => {
  it('tell the pages of each what happened at the other, and look only when it has written', async () => {
    const database = await newDatabase()
    const statements: string[] = []
    const [here, there] = [
      await database.server({ through: counting(statements) }),
      await database.server(),
    ]
    await say(here, 'one', 1)
    const viewer = await watched(here.coordination).open()
    const looks = () =>
      statements.filter((sql) => sql.startsWith('SELECT project, last_message')).length
    await say(there, 'one', 2)
    await viewer.until('entry', 2)
    expect(numbers(viewer.entries, 'one')).toEqual([2, 3])
    await viewer.untilHint('agents')
    await viewer.untilHint('receipts')
    const before = looks()
    await say(here, 'one', 20)
    await viewer.until('entry', 22)
    expect(looks()).toBe(before)
    expect(before).toBeGreaterThan(0)
  })

  it.each(['cannot', 'can no more'])(
    'tell of it also where the file %s be watched',
    async (way) => {
      const database = await newDatabase()
      const through = way === 'cannot' ? deaf : goingDeaf
      const [here, there] = [await database.server({ through }), await database.server()]
      const viewer = await watched(here.coordination).open()
      await say(there, 'one', 2)
      await viewer.until('entry', 2)
      await viewer.untilHint('agents')
    },
  )
})
