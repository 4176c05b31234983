/** Copies of a database that is written to meanwhile, what they refuse, and the comparison at their end. */
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Coordination } from '../../../src/coordination/coordination.ts'
import { type CopyProgress, copyDatabase } from '../../../src/coordination/upkeep/copy.ts'
import { identityOf } from '../../../src/store/identity.ts'
import { tables } from '../../../src/store/schema.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import type { Store, View } from '../../../src/store/store.ts'
import { fingerprint } from '../../../src/store/table-walk.ts'
import { staleMs } from '../../support/store/databases.ts'
import { contentOf, filledDatabase, newFile } from '../../support/store/filled-database.ts'

async function store(path: string): Promise<Store> {
  const opened = await openSqlite(path)
  onTestFinished(() => opened.close())
  return opened
}

async function withSchema(number: number): Promise<Store> {
  const opened = await store(await filledDatabase())
  await opened.transaction((transaction) =>
    transaction.run("UPDATE meta SET value = ? WHERE name = 'schema'", String(number)),
  )
  return opened
}

/** The same database, in which something happens each time before the journal is read, the last of the tables of projects. */
const meanwhile = (view: View, work: () => Promise<unknown>): View => ({
  engine: view.engine,
  async all(sql, ...values) {
    if (sql.startsWith('SELECT * FROM journal ORDER')) await work()
    return view.all(sql, ...values)
  },
  close: () => view.close(),
})

/** Counts the rounds of a copy. */
class Rounds {
  count = 0
  #last: CopyProgress['doing'] | undefined

  readonly hear = ({ doing }: CopyProgress): void => {
    if (doing === 'copying' && this.#last !== 'copying') this.count++
    this.#last = doing
  }
}

describe('a copy that cannot be', () => {
  it('is refused of and into an unfinished copy of something else, and tables of another version', async () => {
    const [source, other] = [
      await store(await filledDatabase()),
      await store(await filledDatabase()),
    ]
    const target = await store(newFile())
    const stop = new Error('stop')
    const stopped = copyDatabase(source, target, () => {
      throw stop
    })
    await expect(stopped).rejects.toBe(stop)
    const refusals: [Store, Store, string][] = [
      [other, target, 'the target is an unfinished copy of another database'],
      [target, other, 'the source is an unfinished copy itself'],
      [await withSchema(0), target, 'the source has the tables of an older AgentMail'],
      [await withSchema(99), target, 'the database is of a newer AgentMail'],
      [source, await withSchema(99), 'the database is of a newer AgentMail'],
    ]
    for (const [from, to, words] of refusals) {
      await expect(copyDatabase(from, to)).rejects.toThrow(words)
    }
    await copyDatabase(source, target)
  })
})

describe('a source that is written to while it is copied', () => {
  /** An agent that says something, so often and no more. */
  async function talking(times: number) {
    const path = await filledDatabase()
    const coordination = await Coordination.open({ store: await openSqlite(path), staleMs })
    onTestFinished(() => coordination.close())
    const { agents, messages } = coordination.project('')
    const { agent_id } = await agents.register({ name: 'bob', role: 'coder' })
    let left = times
    const work = async () => {
      if (left-- <= 0) return
      await messages.send({ agent_id, channel: 'broadcast', subject: 'one', body: 'more' })
    }
    return { path, source: meanwhile(await store(path), work) }
  }

  it('is copied in another round, whole', async () => {
    const { path, source } = await talking(1)
    const [target, rounds] = [newFile(), new Rounds()]
    const { tables: found } = await copyDatabase(source, await store(target), rounds.hear)
    expect(rounds.count).toBe(2)
    expect(found).toEqual(await contentOf(path))
    expect(await contentOf(target)).toEqual(found)
  })

  it('is given up after three rounds if that never ends; the target stays unfinished', async () => {
    const { path, source } = await talking(Number.POSITIVE_INFINITY)
    const [target, rounds] = [await store(newFile()), new Rounds()]
    await expect(copyDatabase(source, target, rounds.hear)).rejects.toMatchObject({
      code: 'busy',
      next: expect.stringContaining('Stop the servers'),
    })
    expect(rounds.count).toBe(3)
    const id = (await identityOf(source))?.database_id
    expect(await identityOf(target)).toMatchObject({ copying_from: id, copied_from: undefined })
    await expect(Coordination.open({ store: target, staleMs })).rejects.toThrow('unfinished copy')
    await copyDatabase(await store(path), target)
    expect(await identityOf(target)).toMatchObject({ copying_from: undefined, copied_from: id })
  })
})

describe('the comparison after a copy', () => {
  /** Copies, and does something to the target each time when the rows have arrived. */
  async function copiedWith(statement: string, times: number) {
    const [source, target, rounds] = [await filledDatabase(), newFile(), new Rounds()]
    let left = times
    const copying = copyDatabase(await store(source), await store(target), (progress) => {
      rounds.hear(progress)
      if (progress.doing !== 'verifying' || progress.done > 0 || left-- <= 0) return
      const intruder = new DatabaseSync(target)
      intruder.exec(statement)
      intruder.close()
    })
    return { copying, rounds, source, target }
  }

  it.each([
    ['was changed', "UPDATE messages SET body = body || ' ' WHERE id = 7 AND project = '😀'"],
    ['is missing', "DELETE FROM journal WHERE entry = 3 AND project = 'a '"],
    ['is there besides', "INSERT INTO agents VALUES ('a', 'id', 'name', 'role', 1)"],
  ])('finds one row that %s, and another round mends it', async (_, statement) => {
    const { copying, rounds, source, target } = await copiedWith(statement, 1)
    await copying
    expect(rounds.count).toBe(2)
    expect(await contentOf(target)).toEqual(await contentOf(source))
  })

  it('leaves others their turn, though a file answers at once', async () => {
    const file = await store(await filledDatabase(3000))
    let turns = 0
    const timer = setInterval(() => turns++)
    const messages = tables.filter(({ name }) => name === 'messages')
    for (const table of messages) await fingerprint(file, table)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(2)
  })

  it('finds nothing where nothing happens (control)', async () => {
    const { copying, rounds } = await copiedWith('', 0)
    await copying
    expect(rounds.count).toBe(1)
  })
})
