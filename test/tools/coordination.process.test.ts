/** The nine coordination tools one by one: what they list, give, and refuse in which words. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  accepted,
  contentOf,
  nothing,
  projectWithAgent,
  toolNames,
} from '../support/coordination/every-tool.ts'
import { projectsOnOneServer } from '../support/coordination/projects.ts'
import { connectClient } from '../support/server/server.ts'

const newProject = projectsOnOneServer()

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
    expect(await project.heartbeat(a)).toMatchObject({ ok: true })
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
    const { project, agent } = await projectWithAgent(newProject())
    const text =
      ' “quoted” "\\" \t\r\n \u2028 \x01\x7f é e\u0301 日本 👩‍👩‍👧 \u202E <b>&amp;</b> {} \uFEFF '
    const name = text.replace(/[\p{Cc}\u2028]+/gu, ' ')
    const other = await project.register(name, { role: name })
    await project.send(other, text, { subject: text, channel: text })
    await project.announce(other, text, { file_path: '日本/👩‍👩‍👧 "a".ts' })
    const { messages } = await project.read(agent, { channel: text })
    expect(messages).toMatchObject([
      { sender_name: name, channel: text, subject: text, body: text },
    ])
    expect((await project.changes()).changes).toMatchObject([
      { summary: text, file_path: '日本/👩‍👩‍👧 "a".ts' },
    ])
  })

  it.each(toolNames)('refuses an unknown argument by name: %s', async (tool) => {
    const { project, refusal } = await projectWithAgent(newProject())
    expect(await refusal(tool, { surprise: 1 })).toMatch(/^unknown argument: surprise\b/)
    expect(await refusal(tool, { surprise: null })).toMatch(/^unknown argument: surprise\b/)
    expect(await refusal(tool, { Agent_ID: 'x' })).toMatch(/^unknown argument: Agent_ID\b/)
    expect(await refusal(tool, { toString: 'x' })).toMatch(/^unknown argument: toString\b/)
    expect(await contentOf(project)).toEqual(nothing)
  })
})

describe('an agent that is not registered', () => {
  const ids = ['00000000-0000-4000-8000-000000000000', 'X', 'coder-1', "' OR '1'='1", '%', '日本']

  it.each(toolNames.filter((tool) => 'agent_id' in (accepted('')[tool] ?? {})))(
    'is refused with its id: %s',
    async (tool) => {
      const { project, refusal } = await projectWithAgent(newProject())
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
