/** SQLite as a store: what every store holds, and what is its own: the file. */
import { copyFileSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openSqlite } from '../../src/store/sqlite.ts'
import { storeSuite } from '../suites/store-suite.ts'
import { upTo } from '../support/store/databases.ts'
import { create, newPath, open, refusal, sql } from '../support/store/sqlite-files.ts'

storeSuite('SQLite', async () => {
  const path = newPath()
  return () => openSqlite(path)
})

describe('the file', () => {
  it('may be read by its owner alone, and so may those beside it; closed, it holds everything', async () => {
    const path = newPath()
    const { close, agents } = await open(path)
    await agents.register({ name: 'a', role: 'b' })
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      expect(statSync(file).mode & 0o777, file).toBe(0o600)
    }
    await close()
    const copy = newPath()
    copyFileSync(path, copy)
    expect(sql(copy, 'SELECT name FROM agents')).toMatchObject([{ name: 'a' }])
  })

  it('is refused in words when it is no database, and left as it was', async () => {
    const path = newPath()
    writeFileSync(path, 'Dear diary, '.repeat(1000))
    expect(await refusal(path)).toMatchObject({
      code: 'database_unreadable',
      text: expect.stringMatching(/^the database could not be opened: .*\nCheck the file/),
    })
    expect(statSync(path).size).toBe(12_000)
  })

  it('is refused in words when it is cut short', async () => {
    const path = newPath()
    await create(path)
    truncateSync(path, 5000)
    expect((await refusal(path)).code).toBe('database_unreadable')
  })

  it('is refused in words when it is a folder', async () => {
    const path = newPath()
    mkdirSync(path)
    expect((await refusal(path)).code).toBe('database_unreadable')
  })

  it('is refused in words when it is of a newer version', async () => {
    const path = newPath()
    await create(path)
    sql(path, "UPDATE meta SET value = '99' WHERE name = 'schema'")
    expect(await refusal(path)).toMatchObject({
      code: 'database_unreadable',
      text: expect.stringMatching(/^the database is of a newer AgentMail \(schema 99.*\nUpdate/),
    })
  })

  it('is refused in words when another program has its messages in it, and keeps them', async () => {
    const path = newPath()
    sql(path, 'CREATE TABLE messages (note TEXT)', "INSERT INTO messages VALUES ('mine')")
    for (const _ of upTo(2)) {
      expect(await refusal(path)).toMatchObject({
        code: 'database_unreadable',
        text: expect.stringMatching(
          /^the database could not be opened: .*it has a table "messages" of something else\)\n/,
        ),
      })
    }
    expect(sql(path, 'SELECT * FROM messages')).toMatchObject([{ note: 'mine' }])
    expect(sql(path, 'SELECT name FROM sqlite_master')).toMatchObject([{ name: 'messages' }])
  })
})
