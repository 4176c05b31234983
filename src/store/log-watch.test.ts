/** Hearing of what others commit: at once, late, and not of what is one's own. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../test/support/eventually.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { LogWatch } from './log-watch.ts'
import { openSqlite } from './sqlite.ts'

let log: string
let version: number
let told: number
let looks: number
let failures: unknown[]

beforeEach(() => {
  log = join(temporaryFolder(), 'log')
  writeFileSync(log, '')
  version = 1
  told = 0
  looks = 0
  failures = []
})

function watching(): void {
  const watch = new LogWatch({
    log,
    version() {
      looks++
      return version
    },
    onForeignWrite: () => told++,
    onFailure: (error) => failures.push(error),
  })
  onTestFinished(() => watch.end())
}

it('tells of a commit that can be seen as soon as the log was written', async () => {
  watching()
  version++
  appendFileSync(log, 'x')
  await eventually('the commit was told', () => told === 1)
})

it('tells of a commit that can be seen only long after the log was written', async () => {
  watching()
  await eventually('what is there was looked at for a while', () => looks > 4)
  appendFileSync(log, 'x')
  await eventually('it was looked for again and again', () => looks > 9)
  expect(told).toBe(0)
  version++
  await eventually('the commit was told', () => told === 1)
})

it('does not put off a look for ever while somebody writes all the time', async () => {
  watching()
  version++
  const writing = setInterval(() => appendFileSync(log, 'x'), 1)
  onTestFinished(() => clearInterval(writing))
  await eventually('the commit was told', () => told === 1)
})

it('refuses to watch what is not there', () => {
  rmSync(log)
  expect(watching).toThrow('ENOENT')
})

it('tells one connection of what another commits, and not of its own', async () => {
  const path = join(temporaryFolder(), 'a.db')
  const [one, other] = [await openSqlite(path), await openSqlite(path)]
  onTestFinished(() => one.close())
  onTestFinished(() => other.close())
  await one.define(['CREATE TABLE t (x BIGINT)'], async () => {})
  const heard = { one: 0, other: 0 }
  const fail = (error: unknown) => failures.push(error)
  const ends = [
    one.others?.watch(() => heard.one++, fail),
    other.others?.watch(() => heard.other++, fail),
  ]
  onTestFinished(() => {
    for (const end of ends) end?.()
  })
  const insert = (store: typeof one) =>
    store.transaction((transaction) => transaction.run('INSERT INTO t VALUES (1)'))
  for (let count = 0; count < 5; count++) await insert(one)
  await eventually('the other heard of it', () => heard.other > 0)
  expect(heard.one).toBe(0)
  await insert(other)
  await eventually('the first heard of it', () => heard.one > 0)
  expect(failures).toEqual([])
})
