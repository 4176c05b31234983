/** Fills the project of a running server with messages and claims, past the server, which would take minutes. */
import { createHash } from 'node:crypto'
import { DatabaseSync } from '@photostructure/sqlite'

const channels = 5
const agents = 100
/** Times rise with the ids, a second apart. */
const firstUs = Date.UTC(2020, 0) * 1000

export function fillDatabase(path, { messages, claims }) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA synchronous = OFF')
  database.exec('BEGIN IMMEDIATE')
  fillMessages(database, messages)
  fillClaims(database, claims)
  database.exec('COMMIT')
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return {
    channels,
    channel: 'channel-1',
    timeOf: (id) => new Date((firstUs + id * 1_000_000) / 1000).toISOString(),
  }
}

function fillMessages(database, count) {
  database
    .prepare(
      `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ?)
      INSERT INTO messages (project, id, created_us, sender_id, sender_name, channel, subject, body)
      SELECT 'default', id, ? + id * 1000000, 'sender-' || (id % ${agents}), 'sender', 'channel-' || (id % ${channels}), 'Parser',
        'The tests of the parser are green; the lexer still fails on nested comments.' FROM ids`,
    )
    .run(count, firstUs)
  database
    .prepare(
      "UPDATE projects SET last_message = ?, last_us = MAX(last_us, ?) WHERE project = 'default'",
    )
    .run(count, firstUs + count * 1_000_000)
}

function fillClaims(database, count) {
  const presence = database.prepare(
    "INSERT INTO presence (project, agent_id, last_seen_us, token) VALUES ('default', ?, ?, 'bench')",
  )
  const agent = database.prepare(
    "INSERT INTO agents (project, agent_id, name, role, registered_us) VALUES ('default', ?, 'holder', 'coder', ?)",
  )
  const claim = database.prepare(
    "INSERT INTO file_claims (project, path_hash, file_path, agent_id, agent_name, claimed_us) VALUES ('default', ?, ?, ?, 'holder', ?)",
  )
  const nowUs = Date.now() * 1000
  for (let index = 0; index < Math.min(agents, count); index++) {
    presence.run(`holder-${index}`, nowUs)
    agent.run(`holder-${index}`, nowUs)
  }
  for (let index = 0; index < count; index++) {
    const file = `src/module-${index % 1000}/file-${index}.ts`
    const hash = createHash('sha256').update(file).digest('hex')
    claim.run(hash, file, `holder-${index % agents}`, nowUs)
  }
}
