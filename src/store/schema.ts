/** The tables, as numbered migrations: forward only, each either recorded as done or done again. */

import { AgentMailError } from '../errors.ts'
import { uuid } from '../system/random.ts'
import { again } from './again.ts'
import { type Identity, identityOf } from './identity.ts'
import { type Reader, type Store, StoreError, type TextKeys } from './store.ts'

/** A statement for every engine, or one for each way in which engines keep texts in their indexes. */
type Migration = (string | Partial<Record<TextKeys, string>>)[]

/**
 * Types that every engine knows; uniqueness in primary keys alone; an index for each query that
 * needs one. Never change a migration that was released: add one.
 */
const migrations: Migration[] = [
  [
    `CREATE TABLE projects (
      project VARCHAR(100) NOT NULL,
      last_message BIGINT NOT NULL,
      last_change BIGINT NOT NULL,
      last_entry BIGINT NOT NULL,
      last_us BIGINT NOT NULL,
      token CHAR(36) NOT NULL,
      PRIMARY KEY (project))`,
    `CREATE TABLE agents (
      project VARCHAR(100) NOT NULL,
      agent_id CHAR(36) NOT NULL,
      name VARCHAR(255) NOT NULL,
      role VARCHAR(255) NOT NULL,
      registered_us BIGINT NOT NULL,
      PRIMARY KEY (project, agent_id))`,
    `CREATE TABLE presence (
      project VARCHAR(100) NOT NULL,
      agent_id CHAR(36) NOT NULL,
      last_seen_us BIGINT NOT NULL,
      token CHAR(36) NOT NULL,
      PRIMARY KEY (project, agent_id))`,
    `CREATE TABLE messages (
      project VARCHAR(100) NOT NULL,
      id BIGINT NOT NULL,
      created_us BIGINT NOT NULL,
      sender_id CHAR(36) NOT NULL,
      sender_name VARCHAR(255) NOT NULL,
      channel VARCHAR(255) NOT NULL,
      subject VARCHAR(255) NOT NULL,
      body MEDIUMTEXT NOT NULL,
      PRIMARY KEY (project, id))`,
    'CREATE INDEX messages_by_channel ON messages (project, channel, id)',
    'CREATE INDEX messages_by_time ON messages (project, created_us)',
    `CREATE TABLE file_claims (
      project VARCHAR(100) NOT NULL,
      path_hash CHAR(64) NOT NULL,
      file_path VARCHAR(1024) NOT NULL,
      agent_id CHAR(36) NOT NULL,
      agent_name VARCHAR(255) NOT NULL,
      claimed_us BIGINT NOT NULL,
      PRIMARY KEY (project, path_hash))`,
    `CREATE TABLE changes (
      project VARCHAR(100) NOT NULL,
      id BIGINT NOT NULL,
      announced_us BIGINT NOT NULL,
      agent_id CHAR(36) NOT NULL,
      agent_name VARCHAR(255) NOT NULL,
      file_path VARCHAR(1024) NOT NULL,
      summary MEDIUMTEXT NOT NULL,
      PRIMARY KEY (project, id))`,
    'CREATE INDEX changes_by_agent ON changes (project, agent_id, id)',
    'CREATE INDEX changes_by_time ON changes (project, announced_us)',
    `CREATE TABLE idempotency_keys (
      project VARCHAR(100) NOT NULL,
      agent_id CHAR(36) NOT NULL,
      tool VARCHAR(32) NOT NULL,
      key_hash CHAR(64) NOT NULL,
      content_hash CHAR(64) NOT NULL,
      result_id BIGINT NOT NULL,
      PRIMARY KEY (project, agent_id, tool, key_hash))`,
    `CREATE TABLE journal (
      project VARCHAR(100) NOT NULL,
      entry BIGINT NOT NULL,
      at_us BIGINT NOT NULL,
      agent_id CHAR(36) NOT NULL,
      agent_name VARCHAR(255) NOT NULL,
      event VARCHAR(32) NOT NULL,
      file_path VARCHAR(1024),
      message_id BIGINT,
      change_id BIGINT,
      note VARCHAR(255),
      PRIMARY KEY (project, entry))`,
  ],
  [
    `CREATE TABLE sends (
      scope CHAR(64) NOT NULL,
      key_hash CHAR(64) NOT NULL,
      id VARCHAR(32) NOT NULL,
      state VARCHAR(16) NOT NULL,
      token CHAR(36) NOT NULL,
      holder VARCHAR(64) NOT NULL,
      until_ms BIGINT NOT NULL,
      begun_ms BIGINT NOT NULL,
      changed_ms BIGINT NOT NULL,
      content_hash CHAR(64) NOT NULL,
      provider VARCHAR(16) NOT NULL,
      service_key VARCHAR(64),
      recipients MEDIUMTEXT NOT NULL,
      subject MEDIUMTEXT NOT NULL,
      audited_at VARCHAR(40),
      message_id VARCHAR(1024),
      thread_id VARCHAR(255),
      sent_at VARCHAR(64),
      draft VARCHAR(2048),
      reason VARCHAR(1024),
      PRIMARY KEY (scope, key_hash))`,
    'CREATE INDEX sends_by_id ON sends (id)',
    'CREATE INDEX sends_by_time ON sends (begun_ms)',
  ],
  [
    `CREATE TABLE draft_notes (
      vault CHAR(64) NOT NULL,
      draft_key VARCHAR(64) NOT NULL,
      scope CHAR(64) NOT NULL,
      key_hash CHAR(64) NOT NULL,
      name MEDIUMTEXT NOT NULL,
      sha256 CHAR(64) NOT NULL,
      approval_id VARCHAR(64),
      reply_to_message_id MEDIUMTEXT,
      begun_ms BIGINT NOT NULL,
      attempts BIGINT NOT NULL,
      next_ms BIGINT NOT NULL,
      is_vague BIGINT NOT NULL,
      ended_at VARCHAR(40),
      reason MEDIUMTEXT,
      filed_to MEDIUMTEXT,
      is_filed BIGINT NOT NULL,
      PRIMARY KEY (vault, draft_key))`,
  ],
  [
    `CREATE TABLE horizons (
      project VARCHAR(100) NOT NULL,
      pruned_us BIGINT NOT NULL,
      token CHAR(36) NOT NULL,
      PRIMARY KEY (project))`,
    'ALTER TABLE idempotency_keys ADD COLUMN used_us BIGINT',
  ],
  [
    'CREATE INDEX claims_by_agent ON file_claims (project, agent_id)',
    { any: 'CREATE INDEX claims_by_path ON file_claims (project, file_path)' },
  ],
  [
    'ALTER TABLE presence ADD COLUMN leaving BIGINT',
    {
      whole: 'CREATE INDEX claims_by_path ON file_claims (project, file_path)',
      beginnings: 'CREATE INDEX claims_by_path ON file_claims (project, file_path(255))',
    },
    // Once more: on Dolt, earlier versions took every index for one that is there already.
    ...[
      'CREATE INDEX messages_by_channel ON messages (project, channel, id)',
      'CREATE INDEX messages_by_time ON messages (project, created_us)',
      'CREATE INDEX changes_by_agent ON changes (project, agent_id, id)',
      'CREATE INDEX changes_by_time ON changes (project, announced_us)',
      'CREATE INDEX sends_by_id ON sends (id)',
      'CREATE INDEX sends_by_time ON sends (begun_ms)',
      'CREATE INDEX claims_by_agent ON file_claims (project, agent_id)',
    ].map((whole) => ({ whole })),
  ],
  [
    `CREATE TABLE marks (
      project VARCHAR(100) NOT NULL,
      agent_id CHAR(36) NOT NULL,
      channel VARCHAR(255) NOT NULL,
      last_id BIGINT NOT NULL,
      token CHAR(36) NOT NULL,
      PRIMARY KEY (project, agent_id, channel))`,
    `CREATE TABLE receipts (
      project VARCHAR(100) NOT NULL,
      message_id BIGINT NOT NULL,
      notified_us BIGINT,
      read_us BIGINT,
      token CHAR(36) NOT NULL,
      PRIMARY KEY (project, message_id))`,
    'CREATE INDEX agents_by_name ON agents (project, name, registered_us)',
    'CREATE INDEX messages_by_sender ON messages (project, sender_name, id)',
    'ALTER TABLE messages ADD COLUMN by_mailbox BIGINT',
  ],
  [
    `CREATE TABLE project_names (
      name VARCHAR(100) NOT NULL,
      project VARCHAR(100) NOT NULL,
      PRIMARY KEY (name))`,
    `CREATE TABLE repositories (
      project VARCHAR(100) NOT NULL,
      name VARCHAR(100) NOT NULL,
      token CHAR(36) NOT NULL,
      PRIMARY KEY (project))`,
    `CREATE TABLE project_origins (
      origin_hash CHAR(64) NOT NULL,
      origin MEDIUMTEXT NOT NULL,
      project VARCHAR(100) NOT NULL,
      PRIMARY KEY (origin_hash))`,
    `CREATE TABLE project_roots (
      machine CHAR(36) NOT NULL,
      root_hash CHAR(64) NOT NULL,
      root MEDIUMTEXT NOT NULL,
      project VARCHAR(100) NOT NULL,
      PRIMARY KEY (machine, root_hash))`,
  ],
]

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

/** Changes with every sign of life, so no version holds it. */
const churning = ['presence']

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
  const migrating = () => again(() => migrateOnce(store))
  await (store.alone ? store.alone(migrating) : migrating())
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
