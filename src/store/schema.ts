/** Brings the tables of a database up to date: forward only, each migration either recorded as done or done again. */

import { AgentMailError } from '../errors.ts'
import { uuid } from '../system/random.ts'
import { again, isAgain } from './again.ts'
import { type Identity, identityOf } from './identity.ts'
import { type Migration, migrations } from './migrations.ts'
import { type Reader, type Store, StoreError, type TextKeys } from './store.ts'

function statementsFor(keys: TextKeys | undefined, one: Migration[number]): string[] {
  if (typeof one === 'string') return [one]
  const statement = keys && one[keys]
  return statement === undefined ? [] : [statement]
}

/** Where the number of migrations done is kept. It must be there before anything can be recorded. */
const metaTable = `CREATE TABLE IF NOT EXISTS meta (
  name VARCHAR(64) NOT NULL,
  value VARCHAR(255) NOT NULL,
  PRIMARY KEY (name))`

/** They change with every sign of life, so no version holds them. */
const churning = ['presence', 'sessions', 'turn_edits']

/** Every statement that defines something, in their order. */
export const definitions: string[] = [
  metaTable,
  ...migrations.flat().flatMap((one) => statementsFor('any', one)),
]

export interface Table {
  name: string
  /** The columns of its primary key. */
  key: string[]
}

/** Every table but `meta`, which is each database's own. */
export const tables: Table[] = definitions.slice(1).flatMap((statement) => {
  const [, name] = /^CREATE TABLE (\w+)/.exec(statement) ?? []
  const [, key = ''] = /PRIMARY KEY \(([^)]+)\)/.exec(statement) ?? []
  return name ? [{ name, key: key.split(', ') }] : []
})

export function tableNamed(name: string): Table {
  const table = tables.find((one) => one.name === name)
  if (!table) throw new TypeError(`There is no table ${name}`)
  return table
}

/** What a version is made of. */
export const versionedTables: string[] = ['meta', ...tables.map(({ name }) => name)].filter(
  (name) => !churning.includes(name),
)

/** How many migrations this version knows. */
export const knownSchema = migrations.length

/**
 * Brings the tables up to date. Interrupted anywhere, the next start completes it; two at once do it once.
 * @param options.isCopying whoever fills an unfinished copy may have it; nobody else.
 */
export async function migrate(store: Store, options: { isCopying?: boolean } = {}): Promise<void> {
  const identity = await identityOf(store)
  if (identity?.copying_from !== undefined && !options.isCopying) throw unfinishedCopy()
  if (!identity) {
    const [table] = await tablesIn(store)
    // Unless another process made them just now.
    if (table && !(await identityOf(store))) throw inTheWay(table)
  }
  if (doneIn(identity) === knownSchema) return
  const migrating = () => migrateInTurn(store)
  await (store.alone ? store.alone(migrating) : migrating())
}

/** Those who do it at once meet at each step: whoever was in the way has patience anew with each that is done. */
async function migrateInTurn(store: Store): Promise<void> {
  const before = doneIn(await identityOf(store))
  try {
    await again(() => migrateOnce(store))
  } catch (error) {
    if (!isAgain(error) || doneIn(await identityOf(store)) === before) throw error
    await migrateInTurn(store)
  }
}

async function migrateOnce(store: Store): Promise<void> {
  await store.versions?.leaveOut(churning)
  await store.define([metaTable], async () => {})
  await store.transaction(async (transaction) => {
    const known = await transaction.all("SELECT value FROM meta WHERE name = 'schema'")
    if (known.length > 0) return
    await transaction.run("INSERT INTO meta (name, value) VALUES ('schema', '0')")
    await transaction.run("INSERT INTO meta (name, value) VALUES ('database_id', ?)", uuid())
  })
  for (;;) {
    const done = doneIn(await identityOf(store))
    const migration = migrations[done]
    if (!migration) break
    const statements = migration.flatMap((one) => statementsFor(store.textKeys, one))
    await store.define(statements, async (transaction) => {
      const recorded = await transaction.run(
        "UPDATE meta SET value = ? WHERE name = 'schema' AND value = ?",
        String(done + 1),
        String(done),
      )
      if (recorded !== 1) throw new StoreError('again', 'another process migrates the database')
    })
  }
}

/** How many migrations were done; one that this version does not know is refused. */
export function doneIn(identity: Identity | undefined): number {
  const done = identity?.schema ?? 0
  if (done <= knownSchema) return done
  throw new AgentMailError(
    'database_unreadable',
    `the database is of a newer AgentMail (schema ${done}, this one knows ${knownSchema})`,
    'Update AgentMail, or name another database with --db.',
  )
}

/** Which tables of these names are there, whosever they are. */
export async function tablesIn(reader: Reader): Promise<string[]> {
  const found: string[] = []
  for (const { name } of tables) {
    const isThere = await reader.all(`SELECT 1 FROM ${name} LIMIT 1`).then(
      () => true,
      (error: unknown) => {
        if (StoreError.is(error) && error.trouble === 'failed') return false
        throw error
      },
    )
    if (isThere) found.push(name)
  }
  return found
}

export const inTheWay = (table: string) =>
  new StoreError(
    'unreadable',
    `it has a table "${table}" of something else`,
    'AgentMail has one of that name: give it a database of its own with --db or AGENTMAIL_DB.',
  )

const unfinishedCopy = () =>
  new AgentMailError(
    'database_unreadable',
    'the database is an unfinished copy of another',
    'Run the same agentmail db copy again, which goes on where it stopped; or name another database with --db.',
  )
