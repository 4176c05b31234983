/** agentmail db check: tells how a database is and what is wrong with it, and makes nothing. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { checkDatabase } from '../../src/coordination/upkeep/check.ts'
import { viewSqlite } from '../../src/store/sqlite.ts'
import { agentmail } from '../support/agentmail.ts'
import { repository } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'
import { freePort } from '../support/server-process.ts'
import { account, query } from '../support/store/database-servers.ts'
import { at } from '../support/store/databases.ts'
import { startDolt } from '../support/store/dolt.ts'
import { filledDatabase } from '../support/store/filled-database.ts'
import { startGalera } from '../support/store/galera.ts'
import { startMariadb } from '../support/store/mariadb.ts'
import { sharedDatabaseServer } from '../support/store/shared-database-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Exactly these fields, whatever the database and its state. */
const schema = z.strictObject({
  database: z.string(),
  state: z.enum(['missing', 'empty', 'older', 'newer', 'unfinished_copy', 'ready']),
  engine: z.string().nullable(),
  schema: z.strictObject({ done: z.int(), known: z.int() }),
  database_id: z.string().nullable(),
  copied_from: z.string().nullable(),
  copying_from: z.string().nullable(),
  read_ms: z.number().nullable(),
  write_ms: z.number().nullable(),
  clock_difference_ms: z.int().nullable(),
  supports: z
    .strictObject({
      group_commit: z.boolean(),
      several_machines: z.boolean(),
      versions: z.boolean(),
    })
    .nullable(),
  versions: z
    .strictObject({
      count: z.int(),
      newest: z.strictObject({ id: z.string(), message: z.string() }).nullable(),
    })
    .nullable(),
  tells_trailing_spaces_apart: z.boolean().nullable(),
  server: z
    .strictObject({
      collation: z.string(),
      is_durable: z.boolean(),
      tls: z.strictObject({ cipher: z.string().nullable() }).nullable(),
      cluster: z
        .strictObject({ nodes: z.int(), status: z.string(), node_state: z.string() })
        .nullable(),
    })
    .nullable(),
  rows: z.record(z.string(), z.int()),
  problems: z.array(z.strictObject({ problem: z.string(), advice: z.string() })),
})

async function check(db: string) {
  const { stdout, stderr, exitCode } = await agentmail(['db', 'check', '--db', db, '--json'])
  expect(stderr).toBe('')
  expect(stdout).not.toContain(account.password)
  expect(stdout).not.toContain(encodeURIComponent(account.password))
  const found = schema.parse(JSON.parse(stdout))
  expect(exitCode).toBe(found.problems.length > 0 ? 1 : 0)
  return { ...found, problems: found.problems.map(({ problem }) => problem) }
}

const rows = {
  projects: 7,
  known_agents: 7,
  registered_agents: 7,
  messages: 140,
  changes: 7,
  claims: 14,
  idempotency_keys: 140,
  sends: 20,
}

describe('a check of a SQLite file', () => {
  it('tells all about it, to people too, and leaves what it holds as it was', async () => {
    const path = await filledDatabase()
    const meta = () => new DatabaseSync(path).prepare('SELECT * FROM meta ORDER BY name').all()
    const before = meta()
    expect(await check(path)).toMatchObject({
      ...{ database: path, state: 'ready', engine: expect.stringMatching(/^SQLite 3\.\d+/) },
      ...{ schema: { done: 2, known: 2 }, database_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      ...{ read_ms: expect.any(Number), write_ms: expect.any(Number), clock_difference_ms: null },
      supports: { group_commit: true, several_machines: false, versions: false },
      ...{ versions: null, tells_trailing_spaces_apart: true, server: null },
      ...{ rows: expect.objectContaining(rows), problems: [] },
    })
    const { stdout, exitCode } = await agentmail(['db', 'check', '--db', path])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /^Database: {2}.*source\.db\nEngine: {4}SQLite 3.*\nSchema: {4}2 of 2: up to date\n/,
    )
    expect(stdout).toMatch(/\nLatency: {3}[\d.]+ ms a read, [\d.]+ ms a durable write\n/)
    expect(stdout).toMatch(/, messages 140, .*\n\nAll is well\.\n$/)
    expect(meta()).toEqual(before)
  })

  it('makes nothing where there is none, and says how it is made', async () => {
    const folder = repository()
    const { stdout, exitCode } = await agentmail(['db', 'check'], { cwd: folder })
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/There is no such database yet: it is made when.*agentmail serve/)
    expect(readdirSync(folder)).toEqual(['.git'])
    const path = join(folder, 'none.db')
    expect(await check(path)).toMatchObject({ state: 'missing', engine: null, rows: {} })
    expect(existsSync(path)).toBe(false)
  })

  it.each([
    [
      'the database has a table "messages" of something else',
      'CREATE TABLE messages (a TEXT)',
      'empty',
    ],
    [
      'the database is of a newer AgentMail',
      "UPDATE meta SET value = '99' WHERE name = 'schema'",
      'newer',
    ],
    [
      'the database is an unfinished copy',
      "INSERT INTO meta VALUES ('copying_from', 'x')",
      'unfinished_copy',
    ],
  ])('finds that %s', async (words, statement, state) => {
    const path = state === 'empty' ? join(temporaryFolder(), 'other.db') : await filledDatabase()
    const database = new DatabaseSync(path)
    database.exec(statement)
    database.close()
    const found = await check(path)
    expect(found).toMatchObject({ state, write_ms: null })
    expect(found.problems).toEqual([expect.stringContaining(words)])
  })

  it('says so when it is none', async () => {
    const path = join(temporaryFolder(), 'text.db')
    writeFileSync(path, 'this is no database, but long enough to look like one '.repeat(100))
    const { stderr, exitCode } = await agentmail(['db', 'check', '--db', path])
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining('could not be opened')])
  })

  it('warns of a clock that is apart from this machine’s by more than a second', async () => {
    const view = await viewSqlite(await filledDatabase())
    const apart = async (ms: number) => {
      const clock = async () => Date.now() + ms
      const { all, engine, close } = view
      const found = await checkDatabase({ all: all.bind(view), engine, close, clock })
      return found.problems.map(({ problem }) => problem)
    }
    expect(await apart(5000)).toEqual([
      "the clock of the database is 5.0 s ahead of this machine's",
    ])
    expect(await apart(-90_000)).toEqual([
      "the clock of the database is 90.0 s behind this machine's",
    ])
    expect(await apart(300)).toEqual([])
    await view.close()
  })
})

describe('a check of a server', () => {
  it('says in words that it cannot be reached, without the password', async () => {
    const db = `mysql://me:swordfish@127.0.0.1:${await freePort()}/agentmail`
    const { stdout, stderr, exitCode } = await agentmail(['db', 'check', '--db', db])
    expect([stdout, exitCode]).toEqual(['', 5])
    expect(stderr).toMatch(/could not be opened: mysql:\/\/me@127.*\nCheck that its server runs/)
    expect(stderr).not.toContain('swordfish')
  })
})

describeWith('mariadbd', 'a check of MariaDB', () => {
  const server = sharedDatabaseServer(startMariadb)

  it('makes nothing on a server that has no such database, nor in one that is empty', async () => {
    expect(await check(server().url('nowhere'))).toMatchObject({ state: 'missing' })
    expect(await query(server().url(''), "SHOW DATABASES LIKE 'nowhere'")).toEqual([])
    const empty = await server().newDatabase()
    expect(await check(empty)).toMatchObject({ state: 'empty', rows: {} })
    expect(await query(empty, 'SHOW TABLES')).toEqual([])
  })

  it('finds tables of something else in the way, and so does whoever wants to use it', async () => {
    const db = await server().newDatabase()
    await query(db, 'CREATE TABLE agents (badge INT PRIMARY KEY)', 'INSERT INTO agents VALUES (7)')
    const inTheWay = 'has a table "agents" of something else'
    expect((await check(db)).problems).toEqual([expect.stringContaining(inTheWay)])
    const { stderr, exitCode } = await agentmail(['agents', '--db', db])
    expect({ stderr, exitCode }).toEqual({ stderr: expect.stringContaining(inTheWay), exitCode: 5 })
    expect(await query(db, 'SELECT * FROM agents')).toMatchObject([{ badge: 7 }])
    expect((await query(db, 'SHOW TABLES')).length).toBeLessThanOrEqual(2) // and the store's own
  })

  it('tells what it can do, and that it may lose what it acknowledged', async () => {
    const db = await server().newDatabase()
    await agentmail(['agents', '--db', db])
    expect(await check(db)).toMatchObject({
      ...{ state: 'ready', engine: expect.stringMatching(/^MariaDB \d/), versions: null },
      supports: { group_commit: true, several_machines: true, versions: false },
      server: { collation: 'utf8mb4_nopad_bin', is_durable: true, tls: null, cluster: null },
      ...{ tells_trailing_spaces_apart: true, write_ms: expect.any(Number), problems: [] },
    })
    await query(server().url(''), 'SET GLOBAL innodb_flush_log_at_trx_commit = 2')
    expect((await check(db)).problems).toEqual([expect.stringContaining('a power cut can lose')])
    expect(await query(db, 'SELECT * FROM writers')).toEqual([])
  })
})

describeWith('libgalera_smm.so', 'a check of a Galera cluster', () => {
  it('tells how the node is that was asked, also one that lags behind', async () => {
    const nodes = await startGalera(2)
    onTestFinished(async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    })
    const [first, second] = [at(nodes, 0), at(nodes, 1)]
    const here = await first.newDatabase()
    const there = second.url(new URL(here).pathname.slice(1))
    const copied = await agentmail(['db', 'copy', '--from', await filledDatabase(), '--to', here])
    expect(copied).toMatchObject({ exitCode: 0, stderr: '' })
    const cluster = { nodes: 2, status: 'Primary', node_state: 'Synced' }
    expect(await check(there)).toMatchObject({ rows, server: { cluster }, problems: [] })
    await query(there, 'SET GLOBAL wsrep_desync = ON')
    const { problems, server } = await check(there)
    expect(server?.cluster).toMatchObject({ node_state: 'Donor/Desynced' })
    expect(problems).toEqual([expect.stringContaining('has not everything that its cluster has')])
  })
})

describeWith('dolt', 'a check of Dolt', () => {
  const server = sharedDatabaseServer(startDolt)

  it('tells its versions, and makes none', async () => {
    const db = await server().newDatabase()
    await agentmail(['post', 'one', 'message', '--as', 'ann', '--db', db])
    const log = await query(db, 'SELECT commit_hash, message FROM dolt_log')
    const found = await check(db)
    expect(found).toMatchObject({
      ...{ state: 'ready', engine: expect.stringMatching(/^Dolt \d/), problems: [] },
      supports: { group_commit: true, several_machines: true, versions: true },
      versions: {
        count: log.length,
        newest: { id: log[0]?.commit_hash, message: log[0]?.message },
      },
      server: { is_durable: true, tls: null, cluster: null },
      ...{ tells_trailing_spaces_apart: true, rows: { messages: 1 } },
    })
    expect(Math.abs(found.clock_difference_ms ?? 9999)).toBeLessThan(1000)
    expect(await query(db, 'SELECT * FROM dolt_status')).toEqual([])
    expect(await query(db, 'SELECT commit_hash FROM dolt_log')).toHaveLength(log.length)
  })
})
