/** Migrations: interrupted anywhere, the next start completes them; several at once do them once. */
import { expect, it } from 'vitest'
import { migrate } from '../../../src/store/schema.ts'
import type { Store } from '../../../src/store/store.ts'
import { isLong } from '../../support/parts.ts'
import { seededChoice } from '../../support/seeded-random.ts'
import { listOf, type NewDatabase, TestDatabase, upTo } from '../../support/store/databases.ts'

/** The same store for so many statements; at the next one it fails. */
class Interrupted implements Store {
  readonly engine = 'interrupted'
  readonly textKeys
  readonly #store: Store
  #left: number

  constructor(store: Store, statements: number) {
    this.#store = store
    this.textKeys = store.textKeys ?? 'any'
    this.#left = statements
  }

  all: Store['all'] = (sql, ...values) => this.#store.all(sql, ...values)

  transaction: Store['transaction'] = (work) =>
    this.#store.transaction((transaction) =>
      work({
        all: (sql, ...values) => transaction.all(sql, ...values),
        run: async (sql, ...values) => {
          if (this.#left-- <= 0) throw new Error('interrupted')
          return transaction.run(sql, ...values)
        },
      }),
    )

  define: Store['define'] = (statements, record) => {
    const possible = statements.slice(0, this.#left)
    this.#left -= statements.length
    const rest = possible.length < statements.length ? ['INTERRUPTED'] : []
    return this.#store.define([...possible, ...rest], async (transaction) => {
      await record(transaction)
      if (this.#left-- <= 0) throw new Error('interrupted')
    })
  }

  close = () => this.#store.close()
}

/** Whether it came to its end. */
const migrateUntil = (store: Store, statements: number): Promise<boolean> =>
  migrate(new Interrupted(store, statements)).then(
    () => true,
    () => false,
  )

/** That agents can work on it, and that it was made once. */
async function expectWhole(database: TestDatabase): Promise<void> {
  const { project } = await database.server()
  const { agent_id } = await project.agents.register({ name: 'a', role: 'b' })
  await project.messages.send({ agent_id, channel: 'broadcast', subject: 's', body: 'b' })
  await project.changes.announce({ agent_id, file_path: 'f', summary: 's', idempotency_key: 'k' })
  await project.claims.claim({ agent_id, files: ['f'] })
  const history = await listOf(project.history({}))
  expect(history.map(({ event }) => event)).toEqual(['registered', 'said', 'announced', 'claimed'])
  const meta = await (await database.store()).all('SELECT name, value FROM meta ORDER BY name')
  expect(meta.map(({ name, value }) => ({ name, value }))).toEqual([
    { name: 'database_id', value: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    { name: 'schema', value: expect.stringMatching(/^[1-9]/) },
  ])
}

export function schemaSuite(newDatabase: NewDatabase): void {
  it('has its indexes', async () => {
    const database = await TestDatabase.create(newDatabase)
    await database.server()
    const store = await database.store()
    for (const [table, ...indexes] of [
      ['messages', 'messages_by_channel', 'messages_by_time'],
      ['file_claims', 'claims_by_agent', 'claims_by_path'],
      ['changes', 'changes_by_agent', 'changes_by_time'],
      ['sends', 'sends_by_id', 'sends_by_time'],
    ]) {
      const rows = await store
        .all(`SHOW INDEX FROM ${table}`)
        .catch(() =>
          store.all('SELECT name AS Key_name FROM sqlite_master WHERE tbl_name = ?', table ?? ''),
        )
      const names = rows.map((row) => row.Key_name)
      expect(names).toEqual(expect.arrayContaining(indexes))
    }
  })

  it('is completed by the next start, whichever statement a migration was interrupted at', async () => {
    // In the short version a third of them, always others: each takes a database of its own.
    let statements = isLong ? 0 : seededChoice()(3)
    for (let isComplete = false; !isComplete; statements += isLong ? 1 : 3) {
      const database = await TestDatabase.create(newDatabase)
      isComplete = await migrateUntil(await database.store(), statements)
      await expectWhole(database)
    }
    expect(statements).toBeGreaterThan(10)
  })

  it('is completed though one start after the other was interrupted, each a little later', async () => {
    const database = await TestDatabase.create(newDatabase)
    const store = await database.store()
    let statements = 0
    while (statements < 100 && !(await migrateUntil(store, statements))) statements++
    await expectWhole(database)
  })

  it('is made once by five that start at the same moment', async () => {
    for (const _ of upTo(3)) {
      const database = await TestDatabase.create(newDatabase)
      await Promise.all(upTo(5).map(async () => migrate(await database.store())))
      await expectWhole(database)
    }
  })

  it('leaves other tables in the database alone', async () => {
    const database = await TestDatabase.create(newDatabase)
    const store = await database.store()
    await store.define(['CREATE TABLE recipes (title VARCHAR(100) NOT NULL)'], async () => {})
    await store.transaction((transaction) => transaction.run("INSERT INTO recipes VALUES ('soup')"))
    await expectWhole(database)
    expect(await store.all('SELECT title FROM recipes')).toMatchObject([{ title: 'soup' }])
  })
}
