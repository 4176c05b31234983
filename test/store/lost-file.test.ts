/** A file of SQLite that is taken away while it is open: noticed before the next answer, and refused until the next start. */
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../src/store/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { failureOf } from '../support/failure-of.ts'
import { newPath, sql } from '../support/store/sqlite-files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const sides = (path: string) => [`${path}-wal`, `${path}-shm`]
const remove = (...paths: string[]) => {
  for (const path of paths) rmSync(path)
}

async function opened(path: string, options = {}): Promise<Store> {
  const store = await openSqlite(path, options)
  onTestFinished(() => store.close())
  return store
}

const add = (store: Store, word: string) =>
  store.transaction((transaction) => transaction.run('INSERT INTO words VALUES (?)', word))

/** A store with one word in its file and one that is only in its log. */
async function withWords(options = {}): Promise<{ path: string; store: Store }> {
  const path = newPath()
  sql(path, 'CREATE TABLE words (word TEXT)', "INSERT INTO words VALUES ('filed')")
  const store = await opened(path, options)
  await add(store, 'logged')
  return { path, store }
}

/** A whole database of somebody else. */
function another(): string {
  const path = newPath()
  sql(path, 'CREATE TABLE words (word TEXT)', "INSERT INTO words VALUES ('another')")
  return path
}

const ways: Record<string, (path: string) => void> = {
  'removed with all that is beside it': (path) => remove(path, ...sides(path)),
  removed: (path) => remove(path),
  'robbed of its log': (path) => remove(`${path}-wal`),
  'robbed of the index of its log': (path) => remove(`${path}-shm`),
  'robbed of both': (path) => remove(...sides(path)),
  'moved away': (path) => renameSync(path, `${path}.old`),
  'moved away, with a link in its place': (path) => {
    renameSync(path, `${path}.old`)
    symlinkSync(`${path}.old`, path)
  },
  'moved with its folder': (path) => renameSync(dirname(path), join(temporaryFolder(), 'moved')),
  'moved with its folder, which is made again': (path) => {
    renameSync(dirname(path), join(temporaryFolder(), 'moved'))
    mkdirSync(dirname(path))
    copyFileSync(another(), path)
  },
  'replaced by another': (path) => renameSync(another(), path),
  'replaced by a copy of itself': (path) => {
    copyFileSync(path, `${path}.copy`)
    renameSync(`${path}.copy`, path)
  },
}

describe.each(Object.entries(ways))('a database that is %s', (_, takeAway) => {
  it('is neither read nor written any more, whatever comes back', async () => {
    const { path, store } = await withWords()
    takeAway(path)
    const refused = {
      code: 'database_lost',
      message: expect.stringMatching(/^the database is gone/),
    }
    await new Promise(setImmediate) // what one call reads in a row is one look
    expect(await failureOf(store.all('SELECT * FROM words'))).toMatchObject(refused)
    expect(await failureOf(add(store, 'late'))).toMatchObject(refused)
    expect(store.file?.lost.aborted).toBe(true)
    mkdirSync(dirname(path), { recursive: true })
    if (!existsSync(path)) copyFileSync(another(), path)
    expect(await failureOf(store.all('SELECT * FROM words'))).toMatchObject(refused)
    expect(await failureOf(add(store, 'later'))).toMatchObject(refused)
    await store.close()
  })

  it('acknowledges nothing that was under way', async () => {
    const { path, store } = await withWords()
    const writing = store.transaction(async (transaction) => {
      await transaction.run("INSERT INTO words VALUES ('late')")
      takeAway(path)
    })
    expect(await failureOf(writing)).toMatchObject({ code: 'database_lost' })
  })

  it('goes on as if nothing had happened where nobody looks (control)', async () => {
    const { path, store } = await withWords({ isCache: true })
    takeAway(path)
    await add(store, 'late')
    expect(await store.all('SELECT * FROM words')).toHaveLength(3)
  })
})
