/** A database that one process opens more than once keeps the locks by which other processes know that it is in use. */
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { fileDatabase } from './database.ts'

/** The locks of this process on the file, as Linux tells them. */
function locksOn(path: string): number {
  const { ino } = statSync(path)
  const lines = readFileSync('/proc/locks', 'utf8').split('\n')
  return lines.filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${ino} `))
    .length
}

describe.runIf(process.platform === 'linux')('a database file', () => {
  it('is as locked after a second open and a look as after the first', async () => {
    const path = join(temporaryFolder(), 'a.db')
    const stores = [await fileDatabase(path).open()]
    await stores[0]?.define(['CREATE TABLE a (b INT)'], async () => {})
    const locks = locksOn(path)
    expect(locks).toBeGreaterThan(0)
    stores.push(await fileDatabase(path).open())
    const view = await fileDatabase(path).view()
    onTestFinished(async () => {
      await view?.close()
      for (const store of stores) await store.close()
    })
    expect(locksOn(path)).toBe(locks)
    closeSync(openSync(path, 'r'))
    expect(locksOn(path)).toBe(0) // (control)
  })
})
