/** Claims: one holder a path, however many reach for it, wherever they do. */
import { describe, expect, it } from 'vitest'
import { integer, type Store } from '../../../src/store/store.ts'
import { WriteQueue } from '../../../src/store/write-queue.ts'
import { expectDamage } from '../../support/control-run.ts'
import { isLong } from '../../support/parts.ts'
import { seededChoice } from '../../support/seeded-random.ts'
import {
  at,
  breathe,
  interleavedServers,
  type NewDatabase,
  registerAgents,
  TestDatabase,
  upTo,
} from '../../support/store/databases.ts'

const claimers = 32
const spellings = ['src/main.ts', './src/main.ts', 'src//main.ts', 'src\\x\\..\\main.ts']

export function claimsSuite(newDatabase: NewDatabase): void {
  describe('32 claimers at two servers', () => {
    it('are one holder and 31 conflicts, round after round, and never an error', async () => {
      const random = seededChoice()
      const { servers, agents } = await interleavedServers(newDatabase, random, claimers)
      const winners = new Set<string>()
      for (const _ of upTo(isLong ? 500 : 8)) {
        const outcomes = await Promise.all(
          agents.map(async ({ agent_id, project }) => {
            await breathe(random)
            const file = at(spellings, random(spellings.length))
            return {
              agent_id,
              project,
              file,
              ...(await project.claims.claim({ agent_id, files: [file] })),
            }
          }),
        )
        const [winner, ...others] = outcomes.filter(({ claimed }) => claimed.length > 0)
        if (!winner) expect.fail('nobody holds it')
        expect(others).toEqual([])
        for (const { agent_id, file, conflicts } of outcomes) {
          if (agent_id === winner.agent_id) expect(conflicts).toEqual([])
          else expect(conflicts).toMatchObject([{ file, held_by: winner.agent_id }])
        }
        for (const { project } of servers) {
          const { claims } = await project.claims.get({ files: [at(spellings, 0)] })
          expect(claims).toMatchObject([{ file_path: 'src/main.ts', agent_id: winner.agent_id }])
        }
        winners.add(winner.agent_id)
        const files = [at(spellings, 0)]
        const releasing = agents.map(async ({ agent_id, project }) => ({
          agent_id,
          ...(await project.claims.release({ agent_id, files })),
        }))
        const released = (await Promise.all(releasing)).filter((one) => one.released.length > 0)
        expect(released).toEqual([{ agent_id: winner.agent_id, released: files }])
      }
      expect(winners.size).toBeGreaterThan(1)
    })

    it('are several holders when each looks first and then takes (control)', async () => {
      const random = seededChoice()
      const database = await TestDatabase.create(newDatabase)
      await database.server()
      const stores = [await database.store(), await database.store()]
      const queues = stores.map((store) => new WriteQueue(store))
      const count = async (store: Store) =>
        integer((await store.all('SELECT COUNT(*) AS claims FROM file_claims'))[0]?.claims)
      await expectDamage(async () => {
        await at(queues, 0).write((write) => write.run('DELETE FROM file_claims'))
        const outcomes = await Promise.all(
          upTo(claimers).map(async (claimer) => {
            if ((await count(at(stores, claimer % 2))) > 0) return false
            await breathe(random)
            await at(queues, claimer % 2).write(async (write) => {
              await write.run('DELETE FROM file_claims')
              write.append('file_claims', {
                ...{ project: '', path_hash: 'h', file_path: 'f', agent_id: `${claimer}` },
                ...{ agent_name: 'a', claimed_us: 1 },
              })
            })
            return true
          }),
        )
        return outcomes.filter(Boolean).length - 1
      })
    })

    it('share many paths out among them, each to one, while others let go of theirs', async () => {
      const random = seededChoice()
      const { servers, agents } = await interleavedServers(newDatabase, random, claimers)
      const paths = upTo(12).map((n) => `file ${n}`)
      const holders = new Map<string, string>()
      const working = agents.map(async ({ agent_id, project }) => {
        for (const _ of upTo(isLong ? 100 : 3)) {
          const files = paths.filter(() => random(3) === 0)
          const { claimed, conflicts } = await project.claims.claim({ agent_id, files })
          expect([...claimed, ...conflicts.map(({ file }) => file)].toSorted()).toEqual(
            files.toSorted(),
          )
          for (const file of claimed) {
            expect(holders.get(file)).toBeUndefined()
            holders.set(file, agent_id)
          }
          await breathe(random)
          for (const file of claimed) holders.delete(file)
          expect(await project.claims.release({ agent_id, files })).toEqual({ released: claimed })
        }
      })
      await Promise.all(working)
      expect(await at(servers, 0).project.claims.get({})).toEqual({ claims: [], has_more: false })
    })
  })

  it('holds 1,000 files by one call, and lets go of them by one', async () => {
    const database = await TestDatabase.create(newDatabase)
    const server = await database.server()
    const { project } = server
    const agents = await registerAgents([server], 2)
    const files = upTo(1_000).map((n) => `${'folder/'.repeat(n % 100)}${n}.ts`)
    const call = { agent_id: at(agents, 0).agent_id, files }
    expect(await project.claims.claim(call)).toEqual({ claimed: files, conflicts: [] })
    expect(await project.claims.claim(call)).toEqual({ claimed: files, conflicts: [] })
    const conflicts = await project.claims.claim({ agent_id: at(agents, 1).agent_id, files })
    expect(conflicts.claimed).toEqual([])
    expect(conflicts.conflicts.map(({ file }) => file)).toEqual(files)
    expect((await project.claims.get({ files })).claims).toHaveLength(1_000)
    expect(await project.claims.release(call)).toEqual({ released: files })
    expect(await project.claims.get({})).toEqual({ claims: [], has_more: false })
  })

  it('tells paths apart by case and composition', async () => {
    const database = await TestDatabase.create(newDatabase)
    const { project } = await database.server()
    const files = ['readme.md', 'README.md', 'caf\u00e9', 'cafe\u0301']
    for (const file of files) {
      const { agent_id } = await project.agents.register({ name: file, role: 'b' })
      expect((await project.claims.claim({ agent_id, files: [file] })).claimed).toEqual([file])
    }
    expect((await project.claims.get({ files })).claims).toHaveLength(files.length)
  })
}
