/** Hands something to an agent: a message in its channel of the coordination, once for each key. */
import type { Config } from '../config.ts'
import { connect } from '../connection/connect.ts'
import type { Connection } from '../connection/connection.ts'
import { AgentMailError } from '../errors.ts'
import type { ToolResult } from '../tools/define-tool.ts'
import type { Post } from './outbox/delivery.ts'

/** Where the id is kept that the coordination knows the sender by: a key counts for one agent. */
interface Identity {
  agentId: string | undefined
}

export const postToAgent =
  (config: Config, identity: Identity, remember: () => void): Post =>
  async ({ agent, subject, body, key }) => {
    const connection = await connect(config)
    try {
      const id = await register(connection, identity.agentId)
      if (id !== identity.agentId) {
        identity.agentId = id
        remember()
      }
      const channel = `@${agent.replace(/^@/, '')}`
      const message = { agent_id: id, channel, subject, body, idempotency_key: key }
      answer(await connection.call('send_message', message))
      await connection.leave(id).catch(() => {}) // it will be swept
    } finally {
      await connection.close()
    }
  }

async function register(connection: Connection, agent_id: string | undefined): Promise<string> {
  const known = { name: 'orchestrator', role: 'hands mail over', agent_id }
  const { agent_id: id } = answer(await connection.call('register', known))
  if (typeof id === 'string') return id
  throw new AgentMailError('internal', 'the coordination gave no id')
}

function answer({ isError, content, structuredContent }: ToolResult): Record<string, unknown> {
  if (!isError) return structuredContent ?? {}
  throw new AgentMailError('invalid_request', content[0]?.text ?? 'it was refused')
}
