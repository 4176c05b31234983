/** agentmail db check: tells how a database is and what is wrong with it, and makes nothing. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { checkDatabase } from '../../../src/coordination/upkeep/check.ts'
import { knownSchema } from '../../../src/store/schema.ts'
import { viewSqlite } from '../../../src/store/sqlite.ts'
import { agentmail } from '../../support/agentmail.ts'
import { repository } from '../../support/mailbox/tmux.ts'
import { freePort } from '../../support/server-process.ts'
import { check, rows } from '../../support/store/checked-database.ts'
import { filledDatabase } from '../../support/store/filled-database.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('a check of a SQLite file', () => {
  it('tells all about it, to people too, and leaves what it holds as it was', async () => {
    const path = await filledDatabase()
    const meta = () => new DatabaseSync(path).prepare('SELECT * FROM meta ORDER BY name').all()
    const before = meta()
    expect(await check(path)).toMatchObject({
      ...{ database: path, state: 'ready', engine: expect.stringMatching(/^SQLite 3\.\d+/) },
      ...{
        schema: { done: knownSchema, known: knownSchema },
        database_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
      ...{ read_ms: expect.any(Number), write_ms: expect.any(Number), clock_difference_ms: null },
      supports: { group_commit: true, several_machines: false, versions: false },
      ...{ versions: null, tells_trailing_spaces_apart: true, server: null },
      ...{ rows: expect.objectContaining(rows), problems: [] },
    })
    const { stdout, exitCode } = await agentmail(['db', 'check', '--db', path])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /^Database: {2}.*source\.db\nEngine: {4}SQLite 3.*\nSchema: {4}(\d+) of \1: up to date\n/,
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
