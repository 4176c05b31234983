/** Ids and times: in the order of commits and without gaps, so that a reader with a cursor misses and repeats nothing. */
import { describe, expect, it } from 'vitest'
import { WriteQueue } from '../../../src/store/write-queue.ts'
import { expectDamage } from '../../support/control-run.ts'
import { isLong } from '../../support/parts.ts'
import { seededChoice } from '../../support/seeded-random.ts'
import {
  at,
  breathe,
  interleavedServers,
  listOf,
  type NewDatabase,
  type Server,
  TestDatabase,
  upTo,
} from '../../support/store/databases.ts'

const writers = 16
const channels = ['broadcast', 'Broadcast', 'dev']

interface Entry {
  id: number
  time: string
  channel?: string
}

/** Reads on from the last entry it saw, until the writers are done and nothing is left. */
async function follow(
  page: (last: Entry | undefined) => Promise<Entry[]>,
  isOver: () => boolean,
): Promise<Entry[]> {
  const seen: Entry[] = []
  for (;;) {
    const wasOver = isOver()
    const last = seen.at(-1)
    const entries = await page(last)
    seen.push(...entries)
    if (last && entries.some(({ id }) => id <= last.id)) expect.fail(`${last.id} and then again`)
    if (wasOver && entries.length === 0) return seen
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Readers of messages: by id, by time, and by id in one channel, at one server. */
function messageReaders({ project }: Server, isOver: () => boolean): Promise<Entry[]>[] {
  const look = async (request: Parameters<typeof project.messages.look>[0]) =>
    (await project.messages.look(request)).messages.map((one) => ({ ...one, time: one.created_at }))
  return [
    follow((last) => look({ after_id: last?.id ?? 0, limit: 7 }), isOver),
    follow((last) => look({ since: last?.time ?? '1970-01-01T00:00:00Z', limit: 5 }), isOver),
    follow((last) => look({ after_id: last?.id ?? 0, limit: 3, channel: 'dev' }), isOver),
  ]
}

function changeReaders({ project }: Server, isOver: () => boolean): Promise<Entry[]>[] {
  const get = async (request: Parameters<typeof project.changes.get>[0]) =>
    (await project.changes.get(request)).changes.map((one) => ({ ...one, time: one.announced_at }))
  return [
    follow((last) => get({ after_id: last?.id ?? 0, limit: 4 }), isOver),
    follow((last) => get({ since: last?.time ?? '1970-01-01T00:00:00Z', limit: 3 }), isOver),
  ]
}

const idsOf = (entries: Entry[]) => entries.map(({ id }) => id)
const isRising = (list: string[]) =>
  list.every((one, index) => index === 0 || one > at(list, index - 1))

export function orderSuite(newDatabase: NewDatabase): void {
  describe('readers behind 16 writers at two servers', () => {
    it('miss nothing and repeat nothing, by id and by time; ids have no gaps and times rise', async () => {
      const random = seededChoice()
      const each = isLong ? 500 : 8
      const { servers, agents } = await interleavedServers(newDatabase, random, writers)
      let isOver = false
      const reading = servers.map(async (server) => ({
        messages: await Promise.all(messageReaders(server, () => isOver)),
        changes: await Promise.all(changeReaders(server, () => isOver)),
      }))
      const sent: { id: number; channel: string }[] = []
      const announced: number[] = []
      const writing = agents.map(async ({ agent_id, project }, writer) => {
        for (const turn of upTo(each)) {
          const channel = at(channels, random(channels.length))
          const letter = { channel, subject: 's', body: `${writer} ${turn}` }
          const { message_id } = await project.messages.send({ agent_id, ...letter })
          sent.push({ id: message_id, channel })
          if (random(3) > 0) continue
          const change = { agent_id, file_path: `${writer}.ts`, summary: String(turn) }
          announced.push((await project.changes.announce(change)).change_id)
        }
      })
      await Promise.all(writing)
      isOver = true

      expect(sent.map(({ id }) => id).sort((a, b) => a - b)).toEqual(upTo(writers * each))
      expect(announced.sort((a, b) => a - b)).toEqual(upTo(announced.length))
      const inDev = sent.filter(({ channel }) => channel === 'dev').map(({ id }) => id)
      for (const { messages, changes } of await Promise.all(reading)) {
        const [byId = [], byTime = [], dev = []] = messages
        expect(idsOf(byId)).toEqual(upTo(sent.length))
        expect(idsOf(byTime)).toEqual(upTo(sent.length))
        expect(idsOf(dev)).toEqual(inDev.sort((a, b) => a - b))
        for (const list of changes) expect(idsOf(list)).toEqual(upTo(announced.length))
        for (const list of [...messages, ...changes]) {
          expect(isRising(list.map(({ time }) => time))).toBe(true)
        }
      }
      const history = await listOf(at(servers, 0).project.history({}))
      expect(history).toHaveLength(writers + sent.length + announced.length)
      expect(history.filter(({ event }) => event === 'said')).toHaveLength(sent.length)
    })

    it('miss messages whose ids were given out before the commit (control)', async () => {
      const random = seededChoice()
      const database = await TestDatabase.create(newDatabase)
      const server = await database.server()
      const queue = new WriteQueue(await database.store())
      let lastId = 0
      let isOver = false
      await expectDamage(async () => {
        const reading = messageReaders(server, () => isOver)
        const writing = upTo(writers).map(async (writer) => {
          for (const _ of upTo(10)) {
            const id = ++lastId
            await breathe(random)
            await queue.write(async (write) =>
              write.append('messages', {
                ...{ project: '', id, created_us: id, sender_id: `${writer}`, sender_name: 'a' },
                ...{ channel: 'dev', subject: 's', body: 'b' },
              }),
            )
          }
        })
        await Promise.all(writing)
        isOver = true
        const lists = await Promise.all(reading)
        return lists.filter((list) => list.length < lastId).length
      })
    })
  })

  it('keeps projects apart whose names differ in case or accents alone', async () => {
    const database = await TestDatabase.create(newDatabase)
    const { coordination } = await database.server()
    const projects = ['', 'shop', 'Shop', 'shóp'].map((name) => coordination.project(name))
    for (const { agents, messages, changes, claims } of projects) {
      const { agent_id } = await agents.register({ name: 'a', role: 'b' })
      const letter = { channel: 'broadcast', subject: 's', body: agent_id }
      expect(await messages.send({ agent_id, ...letter })).toEqual({ message_id: 1 })
      const change = { agent_id, file_path: 'f', summary: 's' }
      expect(await changes.announce(change)).toEqual({ change_id: 1 })
      expect(await claims.claim({ agent_id, files: ['f'] })).toEqual({
        claimed: ['f'],
        conflicts: [],
      })
      expect((await messages.look({})).messages.map(({ body }) => body)).toEqual([agent_id])
    }
  })

  it('stores a burst that is larger than any batch, whole and in the order of the calls', async () => {
    const database = await TestDatabase.create(newDatabase)
    const { project } = await database.server()
    const { agent_id } = await project.agents.register({ name: 'a', role: 'b' })
    const bodies = upTo(400).map((n) => `${n} ${'é漢👩'.repeat(n % 10 === 0 ? 6_000 : n)}`)
    const sending = bodies.map((body) =>
      project.messages.send({ agent_id, channel: 'broadcast', subject: 's', body }),
    )
    expect((await Promise.all(sending)).map(({ message_id }) => message_id)).toEqual(upTo(400))
    const stored: string[] = []
    for (let hasMore = true; hasMore; ) {
      const page = await project.messages.look({ after_id: stored.length, limit: 500 })
      stored.push(...page.messages.map(({ body }) => body))
      hasMore = page.has_more && page.messages.length > 0
    }
    expect(stored).toEqual(bodies)
  })
}
