/** Two readers at once for one agent, at several servers: each message to one of them. */
import { describe, expect, it } from 'vitest'
import { markedPlaces, moveMark } from '../../../src/coordination/inbox/marks.ts'
import { integer } from '../../../src/store/store.ts'
import { WriteQueue } from '../../../src/store/write-queue.ts'
import { expectDamage } from '../../support/control-run.ts'
import { isLong } from '../../support/parts.ts'
import { seededChoice } from '../../support/seeded-random.ts'
import {
  at,
  breathe,
  interleaved,
  type NewDatabase,
  TestDatabase,
  upTo,
} from '../../support/store/databases.ts'

const role = 'coder'

export function inboxRaceSuite(newDatabase: NewDatabase): void {
  describe('readers for one agent at two servers', () => {
    const readers = 8

    async function open(count = isLong ? 1000 : 120) {
      const random = seededChoice()
      const database = await TestDatabase.create(newDatabase)
      const servers = await database.servers(2, { through: interleaved(() => breathe(random)) })
      const [ann, bob] = await Promise.all(
        ['ann', 'bob'].map((name) => at(servers, 0).project.agents.register({ name, role })),
      )
      const say = (n: number) =>
        at(servers, n % 2).project.messages.send({
          ...{ agent_id: bob?.agent_id ?? '', channel: n % 3 ? '@ann' : 'broadcast' },
          ...{ subject: 's', body: 'b' },
        })
      return { random, database, servers, ann: ann?.agent_id ?? '', say, count }
    }

    it('are handed each message once, none is left out, and each sees them in order', async () => {
      const { random, servers, ann, say, count } = await open()
      let isOver = false
      const reading = upTo(readers).map(async (n) => {
        const ids: number[] = []
        for (let isLast = false; !isLast; ) {
          isLast = isOver
          const { project } = at(servers, n % 2)
          const { messages, has_more } = await project.unread.read({ agent_id: ann, limit: 5 })
          ids.push(...messages.map(({ id }) => id))
          if (has_more) isLast = false
          await breathe(random)
        }
        return ids
      })
      for (let n = 1; n <= count; n += 6) {
        await Promise.all(upTo(Math.min(6, count - n + 1)).map((k) => say(n + k)))
      }
      isOver = true
      const handed = await Promise.all(reading)
      expect(handed.flat().toSorted((a, b) => a - b)).toEqual(upTo(count))
      for (const ids of handed) expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    })

    it('are handed messages twice where each looks first and marks then (control)', async () => {
      const { random, database, ann, say } = await open()
      await expectDamage(async () => {
        const sent = await Promise.all(upTo(10).map(say))
        const first = Math.min(...sent.map(({ message_id }) => message_id))
        const handed = await Promise.all(
          upTo(readers).map(async () => {
            const store = await database.store()
            const agent = { agent_id: ann, name: 'ann' }
            const { places } = await markedPlaces(store, '', agent, ['@ann'])
            const rows = await store.all(
              "SELECT id FROM messages WHERE channel = '@ann' AND id > ? AND id >= ? ORDER BY id",
              ...[at(places, 0).after, first],
            )
            await breathe(random)
            const after = rows.length > 0 ? integer(rows.at(-1)?.id) : 0
            await new WriteQueue(store).write((write) =>
              moveMark(write, '', ann, { channel: '@ann', after }),
            )
            return rows.map((row) => integer(row.id))
          }),
        )
        return handed.flat().length - new Set(handed.flat()).size
      })
    })
  })

  describe('servers that tell an idle session what waits', () => {
    async function open() {
      const random = seededChoice()
      const database = await TestDatabase.create(newDatabase)
      const servers = await database.servers(3, { through: interleaved(() => breathe(random)) })
      const { project } = at(servers, 0)
      const session = { client: 'claude', session: 's' }
      await project.sessions.start({
        ...{ ...session, role, names: ['ann'], isAvoided: () => false },
        ...{ place: null, home: null, elsewhere: null, mailboxOf: () => null },
      })
      const { agent_id } = await project.agents.register({ name: 'bob', role })
      const say = () =>
        project.messages.send({ agent_id, channel: '@ann', subject: 's', body: 'b' })
      return { random, servers, session, say }
    }

    it('tell it of each message once', async () => {
      const { servers, session, say } = await open()
      const told: number[] = []
      const count = isLong ? 500 : 20
      for (let n = 1; n <= count; n++) {
        await say()
        const found = await Promise.all(
          servers.map(({ project }) => project.sessions.announce(session, 'rewake')),
        )
        told.push(...found.flatMap(({ ids }) => ids))
      }
      expect(told).toEqual(upTo(count))
    })

    it('tell it twice where each looks first and notes then (control)', async () => {
      const { random, servers, session, say } = await open()
      await expectDamage(async () => {
        await say()
        const found = await Promise.all(
          servers.map(async ({ project }) => {
            const { ids = [] } = (await project.sessions.view(session)) ?? {}
            await breathe(random)
            await project.receipts.told(ids, 'rewake')
            return ids
          }),
        )
        return found.flat().length - new Set(found.flat()).size
      })
    })
  })
}
