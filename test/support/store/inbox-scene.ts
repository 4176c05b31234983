/** A server with a clock of its own, and what a test of inboxes does there. */
import { type NewDatabase, type Server, TestClock, TestDatabase } from './databases.ts'

const role = 'coder'

export async function scene(newDatabase: NewDatabase) {
  const database = await TestDatabase.create(newDatabase)
  const clock = new TestClock()
  const server = await database.server({ clock })
  return { database, clock, server, ...hands(server) }
}

/** What a test does at a server. */
export function hands({ project }: Server) {
  return {
    register: async (name: string, agent_id?: string) =>
      (await project.agents.register({ name, role, agent_id })).agent_id,
    say: async (agent_id: string, channel: string, body = 'b') =>
      (await project.messages.send({ agent_id, channel, subject: 's', body })).message_id,
    unread: async (agent_id: string, request: { channel?: string; limit?: number } = {}) =>
      (await project.unread.read({ agent_id, ...request })).messages.map(({ id }) => id),
    count: async (agent_id: string) => (await project.agents.heartbeat({ agent_id })).unread,
    leave: (agent_id: string) => project.agents.leave(agent_id),
  }
}
