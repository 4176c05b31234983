/** What bounds a project: claims in pages, and so many claims and agents and no more, at however many servers they are asked for. */
import { describe, expect, it } from 'vitest'
import type { ClaimEntry } from '../../../src/coordination/claims/held.ts'
import type { Project } from '../../../src/coordination/coordination.ts'
import { AgentMailError } from '../../../src/errors.ts'
import { integer } from '../../../src/store/store.ts'
import { expectDamage } from '../../support/control-run.ts'
import { seededChoice } from '../../support/seeded-random.ts'
import {
  at,
  breathe,
  interleaved,
  type NewDatabase,
  registerAgents,
  TestClock,
  TestDatabase,
  upTo,
} from '../../support/store/databases.ts'
import { addAgents, addClaims } from '../../support/store/many-rows.ts'

const inBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** All pages, one after the other. */
async function pagesOf(
  project: Project,
  limit: number,
  between = async (_: ClaimEntry[]) => {},
): Promise<ClaimEntry[][]> {
  const pages: ClaimEntry[][] = []
  for (let after: string | undefined; ; ) {
    const { claims, has_more } = await project.claims.get({ limit, after })
    pages.push(claims)
    after = claims.at(-1)?.file_path
    if (!has_more) return pages
    await between(claims)
  }
}

const pathsIn = (pages: ClaimEntry[][]) => pages.flat().map(({ file_path }) => file_path)

/** How many were refused with these words; nothing else may go wrong. */
async function refusals(calls: Promise<unknown>[], words: string): Promise<number> {
  const outcomes = await Promise.allSettled(calls)
  const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  for (const reason of reasons) {
    if (!AgentMailError.is(reason)) throw reason
    expect(reason.message.slice(0, words.length)).toBe(words)
  }
  return reasons.length
}

export function boundsSuite(newDatabase: NewDatabase): void {
  describe('claims in pages', () => {
    const names = [
      ...['a', 'a/b', 'a b', 'a-b', 'A', 'Z', 'é', 'e\u0301', '漢字', '\uffee', '😀', '\u{10ffff}'],
      ...['a\u0001', '%', '_', "o'clock", 'x '.repeat(3).trim(), '0', '00', '-', '.a', '~'],
    ]

    it('come in the order of the bytes of their paths, each once, whatever the size of a page', async () => {
      const database = await TestDatabase.create(newDatabase)
      const server = await database.server()
      const [{ agent_id, project }] = [at(await registerAgents([server], 1), 0)]
      await project.claims.claim({ agent_id, files: names })
      const sorted = names.toSorted(inBytes)
      for (const limit of [1, 5, names.length - 1, names.length, 500]) {
        const pages = await pagesOf(project, limit)
        expect(pathsIn(pages)).toEqual(sorted)
        expect(pages.every(({ length }) => length <= limit)).toBe(true)
        expect(pages).toHaveLength(Math.ceil(names.length / limit))
      }
      const { claims } = await project.claims.get({ files: names, limit: 1, after: '~' })
      expect(pathsIn([claims])).toEqual(sorted)
    })

    it('leave out nothing that stays, whatever comes and goes between two pages', async () => {
      const database = await TestDatabase.create(newDatabase)
      const server = await database.server()
      const [{ agent_id, project }] = [at(await registerAgents([server], 1), 0)]
      const files = upTo(60).map((n) => `file ${String(n).padStart(2, '0')}`)
      await project.claims.claim({ agent_id, files })
      let turn = 0
      const pages = await pagesOf(project, 7, async (page) => {
        const gone = [at(page, 0).file_path, at(page, page.length - 1).file_path]
        await project.claims.release({ agent_id, files: gone })
        await project.claims.claim({ agent_id, files: [`file 00 ${++turn}`, `file 99 ${turn}`] })
      })
      expect(pathsIn(pages).filter((path) => files.includes(path))).toEqual(files)
      expect(new Set(pathsIn(pages)).size).toBe(pathsIn(pages).length)
    })

    it('end at 512 KB', async () => {
      const database = await TestDatabase.create(newDatabase)
      const { project } = await database.server()
      const long = (n: number) => `${'😀'.repeat(1000)}${n}`
      await addClaims(await database.store(), 300, () => 'holder', long)
      const pages = await pagesOf(project, 500)
      const numbers = pathsIn(pages).map((path) => path.slice(2000)) // what tells them apart
      expect(numbers).toEqual(upTo(300).map(String).toSorted())
      for (const [index, page] of pages.entries()) {
        const bytes = Buffer.byteLength(JSON.stringify(page))
        expect(bytes).toBeLessThanOrEqual(512 << 10)
        if (index < pages.length - 1) expect(bytes).toBeGreaterThan(500 << 10)
      }
    })
  })

  describe('two servers whose statements come between each other’s', () => {
    async function open() {
      const random = seededChoice()
      const clock = new TestClock()
      const database = await TestDatabase.create(newDatabase)
      const through = interleaved(() => breathe(random))
      const servers = await database.servers(2, { clock, through })
      return { clock, database, servers, store: await database.store() }
    }

    it('give an agent 10,000 claims and not one more, and refuse a call as a whole', async () => {
      const { servers, store } = await open()
      const [{ agent_id }] = [at(await registerAgents(servers, 1), 0)]
      await addClaims(store, 9_990, () => agent_id)
      const claim = (index: number, ...files: string[]) =>
        at(servers, index % 2).project.claims.claim({ agent_id, files })
      const held = 'src/part-1/file-1.ts'
      const words = 'too many claims: you have 10000 of at most 10000, and these would be 1 more'
      const calls = upTo(32).map((n) => claim(n, held, `new ${n}`))
      expect(await refusals(calls, 'too many claims: you have ')).toBe(22)
      await expect(claim(0, 'free', held)).rejects.toThrow(words)
      expect((await claim(1, held)).claimed).toEqual([held])
      expect((await servers[0]?.project.claims.get({ files: ['free'] }))?.claims).toEqual([])
      const mine = (await at(servers, 0).project.claims.get({ limit: 5 })).claims
      const files = mine.map(({ file_path }) => file_path)
      await at(servers, 1).project.claims.release({ agent_id, files })
      await expect(claim(0, ...upTo(6).map((n) => `six ${n}`))).rejects.toThrow(
        'too many claims: you have 9995 of at most 10000, and these would be 6 more',
      )
      expect((await claim(0, ...upTo(5).map((n) => `five ${n}`))).claimed).toHaveLength(5)
    })

    it('let 5,000 agents live and not one more, and whoever lives may resume', async () => {
      const { clock, servers, store } = await open()
      const ids = await addAgents(store, 4_990, clock.now())
      const register = (index: number, agent_id?: string) => {
        const name = agent_id ? 'name 1' : `new ${index}`
        return at(servers, index % 2).project.agents.register({ name, role: 'coder', agent_id })
      }
      const calls = upTo(32).map((n) => register(n))
      expect(await refusals(calls, 'too many agents: the project has 5000 ')).toBe(22)
      const first = at(ids, 0)
      expect(await register(1, first)).toMatchObject({ agent_id: first })
      const other = await at(servers, 0)
        .coordination.project('other')
        .agents.register({ name: 'n', role: 'r' })
      expect(other.agent_id).toBeTruthy()
      clock.pass()
      expect(await refusals([register(1), register(2, first)], '')).toBe(0)
    })

    it('give more where each counts first and takes then (control)', async () => {
      const { database, servers, store } = await open()
      const agents = await registerAgents(servers, 32)
      const most = 10
      await expectDamage(async () => {
        await Promise.all(
          agents.map(async ({ agent_id, project }, index) => {
            const [row] = await store.all('SELECT COUNT(*) AS claims FROM file_claims')
            if (integer(row?.claims) >= most) return
            await project.claims.claim({ agent_id, files: [`${performance.now()} ${index}`] })
          }),
        )
        const plain = await database.store()
        const [row] = await plain.all('SELECT COUNT(*) AS claims FROM file_claims')
        return integer(row?.claims) - most
      })
    })

    it('sweep many, each once with one notice, and all their claims, however many one has', async () => {
      const { clock, servers, store } = await open()
      const ids = await addAgents(store, 350, clock.now())
      await addClaims(store, 2_500, (n) => at(ids, n <= 1_500 ? 100 : n % ids.length))
      clock.pass()
      const { agent_id } = await at(servers, 0).project.agents.register({ name: 'n', role: 'r' })
      const swept = await Promise.all(servers.map(({ coordination }) => coordination.sweep()))
      expect(swept.reduce((sum, count) => sum + count, 0)).toBe(350)
      const { project } = at(servers, 1)
      const { messages } = await project.messages.look({ after_id: 0, limit: 500 })
      expect(messages.map(({ id }) => id)).toEqual(upTo(350))
      expect(messages.map(({ sender_id }) => sender_id).toSorted()).toEqual(ids)
      expect(await project.claims.get({})).toEqual({ claims: [], has_more: false })
      expect((await project.agents.list()).agents).toMatchObject([{ agent_id }])
    })
  })
}
