/** agentmail db copy: everything arrives, whatever the engines, whoever interrupts it, and nothing else is touched. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { Coordination } from '../../src/coordination/coordination.ts'
import { type CopyProgress, copyDatabase } from '../../src/coordination/upkeep/copy.ts'
import { fingerprint } from '../../src/coordination/upkeep/table-walk.ts'
import { identityOf } from '../../src/store/identity.ts'
import { tables } from '../../src/store/schema.ts'
import { openSqlite, viewSqlite } from '../../src/store/sqlite.ts'
import type { Store, View } from '../../src/store/store.ts'
import { agentmail, ended, type Ran, start } from '../support/agentmail.ts'
import { describeWith } from '../support/parts.ts'
import { TestServer } from '../support/server/server.ts'
import { account, type DatabaseServer, query } from '../support/store/database-servers.ts'
import { staleMs } from '../support/store/databases.ts'
import { startDolt } from '../support/store/dolt.ts'
import { filledDatabase } from '../support/store/filled-database.ts'
import { startMariadb } from '../support/store/mariadb.ts'
import { sharedDatabaseServer } from '../support/store/shared-database-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const copiedSchema = z.strictObject({
  from: z.string(),
  to: z.string(),
  tables: z.array(z.strictObject({ name: z.string(), rows: z.int(), sha256: z.string() })),
  copied: z.int(),
  version: z.string().nullable(),
  seconds: z.number(),
})

const run = (from: string, to: string, ...more: string[]): Promise<Ran> =>
  agentmail(['db', 'copy', '--from', from, '--to', to, ...more])

async function copied(from: string, to: string) {
  const { stdout, stderr, exitCode } = await run(from, to, '--json')
  expect([stderr, exitCode]).toEqual(['', 0])
  expect(stdout).not.toContain(account.password)
  expect(stdout).not.toContain(encodeURIComponent(account.password))
  return copiedSchema.parse(JSON.parse(stdout))
}

const newFile = () => join(temporaryFolder(), 'target.db')

/** What a file holds, told by none of what is tested here but the walk. */
async function contentOf(path: string) {
  const view = await viewSqlite(path)
  const content = await Promise.all(
    tables.map(async (table) => ({ name: table.name, ...(await fingerprint(view, table)) })),
  )
  await view.close()
  return content
}

const history = async (db: string): Promise<object[]> => {
  const { stdout } = await agentmail(['history', '--db', db, '--json'])
  return z
    .array(z.record(z.string(), z.unknown()))
    .parse(JSON.parse(stdout))
    .map(({ commit: _, ...entry }) => entry)
}

function roundTrip(server: () => DatabaseServer): void {
  it('takes everything there and back: what it holds is the same, and agents go on with it', async () => {
    const source = await filledDatabase()
    const [middle, end] = [await server().newDatabase(), newFile()]
    const there = await copied(source, middle)
    const back = await copied(middle, end)
    expect(there.tables).toEqual(await contentOf(source))
    expect(back.tables).toEqual(there.tables)
    expect(there.copied).toBe(there.tables.reduce((sum, { rows }) => sum + rows, 0))
    expect(await history(middle)).toEqual(await history(end))
    const texts = (path: string) =>
      new DatabaseSync(path).prepare('SELECT * FROM messages ORDER BY project, id').all()
    expect(texts(end)).toEqual(texts(source))
    const said = await agentmail(['post', 'go', 'on', '--as', 'ann ', '--db', end])
    expect(said).toMatchObject({ exitCode: 0, stderr: '' })
  })
}

describeWith('mariadbd', 'a copy between SQLite and MariaDB', () => {
  roundTrip(sharedDatabaseServer(startMariadb))
})

describeWith('dolt', 'a copy between SQLite and Dolt', () => {
  const server = sharedDatabaseServer(startDolt)

  roundTrip(server)

  it('is completed by running it again, however often it was killed, and nobody opens it before', async () => {
    const bulk = 8000
    const [source, target] = [await filledDatabase(bulk), await server().newDatabase()]
    const arrived = async () => {
      const counting = query(target, 'SELECT COUNT(*) AS rows_there FROM messages')
      return Number((await counting.catch(() => []))[0]?.rows_there ?? 0)
    }
    let kills = 0
    for (; kills < 3 && (await arrived()) < bulk; kills++) {
      const before = await arrived()
      const child = start(['db', 'copy', '--from', source, '--to', target])
      const over = ended(child)
      while (child.exitCode === null && (await arrived()) === before) await sleep(20)
      child.kill('SIGKILL')
      expect((await over).signal).toBe('SIGKILL')
    }
    expect(kills).toBeGreaterThan(1)
    expect(await agentmail(['serve', '--port', '0', '--db', target])).toMatchObject({
      exitCode: 5,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: the database is an unfinished copy.*\n.*db copy again/,
      ),
    })
    const before = await arrived()
    expect(before).toBeGreaterThan(0)
    const { tables: found, copied: written } = await copied(source, target)
    expect(found).toEqual(await contentOf(source))
    expect(written).toBeLessThanOrEqual(found.reduce((sum, { rows }) => sum + rows, 0) - before)
  })

  it('gives the target one version that holds it, and changes nothing there ever after', async () => {
    const [source, target] = [await filledDatabase(), await server().newDatabase()]
    const before = await query(target, 'SELECT commit_hash FROM dolt_log')
    const { version } = await copied(source, target)
    const log = await query(target, 'SELECT commit_hash, message FROM dolt_log')
    expect(log).toHaveLength(before.length + 1)
    expect(log[0]).toMatchObject({
      commit_hash: version,
      message: expect.stringMatching(
        /^AgentMail: everything copied from SQLite [\d.]+ \(database /,
      ),
    })
    expect(await query(target, 'SELECT * FROM dolt_status')).toEqual([])

    const hash = () => query(target, 'SELECT DOLT_HASHOF_DB() AS hash')
    const whole = await hash()
    const refused = await run(source, target)
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refused.stderr).toMatch(
      /^error: the target is a complete copy.*\nNothing in it was changed/,
    )
    expect(await hash()).toEqual(whole)
  })
})

describe('a copy that cannot be', () => {
  it('is refused in words, and nothing is made or changed', async () => {
    const [source, other] = [await filledDatabase(), await filledDatabase()]
    const nowhere = newFile()
    const cases: [string, string, RegExp][] = [
      [source, source, /^error: source and target are the same database/],
      [nowhere, newFile(), /^error: there is no database: .*target\.db\nCheck --from/],
      [source, other, /^error: the target is not empty: there is something in projects/],
      [source, '', /^error: --to names no database/],
      ['', nowhere, /^error: --from names no database/],
      [source, 'postgres://x', /^error: there are no postgres:\/\/ databases/],
    ]
    const bytes = readFileSync(other)
    for (const [from, to, words] of cases) {
      const { stdout, stderr, exitCode } = await run(from, to)
      expect([stdout, exitCode], stderr).toEqual(['', to.startsWith('postgres') ? 2 : 1])
      expect(stderr).toMatch(words)
    }
    expect(readFileSync(other).equals(bytes)).toBe(true)
    expect(existsSync(nowhere)).toBe(false)
  })

  it('is refused while a server is at work on the target', async () => {
    const target = newFile()
    const server = await TestServer.start({ db: target })
    const { stderr, exitCode } = await run(await filledDatabase(), target)
    expect([stderr, exitCode]).toEqual([
      expect.stringMatching(/^error: a server is at work on the target/),
      1,
    ])
    await server.stop()
  })

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

describe('a source that is written to while it is copied', () => {
  /** An agent that says something, so often and no more. */
  async function talking(times: number) {
    const path = await filledDatabase()
    const coordination = await Coordination.open({ store: await openSqlite(path), staleMs })
    onTestFinished(() => coordination.close())
    const { agents, messages } = coordination.project()
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
