/** A database in which somebody else has defined something: refused where it could change what agents say, and left as it was. */
import { describe, expect, it } from 'vitest'
import { fileDatabase } from '../../src/store/database.ts'
import { failureOf } from '../support/failure-of.ts'
import { create, newPath, open, refusal, sql } from '../support/store/sqlite-files.ts'

/** A table of ours, made anew with a change in its definition. */
function changed(path: string, table: string, change: (definition: string) => string): void {
  const [row] = sql(path, `SELECT sql FROM sqlite_master WHERE name = '${table}'`)
  const definition = String(row?.sql)
  expect(change(definition)).not.toBe(definition)
  sql(path, `DROP TABLE ${table}`, change(definition))
}

const onMessages = 'AFTER INSERT ON messages BEGIN'
const refused: Record<string, { plant: (path: string) => void; says: RegExp }> = {
  'a trigger that rewrites senders': {
    plant: (path) =>
      sql(path, `CREATE TRIGGER boss ${onMessages} UPDATE messages SET sender_name = 'boss'; END`),
    says: /it has a trigger "boss" that is not of AgentMail\)\nA trigger or view can change/,
  },
  'a trigger on a table of somebody else': {
    plant: (path) =>
      sql(
        path,
        'CREATE TABLE notes (text TEXT)',
        'CREATE TRIGGER theirs AFTER INSERT ON notes BEGIN DELETE FROM messages; END',
      ),
    says: /it has a trigger "theirs" that is not of AgentMail/,
  },
  'a view': {
    plant: (path) => sql(path, 'CREATE VIEW seen AS SELECT * FROM messages'),
    says: /it has a view "seen" that is not of AgentMail/,
  },
  'a view in place of a table': {
    plant: (path) =>
      sql(
        path,
        'ALTER TABLE messages RENAME TO kept',
        "CREATE VIEW messages AS SELECT project, id, created_us, sender_id, 'boss' AS sender_name, channel, subject, body FROM kept",
      ),
    says: /it has a view "messages" that is not of AgentMail/,
  },
  'claims without a key, which two could hold': {
    plant: (path) =>
      changed(path, 'file_claims', (text) => text.replace(/,\s*PRIMARY KEY[^)]*\)/, '')),
    says: /it has a table "file_claims" of something else/,
  },
  'claims of which the last one holds': {
    plant: (path) =>
      changed(path, 'file_claims', (text) => text.replace(/\)$/, ' ON CONFLICT REPLACE)')),
    says: /it has a table "file_claims" of something else/,
  },
  'names that are all the same': {
    plant: (path) =>
      changed(path, 'agents', (text) =>
        text.replace('name VARCHAR(255) NOT NULL', 'name VARCHAR(255) NOT NULL COLLATE NOCASE'),
      ),
    says: /it has a table "agents" of something else/,
  },
  'a column that is made of others': {
    plant: (path) =>
      changed(path, 'messages', (text) =>
        text.replace('subject VARCHAR(255) NOT NULL', "subject AS ('x' || body)"),
      ),
    says: /it has a table "messages" of something else/,
  },
  'messages that go with their sender': {
    plant: (path) =>
      changed(path, 'messages', (text) =>
        text.replace(
          'sender_id CHAR(36) NOT NULL',
          'sender_id CHAR(36) NOT NULL REFERENCES presence (agent_id) ON DELETE CASCADE',
        ),
      ),
    says: /it has a table "messages" of something else/,
  },
  'a search index in place of a table': {
    plant: (path) =>
      sql(path, 'DROP TABLE changes', 'CREATE VIRTUAL TABLE changes USING fts5 (project, id)'),
    says: /it has a table "changes" of something else/,
  },
}

describe.each(Object.entries(refused))('a database with %s', (_, { plant, says }) => {
  it('is refused in words, and left as it was', async () => {
    const path = newPath()
    await create(path)
    plant(path)
    const before = sql(path, 'SELECT name, sql FROM sqlite_master')
    const { code, text } = await refusal(path)
    expect(code).toBe('database_unreadable')
    expect(text).toMatch(says)
    expect(sql(path, 'SELECT name, sql FROM sqlite_master')).toEqual(before)
  })
})

it('is not looked at either, by whoever only reads', async () => {
  const path = newPath()
  await create(path)
  sql(path, 'CREATE VIEW seen AS SELECT * FROM messages')
  const database = fileDatabase(path)
  const error = database.explained(await failureOf(database.view()))
  expect(error.message).toMatch(/it has a view "seen" that is not of AgentMail/)
})

it('may hold tables and indexes of others beside ours', async () => {
  const path = newPath()
  await create(path)
  sql(
    path,
    "CREATE TABLE notes (text TEXT DEFAULT 'none', CHECK (text <> ''))",
    'CREATE INDEX notes_by_text ON notes (lower(text))',
    'CREATE VIRTUAL TABLE words USING fts5 (text)',
    'CREATE INDEX messages_by_sender ON messages (sender_name)',
    'CREATE UNIQUE INDEX "odd name" ON notes (text)',
  )
  const { agents } = await open(path)
  expect((await agents.register({ name: 'a', role: 'b' })).agent_id).toHaveLength(36)
})
