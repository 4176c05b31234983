/** The typical workflow of agents that share a project, with the official client over every transport. */
import type { Client } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { TestServer } from '../support/server/server.ts'

/** How an agent reaches the server. */
type Way = readonly ['http' | 'sse', 'legacy' | 'modern']
const modern: Way = ['http', 'modern']
const legacy: Way = ['http', 'legacy']
const sse: Way = ['sse', 'legacy']

/** An agent with a client of its own. */
class Agent {
  readonly #client: Client
  readonly name: string
  readonly id: string

  private constructor(client: Client, name: string, id: string) {
    this.#client = client
    this.name = name
    this.id = id
  }

  static async register(server: TestServer, way: Way, name: string, role: string): Promise<Agent> {
    const client = await server.connect(...way)
    const { structuredContent } = await client.callTool({
      name: 'register',
      arguments: { name, role },
    })
    const { agent_id } = z.object({ agent_id: z.uuid() }).parse(structuredContent)
    return new Agent(client, name, agent_id)
  }

  /** Calls a tool under its id. */
  async does(name: string, args: Record<string, unknown> = {}) {
    return this.asks(name, { agent_id: this.id, ...args })
  }

  /** Calls a tool that wants no id. */
  async asks(name: string, args: Record<string, unknown> = {}) {
    const { isError, content, structuredContent } = await this.#client.callTool({
      name,
      arguments: args,
    })
    expect(isError).toBeFalsy()
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
    return structuredContent
  }
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)

it.each<[string, Way, Way, Way]>([
  ['Streamable HTTP in the modern era', modern, modern, modern],
  ['Streamable HTTP in the legacy era', legacy, legacy, legacy],
  ['SSE', sse, sse, sse],
  ['a transport of its own', modern, legacy, sse],
])('two coders and a reviewer do their work, each over %s', async (_, ...ways) => {
  const server = await TestServer.start()
  const coder1 = await Agent.register(server, ways[0], 'coder-1', 'coder')
  const coder2 = await Agent.register(server, ways[1], 'coder-2', 'coder')
  const reviewer = await Agent.register(server, ways[2], 'reviewer-1', 'reviewer')
  for (const agent of [coder1, coder2, reviewer]) {
    expect(await agent.does('heartbeat')).toMatchObject({ ok: true })
  }

  // Both coders want the same file; the second is told who has it, and asks.
  const files = ['internal/auth/jwt.go', 'internal/auth/jwt_test.go']
  expect(await coder1.asks('get_file_claims', { files })).toEqual({ claims: [], has_more: false })
  expect(await coder1.does('claim_files', { files })).toEqual({ claimed: files, conflicts: [] })
  const holder = { holder_name: 'coder-1', claimed_at: time }
  expect(await coder2.asks('get_file_claims')).toEqual({
    claims: files.map((file_path) => ({ file_path, agent_id: coder1.id, ...holder })),
    has_more: false,
  })
  expect(
    await coder2.does('claim_files', { files: ['./internal/auth/jwt.go', 'main.go'] }),
  ).toEqual({
    claimed: ['main.go'],
    conflicts: [{ file: './internal/auth/jwt.go', held_by: coder1.id, ...holder }],
  })
  const question = { channel: 'coordination', subject: 'jwt.go', body: 'Tell me when it is free.' }
  expect(await coder2.does('send_message', question)).toEqual({ message_id: 1 })

  // While coder-2 waits for news, coder-1 reads the question, announces, releases and answers.
  const waiting = coder2.does('read_messages', { after_id: 1, wait_seconds: 50 })
  const asked = { id: 1, sender_id: coder2.id, sender_name: 'coder-2', created_at: time }
  expect(await coder1.does('read_messages')).toEqual({
    messages: [{ ...asked, ...question }],
    has_more: false,
  })
  const summary = 'Added token expiration validation and refresh logic'
  expect(await coder1.does('announce_change', { file_path: files[0], summary })).toEqual({
    change_id: 1,
  })
  expect(await coder1.does('release_files', { files })).toEqual({ released: files })
  const answer = { subject: 'Re: jwt.go', body: 'It is yours.' }
  expect(await coder1.does('send_message', answer)).toEqual({ message_id: 2 })
  const answered = { id: 2, sender_id: coder1.id, sender_name: 'coder-1', created_at: time }
  expect(await waiting).toEqual({
    messages: [{ ...answered, channel: 'broadcast', ...answer }],
    has_more: false,
  })

  // Now it is free, and the reviewer sees what was changed and said.
  expect(await coder2.does('claim_files', { files: [files[0]] })).toEqual({
    claimed: [files[0]],
    conflicts: [],
  })
  expect(await reviewer.asks('get_changes', { agent_id: coder1.id })).toEqual({
    changes: [{ id: 1, agent_id: coder1.id, file_path: files[0], summary, announced_at: time }],
    has_more: false,
  })
  expect(await reviewer.asks('get_changes', { agent_id: coder2.id })).toEqual({
    changes: [],
    has_more: false,
  })
  expect(await reviewer.does('read_messages', { channel: 'coordination' })).toMatchObject({
    messages: [question],
  })
  expect(await reviewer.does('read_messages')).toMatchObject({ messages: [question, answer] })
})
