/** The port: transactions that are whole, reads of what is committed, values that come back as they were. */
import { beforeEach, describe, expect, it } from 'vitest'
import { again } from '../../../src/store/again.ts'
import {
  integer,
  type Store,
  StoreError,
  type Transaction,
  text,
} from '../../../src/store/store.ts'
import { expectDamage } from '../../support/control-run.ts'
import { seededChoice } from '../../support/seeded-random.ts'
import {
  breathe,
  interleaved,
  type NewDatabase,
  TestDatabase,
} from '../../support/store/databases.ts'

const table = `CREATE TABLE items (
  id BIGINT NOT NULL,
  value MEDIUMTEXT,
  token CHAR(36) NOT NULL,
  PRIMARY KEY (id))`

export function portSuite(newDatabase: NewDatabase): void {
  let database: TestDatabase
  let store: Store

  beforeEach(async () => {
    database = await TestDatabase.create(newDatabase)
    store = await database.store()
    await store.define([table], async () => {})
  })

  const insert = (transaction: Transaction, id: number, value: string | null = 'x') =>
    transaction.run('INSERT INTO items (id, value, token) VALUES (?, ?, ?)', id, value, 'first')
  const ids = async (reader: Pick<Store, 'all'>) =>
    (await reader.all('SELECT id FROM items ORDER BY id')).map((row) => integer(row.id))

  describe('a transaction', () => {
    it('is there for every connection once it has resolved, with what its work gave', async () => {
      const other = await database.store()
      const given = await store.transaction(async (transaction) => {
        await insert(transaction, 1)
        return 'done'
      })
      expect(given).toBe('done')
      expect([await ids(store), await ids(other)]).toEqual([[1], [1]])
    })

    it('leaves nothing when its work throws, gives that error, and the next one goes on', async () => {
      const error = new Error('changed its mind')
      const failing = store.transaction(async (transaction) => {
        await insert(transaction, 1)
        await insert(transaction, 2)
        throw error
      })
      await expect(failing).rejects.toBe(error)
      await store.transaction((transaction) => insert(transaction, 3))
      expect(await ids(store)).toEqual([3])
    })

    it('leaves nothing when a statement fails, and the next one goes on', async () => {
      const failing = store.transaction(async (transaction) => {
        await insert(transaction, 1)
        await transaction.run('INSERT INTO no_such_table (id) VALUES (1)')
      })
      await expect(failing).rejects.toMatchObject({ name: 'StoreError', trouble: 'failed' })
      await store.transaction((transaction) => insert(transaction, 3))
      expect(await ids(store)).toEqual([3])
    })

    it('leaves nothing when the error of a statement is swallowed but the work throws after all', async () => {
      const failing = store.transaction(async (transaction) => {
        await insert(transaction, 1)
        await insert(transaction, 1).catch(() => {})
        throw new Error('after all')
      })
      await expect(failing).rejects.toThrow('after all')
      expect(await ids(store)).toEqual([])
    })

    it('sees what it wrote, and nobody else does before the commit', async () => {
      const other = await database.store()
      await store.transaction(async (transaction) => {
        await insert(transaction, 1)
        expect(await ids(transaction)).toEqual([1])
        expect([await ids(store), await ids(other)]).toEqual([[], []])
      })
      expect([await ids(store), await ids(other)]).toEqual([[1], [1]])
    })

    it('tells how many rows a statement found', async () => {
      const changed = await store.transaction(async (transaction) => [
        await insert(transaction, 1),
        await transaction.run('INSERT INTO items (id, token) VALUES (2, ?), (3, ?)', 'a', 'b'),
        await transaction.run('UPDATE items SET token = ? WHERE id > ?', 'new', 1),
        await transaction.run('UPDATE items SET token = ? WHERE id > ?', 'new', 1), // the same again
        await transaction.run('UPDATE items SET token = ? WHERE id = ?', 'new', 9),
        await transaction.run('DELETE FROM items WHERE id IN (?, ?)', 1, 9),
      ])
      expect(changed).toEqual([1, 2, 2, 2, 0, 1])
    })
  })

  it('gives values back as they were', async () => {
    const values = [
      ...['', ' ', 'a ', "o'clock", '"', '\\', '\\n', '%_', '?', '--', ';', '/*', '\u0001\r\n\t'],
      ...[
        'é',
        'e\u0301',
        'ß',
        '漢字',
        '👩‍💻',
        '\u202e',
        '\ufeff',
        '\u{10ffff}',
        'x'.repeat(300_000),
      ],
      null,
    ]
    await store.transaction(async (transaction) => {
      for (const [index, value] of values.entries()) await insert(transaction, index, value)
      await insert(transaction, Number.MAX_SAFE_INTEGER)
      await insert(transaction, Number.MIN_SAFE_INTEGER)
    })
    const rows = await store.all('SELECT id, value FROM items ORDER BY id')
    expect(rows.slice(1, -1).map((row) => row.value)).toEqual(values)
    expect([rows.at(0)?.id, rows.at(-1)?.id]).toEqual([
      Number.MIN_SAFE_INTEGER,
      Number.MAX_SAFE_INTEGER,
    ])
  })

  it('tells texts apart by their characters alone: case, accents and composition count', async () => {
    const names = ['a', 'A', 'á', 'a\u0301', 'ss', 'ß']
    await store.transaction(async (transaction) => {
      for (const [index, name] of names.entries()) await insert(transaction, index, name)
    })
    for (const [index, name] of names.entries()) {
      const rows = await store.all('SELECT id FROM items WHERE value = ?', name)
      expect(rows.map((row) => row.id)).toEqual([index])
    }
  })

  it('puts nothing into its errors that callers wrote', async () => {
    const secret = 'swordfish'
    await store.transaction((transaction) => insert(transaction, 1, secret))
    const statements = [
      'INSERT INTO items (value, id, token) VALUES (?, 1, 1)',
      'INSERT INTO items (value, id) VALUES (?, 2)',
      'INSERT INTO items (nothing, id, token) VALUES (?, 3, 3)',
      'NO STATEMENT ?',
    ]
    for (const statement of statements) {
      const error = await store
        .transaction((transaction) => transaction.run(statement, secret.repeat(5)))
        .catch((reason: unknown) => reason)
      expect(error, statement).toBeInstanceOf(StoreError)
      expect(String(error), statement).not.toContain(secret)
    }
    const error = await store.all('SELECT nothing FROM items WHERE value = ?', secret).catch(String)
    expect(error).not.toContain(secret)
  })

  describe('two connections that change one row', () => {
    /** Adds one to the row; without its safeguard it trusts what it read before the transaction. */
    async function addOne(to: Store, token: string, isSafe = true): Promise<void> {
      const read = async (reader: Pick<Store, 'all'>) =>
        (await reader.all('SELECT value, token FROM items WHERE id = 1'))[0]
      const early = isSafe ? undefined : await read(to)
      await to.transaction(async (transaction) => {
        const row = early ?? (await read(transaction))
        const found = await transaction.run(
          `UPDATE items SET value = ?, token = ? WHERE id = 1 ${isSafe ? 'AND token = ?' : ''}`,
          String(Number(text(row?.value)) + 1),
          token,
          ...(isSafe ? [text(row?.token)] : []),
        )
        if (found !== 1) throw new StoreError('again', 'another was first')
      })
    }

    async function addAtOnce(times: number, isSafe: boolean) {
      const random = seededChoice()
      const plain = [await database.store(), await database.store()]
      const stores = plain.map(interleaved(() => breathe(random)))
      await again(() =>
        store.transaction(async (transaction) => {
          await transaction.run('DELETE FROM items')
          await insert(transaction, 1, '0')
        }),
      )
      let refused = 0
      const adding = stores.map(async (one, index) => {
        for (let time = 0; time < times; time++) {
          await again(() =>
            addOne(one, `${index}-${time}`, isSafe).catch((error: unknown) => {
              refused++
              throw error
            }),
          )
        }
      })
      await Promise.all(adding)
      const [row] = await store.all('SELECT value FROM items')
      return { lost: 2 * times - Number(text(row?.value)), refused }
    }

    it('lose nothing: the one that must try again is told so', async () => {
      const { lost, refused } = await addAtOnce(20, true)
      expect(lost).toBe(0)
      expect(refused).toBeGreaterThan(0) // else they never met
    })

    it('lose changes when they trust what they read before (control)', async () => {
      await expectDamage(async () => (await addAtOnce(20, false)).lost)
    })
  })
}
