/** One server for a file of tests, each of which takes a project of its own: they never meet. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect } from 'vitest'
import * as z from 'zod'
import { type Env, start } from '../agentmail.ts'
import { callTool, type ToolAnswer } from '../server/server.ts'

/** Starts the server before the tests of the file; what it gives makes a new project each time. */
export function projectsOnOneServer(env: Env = {}): () => TestProject {
  let url = ''
  let made = 0
  let stop = async () => {}
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentmail-test-'))
    const db = join(folder, 'agentmail.db')
    const child = start(['serve', '--json', '--port', '0', '--db', db], { cwd: folder, env })
    const [line] = await once(createInterface(child.stdout), 'line')
    url = z.object({ url: z.string() }).parse(JSON.parse(line)).url
    stop = async () => {
      const ended = once(child, 'close')
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  })
  afterAll(() => stop())
  return () => new TestProject(url, `project-${++made}`)
}

/** RFC 3339 UTC with microseconds. */
const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
const id = z.int().min(1)
const message = z.strictObject({
  id,
  sender_id: z.uuid(),
  channel: z.string(),
  subject: z.string(),
  body: z.string(),
  created_at: time,
  sender_name: z.string(),
})
const change = z.strictObject({
  id,
  agent_id: z.uuid(),
  file_path: z.string(),
  summary: z.string(),
  announced_at: time,
})
const conflict = z.strictObject({
  file: z.string(),
  held_by: z.uuid(),
  holder_name: z.string(),
  claimed_at: time,
})
const claim = z.strictObject({
  file_path: z.string(),
  agent_id: z.uuid(),
  claimed_at: time,
  holder_name: z.string(),
})

/** What each tool gives: these keys and no others. */
const outputs = {
  register: z.strictObject({
    agent_id: z.uuid(),
    agents: z.array(z.strictObject({ name: z.string(), role: z.string() })).max(50),
    unread: z.int().min(0),
    note: z.string().optional(),
  }),
  heartbeat: z.strictObject({ ok: z.literal(true), unread: z.int().min(0) }),
  send_message: z.strictObject({ message_id: id, note: z.string().optional() }),
  read_messages: z.strictObject({ messages: z.array(message), has_more: z.boolean() }),
  claim_files: z.strictObject({ claimed: z.array(z.string()), conflicts: z.array(conflict) }),
  release_files: z.strictObject({ released: z.array(z.string()) }),
  get_file_claims: z.strictObject({ claims: z.array(claim), has_more: z.boolean() }),
  announce_change: z.strictObject({ change_id: id }),
  get_changes: z.strictObject({ changes: z.array(change), has_more: z.boolean() }),
}

interface Cursor {
  since?: string
  after_id?: number
  limit?: number
}

/** A project as its agents use it. Every answer is held against the shape that the tool promises. */
export class TestProject {
  readonly url: string
  readonly name: string | undefined

  /** Without a name: the server's own project. */
  constructor(url: string, name?: string) {
    this.url = url
    this.name = name
  }

  call(tool: string, args: object = {}): Promise<ToolAnswer> {
    return callTool(this.url, tool, args, this.name)
  }

  /** The text of a call that must be refused. */
  async refusal(tool: string, args: object = {}): Promise<string> {
    const { isError, content, structuredContent, text } = await this.call(tool, args)
    expect({ isError, structuredContent, items: content.length, text }).toEqual({
      isError: true,
      structuredContent: undefined,
      items: 1,
      text: expect.stringMatching(/\S/),
    })
    return text
  }

  async register(name: string, options: { role?: string; agent_id?: string } = {}) {
    const args = { name, role: 'coder', ...options }
    return (await this.#ask('register', args, outputs.register)).agent_id
  }

  heartbeat(agent_id: string) {
    return this.#ask('heartbeat', { agent_id }, outputs.heartbeat)
  }

  /** Gives the id of the message. */
  async send(
    agent_id: string,
    body: string,
    options: { channel?: string; subject?: string; idempotency_key?: string } = {},
  ) {
    const args = { agent_id, subject: 'subject', body, ...options }
    return (await this.#ask('send_message', args, outputs.send_message)).message_id
  }

  read(agent_id: string, options: Cursor & { channel?: string; wait_seconds?: number } = {}) {
    return this.#ask('read_messages', { agent_id, ...options }, outputs.read_messages)
  }

  /** Gives the id of the change. */
  async announce(
    agent_id: string,
    summary: string,
    options: { file_path?: string; idempotency_key?: string } = {},
  ) {
    const args = { agent_id, file_path: 'a.ts', summary, ...options }
    return (await this.#ask('announce_change', args, outputs.announce_change)).change_id
  }

  changes(options: Cursor & { agent_id?: string } = {}) {
    return this.#ask('get_changes', options, outputs.get_changes)
  }

  claim(agent_id: string, ...files: string[]) {
    return this.#ask('claim_files', { agent_id, files }, outputs.claim_files)
  }

  release(agent_id: string, ...files: string[]) {
    return this.#ask('release_files', { agent_id, files }, outputs.release_files)
  }

  claims(...files: string[]) {
    const args = files.length > 0 ? { files } : {}
    return this.#ask('get_file_claims', args, outputs.get_file_claims)
  }

  async #ask<T>(tool: string, args: object, output: z.ZodType<T>): Promise<T> {
    const { isError, content, structuredContent, text } = await this.call(tool, args)
    if (isError) throw new Error(`${tool} was refused: ${text}`)
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
    return output.parse(structuredContent)
  }
}
