/** Projects on any engine: every repository finds its own, however many processes see it for the first time at once. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Whereabouts } from '../../../src/coordination/projects/keys.ts'
import type { Projects } from '../../../src/coordination/projects/projects.ts'
import { copyProject } from '../../../src/coordination/upkeep/copy-project.ts'
import { isLong } from '../../support/parts.ts'
import { seededChoice } from '../../support/seeded-random.ts'
import {
  at,
  breathe,
  interleaved,
  listOf,
  type NewDatabase,
  TestDatabase,
  upTo,
} from '../../support/store/databases.ts'

const machine = 'machine'
const here = (root: string, origin?: string): Whereabouts => ({
  ...{ machine, root, origin },
  folder: root.split('/').at(-1) ?? '',
})

const nameOf = async (projects: Projects, where: Whereabouts) =>
  projects.nameOf(await projects.find(where))

export function projectsSuite(newDatabase: NewDatabase): void {
  it('are one a repository: by its root, else by its origin, else a new one', async () => {
    const { coordination } = await (await TestDatabase.create(newDatabase)).server()
    const { projects } = coordination
    const name = (root: string, origin?: string, on = machine) =>
      nameOf(projects, { ...here(root, origin), machine: on })
    expect(await name('/a/shop', 'host/team/shop')).toBe('shop')
    expect(await name('/b/clone', 'host/team/shop')).toBe('shop')
    expect(await name('/c/shop', 'host/other/shop')).toBe('shop-2')
    expect(await name('/d/shop')).toBe('shop-3')
    expect(await name('/a/shop', 'host/else/where')).toBe('shop') // whatever its origin becomes
    expect(await name('/e/x', 'host/else/where')).toBe('shop')
    expect(await name('/d/shop', 'host/first/origin')).toBe('shop-3')
    expect(await name('/f/x', 'host/first/origin')).toBe('shop-3')
    expect(await name('/a/shop', undefined, 'another machine')).toBe('shop-4')
    expect(await name('/g/x', '/srv/git')).toBe('git')
    expect(await name('/h/x', '/srv/git', 'another machine')).toBe('git-2')
    expect(await name('/j/mine', 'host/group/')).toBe('mine') // of host/group/.git
    expect(await name('/k/x', 'host/group')).toBe('mine')
    expect(await name('/i/default')).toBe('default-2') // which is for those in no repository
    await expect(projects.rename('default', 'x')).rejects.toThrow('keeps its name')
  })

  it('end in one project for clones, and in two for two of one name, also when all come at once', async () => {
    const random = seededChoice()
    const database = await TestDatabase.create(newDatabase)
    const servers = await database.servers(3, { through: interleaved(() => breathe(random)) })
    const found = await Promise.all(
      upTo(24).map(async (number) => {
        const { projects } = at(servers, number % servers.length).coordination
        const where = [
          here(`/clone-${number}`, 'host/team/shop'),
          here('/one/shop'),
          here(`/two/${number % 2}/shop`, `host/${number % 2}/shop`),
        ]
        return Promise.all(where.map((one) => projects.find(one)))
      }),
    )
    const distinct = (index: number) => new Set(found.map((keys) => keys[index]))
    expect([distinct(0).size, distinct(1).size, distinct(2).size]).toEqual([1, 1, 2])
    expect(new Set(found.flat())).toEqual(new Set(['shop', 'shop-2', 'shop-3', 'shop-4']))
  })

  it('are called anew by both names, and no name leads to two', async () => {
    const [one, other] = await (await TestDatabase.create(newDatabase)).servers(2)
    if (!one || !other) throw new RangeError()
    const { projects } = one.coordination
    const key = await projects.find(here('/shop'))
    await projects.rename('shop', 'store')
    expect(await nameOf(projects, here('/shop'))).toBe('store')
    for (const name of ['shop', 'store']) {
      expect(await other.coordination.projects.keyOf(name)).toBe(key)
    }
    expect(await nameOf(projects, here('/other/shop'))).toBe('shop-2')
    await other.coordination.project('used').agents.register({ name: 'ann', role: 'coder' })
    for (const taken of ['store', 'shop', 'used']) {
      await expect(projects.rename('shop-2', taken)).rejects.toThrow(/leads to another project/)
    }
    await expect(projects.rename('nobody', 'x')).rejects.toThrow(/there is no project "nobody"/)
    await expect(projects.rename('store', 'a/b')).rejects.toThrow(/cannot be the name/)
    await projects.rename('store', 'shop')
    expect(await nameOf(projects, here('/shop'))).toBe('shop')
  })

  it('are called and wished for by one of two at a time, whatever comes between', async () => {
    const random = seededChoice()
    const database = await TestDatabase.create(newDatabase)
    const servers = await database.servers(2, { through: interleaved(() => breathe(random)) })
    const both = <T>(work: (projects: Projects, n: number) => Promise<T>) =>
      Promise.allSettled(servers.map(({ coordination }, n) => work(coordination.projects, n)))
    const found = (outcomes: PromiseSettledResult<string>[]) =>
      outcomes.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))
    for (const round of upTo(isLong ? 200 : 20)) {
      const names = found(await both((projects, n) => projects.find(here(`/r${round}-${n}`))))
      const renames = await both((projects, n) => projects.rename(names[n] ?? '', `new-${round}`))
      expect(renames.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const wished = await both((projects, n) =>
        projects.find({ ...here(`/w${round}-${n}`), wished: `wish-${round}` }),
      )
      expect(new Set(found(wished)).size).toBe(2)
    }
  })

  it('are one for a clone that comes while another is looking', async () => {
    const database = await TestDatabase.create(newDatabase)
    const { projects } = (await database.server()).coordination
    let first: Promise<string> | undefined
    // Where an engine has one writer at a time, the first waits for the second.
    const comes = async (sql: string) => {
      if (first || !sql.includes('FROM project_names')) return
      first = projects.find(here('/one', 'host/shop'))
      await Promise.race([first, sleep(500)])
    }
    const other = await database.server({ through: interleaved(comes) })
    expect(await other.coordination.projects.find(here('/two', 'host/shop'))).toBe('shop')
    expect(await first).toBe('shop')
  })

  it('take over what was stored before: under their name, or under none by an older version', async () => {
    const { coordination } = await (await TestDatabase.create(newDatabase)).server()
    const { projects } = coordination
    for (const key of ['', 'shop']) {
      await coordination.project(key).agents.register({ name: 'ann', role: 'coder' })
    }
    expect(await projects.keyOf('default')).toBe('')
    expect(await projects.find(here('/shop'))).toBe('shop')
    expect(await projects.find(here('/first'))).toBe('')
    expect(await projects.find(here('/second'))).toBe('second')
    expect(await projects.keyOf('first')).toBe('')
    expect(await projects.keyOf('default')).toBe('default')
  })

  it('are brought whole from one database into another that is in use, or not at all', async () => {
    const [from, to] = [
      await TestDatabase.create(newDatabase),
      await TestDatabase.create(newDatabase),
    ]
    const source = (await from.server()).coordination.project('')
    const { agent_id } = await source.agents.register({ name: 'ann', role: 'coder' })
    const say = (subject: string) =>
      source.messages.send({ agent_id, channel: 'broadcast', subject, body: 'b' })
    for (const number of upTo(20)) await say(`${number}`)
    await source.claims.claim({ agent_id, files: ['a.ts'] })
    const { coordination } = await to.server()
    const target = coordination.project('shop')
    const bob = await target.agents.register({ name: 'bob', role: 'coder' })
    const copy = async () =>
      copyProject(await from.store(), await to.store(), { from: '', to: 'shop' })
    const [rows] = await Promise.all([copy(), target.agents.heartbeat(bob)])
    expect(rows).toMatchObject({ messages: 20, file_claims: 1, agents: 1 })
    const letter = { ...bob, channel: 'broadcast', subject: 'next', body: 'b' }
    expect(await target.messages.send(letter)).toEqual({ message_id: 21 })
    const events = (await listOf(target.history({}))).map(({ event }) => event)
    expect(events).toEqual([
      'registered',
      ...upTo(20).map(() => 'said'),
      'claimed',
      'registered',
      'said',
    ])
    await expect(copy()).rejects.toThrow('has messages already')
    expect((await target.messages.look({ after_id: 0, limit: 100 })).messages).toHaveLength(21)
  })

  it('are listed with what is in them', async () => {
    const { coordination } = await (await TestDatabase.create(newDatabase)).server()
    await coordination.projects.find({ ...here('/empty'), machine: '' })
    const { agents, messages } = coordination.project('used')
    const { agent_id } = await agents.register({ name: 'ann', role: 'coder' })
    await messages.send({ agent_id, channel: 'broadcast', subject: 's', body: 'b' })
    expect(await coordination.projects.list()).toEqual([
      { name: 'empty', roots: ['/empty'], agents: 0, messages: 0, last_activity: null },
      {
        ...{ name: 'used', roots: [], agents: 1, messages: 1 },
        last_activity: expect.stringMatching(/^2026-01-15T00:00:00\.\d{6}Z$/),
      },
    ])
  })
}
