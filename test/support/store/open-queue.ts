/** A write queue on a real database, and what it does to it. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Write } from '../../../src/store/batch.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { integer, type Store, type StoreTrouble, text } from '../../../src/store/store.ts'
import { WriteQueue } from '../../../src/store/write-queue.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { troubled } from './databases.ts'

/** A real database with a table of notes, and what the queue does to it. */
export async function openQueue() {
  const plain = await openSqlite(join(temporaryFolder(), 'queue.db'))
  onTestFinished(() => plain.close())
  const tables = [
    'CREATE TABLE notes (id BIGINT NOT NULL, note TEXT NOT NULL, PRIMARY KEY (id))',
    'CREATE TABLE counters (last BIGINT NOT NULL)',
    'INSERT INTO counters (last) VALUES (0)',
  ]
  await plain.define(tables, async () => {})
  const seen = { transactions: 0, statements: [] as string[] }
  const troubles: { moment: 'before' | 'after'; trouble: StoreTrouble }[] = []
  const counting: Store = {
    engine: plain.engine,
    all: (sql, ...values) => plain.all(sql, ...values),
    transaction: (work) => {
      seen.transactions++
      return plain.transaction((transaction) =>
        work({
          all: (sql, ...values) => transaction.all(sql, ...values),
          run: (sql, ...values) => {
            seen.statements.push(sql)
            return transaction.run(sql, ...values)
          },
        }),
      )
    },
    define: (statements, record) => plain.define(statements, record),
    close: () => plain.close(),
  }
  const store = troubled((moment) =>
    troubles[0]?.moment === moment ? troubles.shift()?.trouble : undefined,
  )(counting)
  const queue = new WriteQueue(store)
  const stored = async () => {
    const rows = await plain.all('SELECT id, note FROM notes ORDER BY id')
    return rows.map((row) => `${integer(row.id)} ${text(row.note)}`)
  }
  return { queue, store: plain, seen, troubles, stored }
}

/** Adds a note under the next number, as messages get their ids. */
export async function add(write: Write, note: string): Promise<number> {
  const counter = await write.shared('counter', async () => {
    const [row] = await write.all('SELECT last FROM counters')
    const value = { last: integer(row?.last) }
    const save = async (transaction: Pick<Write, 'run'>) => {
      await transaction.run('UPDATE counters SET last = ?', value.last)
    }
    return { value, save }
  })
  const id = ++counter.last
  write.append('notes', { id, note })
  return id
}

export const failing = (error: Error) => () => Promise.reject(error)
