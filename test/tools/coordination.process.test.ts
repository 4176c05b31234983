/** The nine coordination tools one by one: what they list, give, and refuse in which words. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectsOnOneServer, type TestProject } from '../support/coordination/projects.ts'
import { connectClient } from '../support/server/server.ts'

const newProject = projectsOnOneServer()

/** Arguments that each tool accepts. */
const accepted = (agent_id: string): Record<string, Record<string, unknown>> => ({
  register: { name: 'coder-1', role: 'coder' },
  heartbeat: { agent_id },
  send_message: { agent_id, subject: 'subject', body: 'body' },
  read_messages: { agent_id },
  claim_files: { agent_id, files: ['a.ts'] },
  release_files: { agent_id, files: ['a.ts'] },
  get_file_claims: {},
  announce_change: { agent_id, file_path: 'a.ts', summary: 'summary' },
  get_changes: {},
})
const toolNames = Object.keys(accepted(''))

/** A project with one agent, and calls of a tool with arguments that differ in these from accepted ones. */
async function projectWithAgent() {
  const project = newProject()
  const agent = await project.register('coder-1')
  const argsOf = (tool: string, given: object) => ({ ...accepted(agent)[tool], ...given })
  return {
    project,
    agent,
    call: (tool: string, given: object = {}) => project.call(tool, argsOf(tool, given)),
    refusal: (tool: string, given: object) => project.refusal(tool, argsOf(tool, given)),
  }
}

/** Everything that is stored in a project; the reader has an id of its own. */
async function contentOf(project: TestProject) {
  const reader = await project.register('reader')
  const { messages } = await project.read(reader)
  const { changes } = await project.changes()
  const { claims } = await project.claims()
  return { messages, changes, claims }
}
const nothing = { messages: [], changes: [], claims: [] }

describe.each([
  ['http', 'legacy'],
  ['http', 'modern'],
  ['sse', 'legacy'],
] as const)('the list over %s in the %s era', (transport, era) => {
  it('has the nine tools as the snapshots have them, in under 1,500 tokens, without $schema', async () => {
    const client = await connectClient(newProject().url, transport, era)
    const { tools } = await client.listTools()
    const folder = join(import.meta.dirname, '../tool-snapshots/coordination')
    const snapshots = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
    expect(tools.map(({ name }) => name).sort()).toEqual(toolNames.toSorted())
    expect(tools.toSorted((one, other) => (one.name < other.name ? -1 : 1))).toEqual(
      snapshots.map((text) => JSON.parse(text)),
    )
    const listed = JSON.stringify(tools)
    expect(listed.length / 4).toBeLessThan(1500)
    expect(listed).not.toContain('$schema')
  })

  it('stands beside a protocol error for a tool that is not in it', async () => {
    const client = await connectClient(newProject().url, transport, era)
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    })
  })
})

describe('every tool', () => {
  it('gives its answer as structured content, and as one text item with the same JSON', async () => {
    const project = newProject()
    const a = await project.register('coder-1')
    const b = await project.register('coder-2')
    expect(await project.heartbeat(a)).toEqual({ ok: true })
    expect(await project.send(a, 'body', { subject: 'one' })).toBe(1)
    expect(await project.claim(a, 'a.ts')).toEqual({ claimed: ['a.ts'], conflicts: [] })
    expect((await project.claim(b, 'a.ts')).conflicts).toHaveLength(1)
    expect(await project.announce(a, 'summary')).toBe(1)
    expect(await project.claims()).toMatchObject({
      claims: [{ file_path: 'a.ts', agent_id: a, holder_name: 'coder-1' }],
    })
    expect(await project.release(a, 'a.ts')).toEqual({ released: ['a.ts'] })
    expect(await project.changes()).toMatchObject({
      changes: [{ id: 1, agent_id: a, file_path: 'a.ts', summary: 'summary' }],
      has_more: false,
    })
    expect(await project.read(b)).toMatchObject({
      messages: [
        {
          ...{ id: 1, sender_id: a, sender_name: 'coder-1' },
          ...{ channel: 'broadcast', subject: 'one', body: 'body' },
        },
      ],
      has_more: false,
    })
  })

  it('gives back the text that it was given, whatever stands in it', async () => {
    const { project, agent } = await projectWithAgent()
    const text =
      ' “quoted” "\\" \t\r\n \u2028 \x01\x7f é e\u0301 日本 👩‍👩‍👧 \u202E <b>&amp;</b> {} \uFEFF '
    const other = await project.register(text, { role: text })
    await project.send(other, text, { subject: text, channel: text })
    await project.announce(other, text, { file_path: '日本/👩‍👩‍👧 "a".ts' })
    const { messages } = await project.read(agent, { channel: text })
    expect(messages).toMatchObject([
      { sender_name: text, channel: text, subject: text, body: text },
    ])
    expect((await project.changes()).changes).toMatchObject([
      { summary: text, file_path: '日本/👩‍👩‍👧 "a".ts' },
    ])
  })

  it.each(toolNames)('refuses an unknown argument by name: %s', async (tool) => {
    const { project, refusal } = await projectWithAgent()
    expect(await refusal(tool, { surprise: 1 })).toMatch(/^unknown argument: surprise\b/)
    expect(await refusal(tool, { surprise: null })).toMatch(/^unknown argument: surprise\b/)
    expect(await refusal(tool, { Agent_ID: 'x' })).toMatch(/^unknown argument: Agent_ID\b/)
    expect(await refusal(tool, { toString: 'x' })).toMatch(/^unknown argument: toString\b/)
    expect(await contentOf(project)).toEqual(nothing)
  })
})

describe('a required argument', () => {
  const texts = [
    ...[undefined, null, '', ' ', ' \t\r\n\u00a0\u3000', 0, 5, true, false],
    ...[{}, { a: 'x' }, [], ['x']],
  ]
  const lists = [
    ...[undefined, null, '', 'a.ts', 0, true, {}, { 0: 'a.ts' }, [], [''], [' \n']],
    ...[['a.ts', ''], ['a.ts', null], ['a.ts', 5], [['a.ts']]],
  ]

  it.each([
    ['register', 'name', texts],
    ['register', 'role', texts],
    ['heartbeat', 'agent_id', texts],
    ['send_message', 'agent_id', texts],
    ['send_message', 'subject', texts],
    ['send_message', 'body', texts],
    ['read_messages', 'agent_id', texts],
    ['claim_files', 'agent_id', texts],
    ['claim_files', 'files', lists],
    ['release_files', 'agent_id', texts],
    ['release_files', 'files', lists],
    ['announce_change', 'agent_id', texts],
    ['announce_change', 'file_path', texts],
    ['announce_change', 'summary', texts],
  ])(
    'of %s that is missing, empty, blank or no text: %s is required',
    async (tool, field, values) => {
      const { project, refusal } = await projectWithAgent()
      for (const value of values) {
        const text = await refusal(tool, { [field]: value })
        expect(text, JSON.stringify(value)).toMatch(new RegExp(`^${field} is required(?:\n|$)`))
      }
      expect(await contentOf(project)).toEqual(nothing)
    },
  )
})

describe('an optional argument', () => {
  it.each([
    ['register', 'agent_id', ['', null]],
    ['send_message', 'channel', ['', null]],
    ['send_message', 'idempotency_key', ['', null]],
    ['read_messages', 'since', ['', null]],
    ['read_messages', 'channel', ['', null]],
    ['read_messages', 'after_id', ['', null]],
    ['read_messages', 'limit', ['', null]],
    ['read_messages', 'wait_seconds', ['', null]],
    ['get_file_claims', 'files', ['', null, []]],
    ['announce_change', 'idempotency_key', ['', null]],
    ['get_changes', 'since', ['', null]],
    ['get_changes', 'agent_id', ['', null]],
    ['get_changes', 'after_id', ['', null]],
    ['get_changes', 'limit', ['', null]],
  ])('of %s that is empty counts as absent: %s', async (tool, field, values) => {
    const { project, agent, call } = await projectWithAgent()
    await project.send(agent, 'first')
    await project.announce(agent, 'first')
    await project.claim(agent, 'a.ts')
    const isRead = ['read_messages', 'get_file_claims', 'get_changes'].includes(tool)
    const before = (await call(tool)).structuredContent
    for (const [index, value] of values.entries()) {
      const { isError, structuredContent } = await call(tool, { [field]: value })
      expect(isError).toBeFalsy()
      if (isRead) expect(structuredContent).toEqual(before)
      // What is written once more without a key is a new one.
      if (tool === 'register') expect(structuredContent).not.toEqual(before)
      if (tool === 'send_message') expect(structuredContent).toEqual({ message_id: index + 3 })
      if (tool === 'announce_change') expect(structuredContent).toEqual({ change_id: index + 3 })
    }
    const { messages } = await project.read(agent)
    expect(new Set(messages.map(({ channel }) => channel))).toEqual(new Set(['broadcast']))
  })

  const noInteger = [-1, 1.5, 2 ** 53, '5', 'x', true, {}, [5]]
  const noLimit = [...noInteger, 0, 501]
  const noText = [5, true, {}, ['x']]
  it.each([
    ['register', 'agent_id', noText],
    ['send_message', 'channel', noText],
    ['send_message', 'idempotency_key', noText],
    ['read_messages', 'channel', noText],
    ['read_messages', 'after_id', noInteger],
    ['read_messages', 'limit', noLimit],
    ['read_messages', 'wait_seconds', [-1, -0.1, 50.1, 51, '5', true, {}, [5]]],
    ['get_file_claims', 'files', ['a.ts', 5, {}, [5], [''], ['a.ts', null]]],
    ['announce_change', 'idempotency_key', noText],
    ['get_changes', 'agent_id', noText],
    ['get_changes', 'after_id', noInteger],
    ['get_changes', 'limit', noLimit],
  ])('of %s that makes no sense is refused by name: %s', async (tool, field, values) => {
    const { project, refusal } = await projectWithAgent()
    for (const value of values) {
      const text = await refusal(tool, { [field]: value })
      expect(text, JSON.stringify(value)).toMatch(new RegExp(`^${field} (?:must|is)\\b`))
    }
    expect(await contentOf(project)).toEqual(nothing)
  })
})

describe('an agent that is not registered', () => {
  const ids = ['00000000-0000-4000-8000-000000000000', 'X', 'coder-1', "' OR '1'='1", '%', '日本']

  it.each(toolNames.filter((tool) => 'agent_id' in (accepted('')[tool] ?? {})))(
    'is refused with its id: %s',
    async (tool) => {
      const { project, refusal } = await projectWithAgent()
      const stranger = await newProject().register('coder-1')
      const prefix = tool === 'heartbeat' ? 'heartbeat: ' : ''
      for (const id of [...ids, stranger]) {
        const [words, next] = (await refusal(tool, { agent_id: id })).split('\n')
        expect(words).toBe(`${prefix}agent "${id}" is not registered`)
        expect(next).toMatch(/register/i)
      }
      expect(await contentOf(project)).toEqual(nothing)
    },
  )
})

describe('NUL', () => {
  it.each([
    ['register', ['name', 'role', 'agent_id']],
    ['heartbeat', ['agent_id']],
    ['send_message', ['agent_id', 'channel', 'subject', 'body', 'idempotency_key']],
    ['read_messages', ['agent_id', 'since', 'channel']],
    ['claim_files', ['agent_id', 'files']],
    ['release_files', ['agent_id', 'files']],
    ['get_file_claims', ['files']],
    ['announce_change', ['agent_id', 'file_path', 'summary', 'idempotency_key']],
    ['get_changes', ['since', 'agent_id']],
  ])('is refused by the name of the argument that holds it: %s %j', async (tool, fields) => {
    const { project, agent, refusal } = await projectWithAgent()
    for (const field of fields) {
      for (const text of ['\0', 'a\0b', `${agent}\0`]) {
        const value = field === 'files' ? ['a.ts', text] : text
        expect(await refusal(tool, { [field]: value })).toMatch(new RegExp(`^${field} .*NUL`))
      }
    }
    expect(await contentOf(project)).toEqual(nothing)
  })
})

describe('a size', () => {
  const kilobytes64 = ['x'.repeat(65_536), 'é'.repeat(32_768), '😀'.repeat(16_384)]
  const characters = (count: number) => ['x'.repeat(count), 'é'.repeat(count), '😀'.repeat(count)]

  it.each([
    ['register', 'name', characters(255), /^name .*255/],
    ['register', 'role', characters(255), /^role .*255/],
    ['send_message', 'channel', characters(255), /^channel .*255/],
    ['send_message', 'subject', characters(255), /^subject .*255/],
    ['read_messages', 'channel', characters(255), /^channel .*255/],
    ['send_message', 'body', kilobytes64, /^body exceeds maximum size of 64KB/],
    ['announce_change', 'summary', kilobytes64, /^summary exceeds maximum size of 64KB/],
    ['announce_change', 'file_path', characters(1024), /^file_path .*1024/],
  ])(
    'of %s is allowed up to its bound and not one more: %s',
    async (tool, field, largest, words) => {
      const { project, agent, call, refusal } = await projectWithAgent()
      for (const value of largest) {
        expect((await call(tool, { [field]: value })).isError).toBeFalsy()
        expect(await refusal(tool, { [field]: `${value}x` })).toMatch(words)
      }
      const { messages } = await project.read(agent)
      const { changes } = await project.changes()
      const stored: Record<string, unknown>[] = [...messages, ...changes]
      if (stored.length > 0) expect(stored.map((entry) => entry[field])).toEqual(largest)
    },
  )

  it.each(['claim_files', 'release_files', 'get_file_claims'])(
    'of a path is 1,024 characters at most, and 1,000 paths go into a call: %s',
    async (tool) => {
      const { project, call, refusal } = await projectWithAgent()
      const files = Array.from({ length: 1000 }, (_, index) => `file-${index}`)
      for (const path of characters(1024)) {
        expect((await call(tool, { files: [path] })).isError).toBeFalsy()
        expect(await refusal(tool, { files: ['a.ts', `${path}x`] })).toMatch(/path.*1024/)
      }
      expect((await call(tool, { files })).isError).toBeFalsy()
      expect(await refusal(tool, { files: [...files, 'one-more'] })).toMatch(/^files .*1000/)
      const { claims } = await project.claims()
      expect(claims).toHaveLength(tool === 'claim_files' ? 1003 : 0)
    },
  )
})
