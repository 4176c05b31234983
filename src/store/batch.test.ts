/** What the calls of a batch look up: got once for all of them, and got anew when it has changed. */
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { upTo } from '../../test/support/store/databases.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import type { Supply, Write } from './batch.ts'
import { openSqlite } from './sqlite.ts'
import { marks, text } from './store.ts'
import { WriteQueue } from './write-queue.ts'

let queue: WriteQueue
/** The keys of each look at the table. */
let looks: string[][]
let prices: Supply<string>

beforeEach(async () => {
  const store = await openSqlite(join(temporaryFolder(), 'batch.db'))
  onTestFinished(() => store.close())
  const table = 'CREATE TABLE prices (name TEXT NOT NULL, price TEXT NOT NULL, PRIMARY KEY (name))'
  await store.define([table], async () => {})
  queue = new WriteQueue(store)
  looks = []
  prices = {
    table: 'prices',
    async get(transaction, names) {
      looks.push(names)
      const rows = await transaction.all(
        `SELECT name, price FROM prices WHERE name IN (${marks(names.length)})`,
        ...names,
      )
      return new Map(rows.map((row) => [text(row.name), text(row.price)]))
    },
  }
  await queue.write(async (write) => write.append('prices', { name: 'tea', price: '2' }))
})

/** Says beforehand what it will look up, and then does `work`. */
const asking = <T>(name: string, work: (write: Write) => Promise<T>): Promise<T> =>
  queue.writeWith([{ supply: prices, key: name }], work)

const price = (name: string) => (write: Write) => write.need(prices, name)

describe('what calls look up', () => {
  it('is got by one statement for all of a batch, each key once', async () => {
    const names = ['tea', 'tea', 'coffee', 'milk', 'coffee']
    const found = await Promise.all(names.map((name) => asking(name, price(name))))
    expect(found).toEqual(['2', '2', undefined, undefined, undefined])
    expect(looks).toEqual([['tea', 'coffee', 'milk']])
  })

  it('is got by a statement each when nobody says so beforehand (control)', async () => {
    const names = upTo(5).map((n) => `tea ${n}`)
    await Promise.all(names.map((name) => queue.write(price(name))))
    expect(looks).toEqual(names.map((name) => [name]))
  })

  it('is what an earlier call of the batch has provided', async () => {
    const selling = asking('coffee', async (write) => {
      expect(await write.need(prices, 'coffee')).toBeUndefined()
      write.append('prices', { name: 'coffee', price: '3' })
      write.provide(prices, 'coffee', '3')
    })
    const [, found] = await Promise.all([selling, asking('coffee', price('coffee'))])
    expect(found).toBe('3')
    expect(looks).toHaveLength(1)
  })

  it('is got anew after a statement that names its table, with rows that wait to be inserted', async () => {
    const changing = asking('tea', async (write) => {
      expect(await write.need(prices, 'tea')).toBe('2')
      write.append('prices', { name: 'milk', price: '1' })
      await write.run("UPDATE prices SET price = '4' WHERE name = 'tea'")
    })
    const found = await Promise.all([
      changing,
      asking('tea', price('tea')),
      asking('milk', price('milk')),
    ])
    expect(found.slice(1)).toEqual(['4', '1'])
    expect(looks).toEqual([
      ['tea', 'milk'],
      ['tea', 'milk'],
    ])
  })

  it('is got anew when the batch starts over without a call that failed', async () => {
    const failing = asking('tea', async (write) => {
      await write.run("UPDATE prices SET price = '9' WHERE name = 'tea'")
      throw new Error('changed its mind')
    })
    const [failed, found] = await Promise.allSettled([failing, asking('tea', price('tea'))])
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'changed its mind' } })
    expect(found).toMatchObject({ status: 'fulfilled', value: '2' })
  })
})
