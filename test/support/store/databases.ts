/** Databases for the tests of stores: connections to them, coordinations on them, and stores that make trouble. */
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { Coordination, type Project } from '../../../src/coordination/coordination.ts'
import { type Store, StoreError, type StoreTrouble } from '../../../src/store/store.ts'
import type { Clock } from '../../../src/system/clock.ts'

/** Makes an empty database, and gives what connects to it as often as it is called. */
export type NewDatabase = () => Promise<() => Promise<Store>>

/** What stands between a coordination and its database. */
export type Through = (store: Store) => Store

export const staleMs = 120_000

/** A clock that stands still until a test moves it. */
export class TestClock implements Clock {
  ms = Date.UTC(2026, 0, 15)

  now(): number {
    return this.ms
  }

  /** After this, whoever was not heard of is stale. */
  pass(ms = staleMs + 1000): void {
    this.ms += ms
  }
}

export interface Server {
  coordination: Coordination
  project: Project
}

export class TestDatabase {
  readonly #connect: () => Promise<Store>

  private constructor(connect: () => Promise<Store>) {
    this.#connect = connect
  }

  static async create(newDatabase: NewDatabase): Promise<TestDatabase> {
    return new TestDatabase(await newDatabase())
  }

  /** A connection that is closed with the test. */
  async store(): Promise<Store> {
    const store = await this.#connect()
    onTestFinished(() => store.close())
    return store
  }

  /** A coordination on a connection of its own, as each of several servers has it. */
  async server(options: { clock?: Clock; through?: Through } = {}): Promise<Server> {
    const { clock = new TestClock(), through = (store) => store } = options
    const store = through(await this.#connect())
    const coordination = await Coordination.open({ store, staleMs, clock })
    onTestFinished(() => coordination.close())
    return { coordination, project: coordination.project('') }
  }

  servers(count: number, options: { clock?: Clock; through?: Through } = {}): Promise<Server[]> {
    return Promise.all(Array.from({ length: count }, () => this.server(options)))
  }
}

/** Registers agents, the first at the first server, the next at the next, and gives each with its project. */
export async function registerAgents(
  servers: Server[],
  count: number,
): Promise<{ agent_id: string; project: Project }[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { project } = at(servers, index % servers.length)
      return { project, ...(await project.agents.register({ name: `a${index}`, role: 'coder' })) }
    }),
  )
}

/** Two servers whose statements come between each other's, and agents at them. */
export async function interleavedServers(
  newDatabase: NewDatabase,
  random: (below: number) => number,
  agentCount: number,
) {
  const database = await TestDatabase.create(newDatabase)
  const servers = await database.servers(2, { through: interleaved(() => breathe(random)) })
  return { servers, agents: await registerAgents(servers, agentCount) }
}

/** The same store, which waits before and after each statement, so that others come in between. */
export function interleaved(wait: (sql: string) => Promise<unknown>): Through {
  const between = async <T>(sql: string, work: () => Promise<T>): Promise<T> => {
    await wait(sql)
    const result = await work()
    await wait(sql)
    return result
  }
  return (store) => ({
    engine: store.engine,
    ...(store.textKeys && { textKeys: store.textKeys }),
    all: (sql, ...values) => between(sql, () => store.all(sql, ...values)),
    transaction: (work) =>
      store.transaction((transaction) =>
        work({
          all: (sql, ...values) => between(sql, () => transaction.all(sql, ...values)),
          run: (sql, ...values) => between(sql, () => transaction.run(sql, ...values)),
        }),
      ),
    define: (statements, record) => store.define(statements, record),
    close: () => store.close(),
  })
}

/** The same store, which fails now and then: before a transaction, or after its commit, as when the answer is lost. */
export const troubled =
  (trouble: (moment: 'before' | 'after') => StoreTrouble | undefined): Through =>
  (store) => {
    const meet = (moment: 'before' | 'after') => {
      const met = trouble(moment)
      if (met) throw new StoreError(met, `trouble ${moment} a transaction`)
    }
    return {
      engine: store.engine,
      all: (sql, ...values) => store.all(sql, ...values),
      async transaction(work) {
        meet('before')
        const result = await store.transaction(work)
        meet('after')
        return result
      },
      define: (statements, record) => store.define(statements, record),
      close: () => store.close(),
    }
  }

/** Waits for a turn or a few, seldom for a moment. */
export async function breathe(random: (below: number) => number): Promise<void> {
  if (random(100) === 0) return sleep(1)
  for (let turns = random(4); turns > 0; turns--) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The numbers from 1 to `count`. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)

/** What stands there; a test that reaches beyond the end is wrong. */
export function at<T>(list: readonly T[], index: number): T {
  const value = list[index]
  if (value === undefined) throw new RangeError(`nothing stands at ${index}`)
  return value
}

export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
