/** Claims on folders: all that is below is its holder's, however many reach for it, wherever they do. */
import { describe, expect, it } from 'vitest'
import type { Project } from '../../../src/coordination/coordination.ts'
import { type Store, text } from '../../../src/store/store.ts'
import { WriteQueue } from '../../../src/store/write-queue.ts'
import { sha256 } from '../../../src/system/text.ts'
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
import { addClaims } from '../../support/store/many-rows.ts'

const claimers = 12
const rivals = ['src/', 'src/a.ts', 'src/deep/', '.', 'src/deep/er/b.ts', 'src', 'lib/c.ts']

/** Whether two claims are in each other's way: the same path, or one below the other that is a folder. */
function isRival(one: string, other: string): boolean {
  const isOver = (path: string, below: string) =>
    path === '**' ||
    (path.endsWith('/**') && `${below}/`.startsWith(path.slice(0, -2))) ||
    path === below
  return isOver(one, other) || isOver(other, one)
}

export function foldersSuite(newDatabase: NewDatabase): void {
  async function scene(count = 2) {
    const database = await TestDatabase.create(newDatabase)
    const server = await database.server()
    const agents = await registerAgents([server], count)
    const { claims } = server.project
    const call = (index: number) => ({
      agent_id: at(agents, index).agent_id,
      claim: (...files: string[]) =>
        claims.claim({ agent_id: at(agents, index).agent_id, files }).then(brief),
      release: async (...files: string[]) =>
        (await claims.release({ agent_id: at(agents, index).agent_id, files })).released,
    })
    return { database, project: server.project, a: call(0), b: call(1) }
  }

  type Claiming = Awaited<ReturnType<Project['claims']['claim']>>
  const brief = ({ claimed, conflicts }: Claiming) => ({
    claimed,
    held: conflicts.map(({ file }) => file),
  })
  const paths = async (project: Project, request: Parameters<Project['claims']['get']>[0] = {}) =>
    (await project.claims.get(request)).claims.map(({ file_path }) => file_path)

  describe('a folder', () => {
    it('is held with all below it: a conflict both ways, which names what is held', async () => {
      const { project, a, b } = await scene()
      expect(await a.claim('src/')).toEqual({ claimed: ['src/'], held: [] })
      expect(await b.claim('src/x.ts', 'src/y/', 'srcs/x.ts', './src/**', 'src')).toEqual({
        claimed: ['srcs/x.ts'],
        held: ['src/**'],
      })
      expect(await b.claim('.')).toEqual({ claimed: [], held: ['src/**'] })
      expect(await a.claim('**', 'srcs/')).toEqual({ claimed: [], held: ['srcs/x.ts'] })
      expect(await paths(project)).toEqual(['src/**', 'srcs/x.ts'])
    })

    it('and one’s own files in it are both kept, and let go of one by one', async () => {
      const { project, a, b } = await scene()
      await a.claim('src/a.ts', 'src/deep/b.ts', 'src')
      expect(await a.claim('src/**', 'src/deep/')).toEqual({
        claimed: ['src/**', 'src/deep/'],
        held: [],
      })
      expect(await a.claim('src/later.ts')).toEqual({ claimed: ['src/later.ts'], held: [] })
      expect(await a.release('src/never.ts', 'src/deep')).toEqual(['src/deep'])
      expect(await a.release('src/')).toEqual(['src/'])
      expect(await paths(project)).toEqual(['src', 'src/a.ts', 'src/deep/b.ts', 'src/later.ts'])
      expect(await b.claim('src/')).toEqual({
        claimed: [],
        held: ['src', 'src/a.ts', 'src/deep/b.ts', 'src/later.ts'],
      })
      expect(await b.claim('src/free.ts')).toEqual({ claimed: ['src/free.ts'], held: [] })
    })

    it('is told apart from its neighbours, whatever their names begin with', async () => {
      const { a, b } = await scene()
      const inside = ['src/\t', 'src/ ', 'src/!', 'src/.a', 'src/0', 'src/\u{10ffff}', 'src/é/x']
      const beside = [
        'src.',
        'src.a',
        'src0',
        'src-',
        'src ',
        'src\t',
        'sr',
        'SRC/a',
        'Src',
        'x/src/a',
      ]
      await a.claim(...inside, ...beside)
      const { claimed, held } = await b.claim('src/')
      expect(claimed).toEqual([])
      expect(held.toSorted()).toEqual(inside.toSorted())
      await a.release(...inside)
      expect((await b.claim('src/')).claimed).toEqual(['src/'])
      expect((await a.claim(...inside)).claimed).toEqual([])
      expect((await a.claim('SRC/', 'caf\u00e9/', 'x/')).claimed).toHaveLength(3)
      expect((await b.claim('cafe\u0301/', 'SRC/b', 'caf\u00e9')).claimed).toEqual(['cafe\u0301/'])
    })

    it('names at most 100 that are in its way, and holds the whole project as well', async () => {
      const { database, project, a, b } = await scene()
      await addClaims(await database.store(), 300, () => b.agent_id)
      expect((await a.claim('src/')).held).toHaveLength(100)
      expect((await a.claim('/')).held).toHaveLength(100)
      expect((await a.claim('src/part-7/')).held).toEqual(
        [107, 207, 7].map((n) => `src/part-7/file-${n}.ts`),
      )
      expect(await b.claim('/')).toEqual({ claimed: ['/'], held: [] })
      expect(await a.claim('anything', 'src/part-7/file-7.ts')).toEqual({
        claimed: [],
        held: ['**', 'src/part-7/file-7.ts'],
      })
      expect((await paths(project))[0]).toBe('**')
    })

    it('is told of a file below it, once; of a folder, what is above and below, in pages', async () => {
      const { project, a, b } = await scene()
      await a.claim('src/', 'src/deep/', 'src/deep/b.ts', 'src/a.ts')
      await b.claim('lib/c.ts')
      expect(await paths(project, { files: ['src/new.ts', 'src/other.ts'] })).toEqual(['src/**'])
      expect(await paths(project, { files: ['src/deep/b.ts'] })).toEqual([
        ...['src/**', 'src/deep/**', 'src/deep/b.ts'],
      ])
      expect(await paths(project, { files: ['lib', 'none/'] })).toEqual([])
      expect(await paths(project, { files: ['src/deep/', 'lib/', 'src/deep/er/'] })).toEqual([
        ...['src/**', 'src/deep/**', 'lib/c.ts', 'src/deep/b.ts'],
      ])
      const first = await project.claims.get({ files: ['.', 'src/'], limit: 2 })
      expect(first).toMatchObject({ has_more: true })
      expect(first.claims.map(({ file_path }) => file_path)).toEqual([
        ...['src/**', 'lib/c.ts', 'src/a.ts'],
      ])
      const rest = await project.claims.get({ files: ['.', 'src/'], limit: 2, after: 'src/a.ts' })
      expect(rest).toMatchObject({ has_more: false })
      expect(rest.claims.map(({ file_path }) => file_path)).toEqual([
        ...['src/deep/**', 'src/deep/b.ts'],
      ])
    })

    it('may be one of 1,000 in a call, and as deep and as long as a path can be', async () => {
      const { project, a, b } = await scene()
      const folders = upTo(1_000).map((n) => `part-${n}/`)
      expect(await a.claim(...folders)).toEqual({ claimed: folders, held: [] })
      expect((await b.claim(...folders)).held).toEqual(folders)
      expect((await b.claim(...folders.map((folder) => `${folder}x`))).held).toHaveLength(1_000)
      expect(await a.release(...folders)).toEqual(folders)
      // So many folders above them that those which are held are gone through instead.
      await b.claim('7/d/', '8/d/d', 'd/')
      const nested = upTo(1_000).map((n) => `${n}/${'d/'.repeat(30)}f`)
      const others = nested.filter((file) => !file.startsWith('7/'))
      expect(await a.claim(...nested)).toEqual({ claimed: others, held: ['7/d/**'] })
      expect((await b.claim(...nested)).held).toEqual(others)
      expect(await a.release(...nested)).toEqual(others)
      await b.release('d/')
      const deep = 'd/'.repeat(510)
      expect((await a.claim(deep)).claimed).toEqual([deep])
      expect((await b.claim(`${deep}f`, 'd/d/', 'd/f')).held).toEqual([`${deep}**`])
      const long = `${'語'.repeat(255)}/`.repeat(4).slice(0, 1021)
      expect((await a.claim(`${long}/`)).claimed).toEqual([`${long}/`])
      expect((await b.claim(`${long.slice(0, 511)}/`)).held).toEqual([`${long}/**`])
      await expect(a.claim(`${long}x/`)).rejects.toThrow('at most 1024 characters')
      expect(await paths(project, { files: [`${long}/**`] })).toEqual([`${long}/**`])
    })
  })

  describe('claimers at two servers', () => {
    it('of folders and of what is in them never hold both, round after round, and meet no error', async () => {
      const random = seededChoice()
      const { servers, agents } = await interleavedServers(newDatabase, random, claimers)
      const winners = new Set<string>()
      for (const _ of upTo(isLong ? 300 : 8)) {
        await Promise.all(
          agents.map(async ({ agent_id, project }) => {
            await breathe(random)
            const file = at(rivals, random(rivals.length))
            const { claimed, conflicts } = await project.claims.claim({ agent_id, files: [file] })
            expect(claimed).toEqual(conflicts.length === 0 ? [file] : [])
            for (const { held_by } of conflicts) expect(held_by).not.toBe(agent_id)
          }),
        )
        const { claims } = await at(servers, 0).project.claims.get({})
        for (const [index, one] of claims.entries()) {
          winners.add(one.file_path)
          for (const other of claims.slice(index + 1)) {
            if (one.agent_id === other.agent_id) continue
            expect(isRival(one.file_path, other.file_path) && [one, other]).toBe(false)
          }
        }
        expect(claims.length).toBeGreaterThan(0)
        await Promise.all(
          agents.map(({ agent_id, project }) =>
            project.claims.release({ agent_id, files: rivals }),
          ),
        )
        expect(await paths(at(servers, 1).project)).toEqual([])
      }
      expect(winners.size).toBeGreaterThan(1)
    })

    it('hold both when each looks first and then takes, though each path has one holder (control)', async () => {
      const random = seededChoice()
      const database = await TestDatabase.create(newDatabase)
      await database.server()
      const stores = [await database.store(), await database.store()]
      const queues = stores.map((store) => new WriteQueue(store))
      const held = async (store: Store) =>
        (await store.all('SELECT file_path FROM file_claims')).map((row) => text(row.file_path))
      await expectDamage(async () => {
        await at(queues, 0).write((write) => write.run('DELETE FROM file_claims'))
        await Promise.all(
          ['src/**', 'src/a.ts'].map(async (file_path, index) => {
            if ((await held(at(stores, index))).some((one) => isRival(one, file_path))) return
            await breathe(random)
            await at(queues, index).write(async (write) =>
              write.append('file_claims', {
                ...{ project: '', path_hash: sha256(file_path), file_path },
                ...{ agent_id: `${index}`, agent_name: 'a', claimed_us: 1 },
              }),
            )
          }),
        )
        return (await held(at(stores, 0))).length - 1
      })
    })
  })
}
