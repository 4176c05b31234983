/** The baseline of B4: the least that serves MCP over HTTP with the same SDK, and inserts one row a call, as durably. */
import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { DatabaseSync } from '@photostructure/sqlite'

const database = new DatabaseSync(process.argv[2])
database.exec('PRAGMA synchronous = FULL')
database.exec('PRAGMA journal_mode = WAL')
database.exec(
  'CREATE TABLE messages (id INTEGER PRIMARY KEY, sender_id, channel, subject, body, created_us)',
)
const insert = database.prepare(
  'INSERT INTO messages (sender_id, channel, subject, body, created_us) VALUES (?, ?, ?, ?, ?)',
)

function makeServer() {
  const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/call', ({ params }) => {
    const { agent_id, channel = 'broadcast', subject, body } = params.arguments
    const { lastInsertRowid } = insert.run(agent_id, channel, subject, body, Date.now() * 1000)
    const answer = { message_id: Number(lastInsertRowid) }
    return {
      content: [{ type: 'text', text: JSON.stringify(answer) }],
      structuredContent: answer,
    }
  })
  return server
}

const server = createServer(toNodeHandler(createMcpHandler(makeServer)))
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }))
})
// A statement alone does not keep its database open.
process.on('SIGTERM', () => {
  database.close()
  process.exit()
})
