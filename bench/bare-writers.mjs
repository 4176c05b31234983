/** The baseline of B10: messages written with the driver alone, each in a transaction of its own, into the same tables. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { createConnection } from 'mysql2/promise'
import { letter } from './servers.mjs'

const sql = {
  found: 'INSERT INTO projects VALUES (?, 0, 0, 0, 0, ?)',
  key: 'SELECT result_id FROM idempotency_keys WHERE project = ? AND agent_id = ? AND tool = ? AND key_hash = ?',
  counter: 'SELECT last_message, token FROM projects WHERE project = ?',
  message:
    'INSERT INTO messages (project, id, created_us, sender_id, sender_name, channel, subject, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  keep: 'INSERT INTO idempotency_keys (project, agent_id, tool, key_hash, content_hash, result_id) VALUES (?, ?, ?, ?, ?, ?)',
  count: 'UPDATE projects SET last_message = ?, token = ? WHERE project = ? AND token = ?',
}
const project = ''
const lostRaces = [1020, 1062, 1105, 1205, 1213]

/** Of the tables that a server of ours has made at the address. */
export function openBareWriters(address, count) {
  return address.startsWith('mysql:') ? mysqlWriters(address, count) : sqliteWriter(address)
}

async function mysqlWriters(uri, count) {
  const open = () => createConnection({ uri, charset: 'UTF8MB4_BIN' })
  const connections = await Promise.all(Array.from({ length: count }, open))
  await connections[0].query(sql.found, [project, randomUUID()])
  return {
    async send(writer, key) {
      const connection = connections[writer]
      const statement = async (text, ...values) => (await connection.query(text, values))[0]
      for (let attempt = 1; ; attempt++) {
        try {
          await connection.query('START TRANSACTION')
          if (await inTransaction(statement, key, ' FOR UPDATE')) {
            await connection.query('COMMIT')
            return
          }
        } catch (error) {
          if (!lostRaces.includes(error.errno)) throw error
        }
        await connection.query('ROLLBACK')
        await sleep(Math.random() * Math.min(2 ** attempt, 50))
      }
    },
    close: () => Promise.all(connections.map((connection) => connection.end())),
  }
}

/** Its driver answers before it returns, so that one connection is as good as many. */
function sqliteWriter(path) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA synchronous = FULL')
  const prepared = Object.fromEntries(
    Object.values(sql).map((text) => [text, database.prepare(text)]),
  )
  prepared[sql.found].run(project, randomUUID())
  const statement = async (text, ...values) => {
    if (text.startsWith('SELECT')) return prepared[text].all(...values)
    return { affectedRows: prepared[text].run(...values).changes }
  }
  let turn = Promise.resolve()
  return {
    send(_, key) {
      turn = turn.then(async () => {
        database.exec('BEGIN IMMEDIATE')
        if (!(await inTransaction(statement, key))) throw new Error('The counter was taken')
        database.exec('COMMIT')
      })
      return turn
    },
    close: () => database.close(),
  }
}

/** Whether the message may be committed: not, if another took its id. */
async function inTransaction(statement, key, locking = '') {
  const sender = ['sender', 'send_message', key]
  if (key) await statement(sql.key, project, ...sender)
  const [{ last_message, token }] = await statement(sql.counter + locking, project)
  const id = last_message + 1
  const { subject, body } = letter
  const rest = [Date.now() * 1000, 'sender', 'sender', 'broadcast', subject, body]
  await statement(sql.message, project, id, ...rest)
  if (key) await statement(sql.keep, project, ...sender, key, id)
  const { affectedRows } = await statement(sql.count, id, randomUUID(), project, token)
  return affectedRows === 1
}
