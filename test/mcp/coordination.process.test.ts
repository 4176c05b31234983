/** `agentmail mcp coordination` as its clients meet it, through a running server and on the database. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  mcpCoordination,
  messagesOf,
  openAgent,
  openPlace,
  openStdio,
  structured,
  subjectsHeard,
  waitForMessages,
  ways,
} from '../support/coordination/coordination.ts'
import { connect } from '../support/mcp/mcp-client.ts'
import { eras, revisions } from '../support/mcp/protocol.ts'

const snapshots = readdirSync(join(import.meta.dirname, '../tool-snapshots/coordination')).map(
  (file) =>
    JSON.parse(
      readFileSync(join(import.meta.dirname, '../tool-snapshots/coordination', file), 'utf8'),
    ),
)
const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)

const eachOnce = [
  ['a running server', 'modern'],
  ['the database itself', 'legacy'],
] as const
const everyWay = ways.flatMap((way) => eras.map((era) => [way, era] as const))

describe.each(everyWay)('the official client through %s, %s era', (way, era) => {
  it('works with all nine tools', async () => {
    const { repository, env, json } = await openPlace(way)
    const client = await connect(era, { args: mcpCoordination, cwd: repository, env })
    expect(client.getNegotiatedProtocolVersion()).toBe(revisions[era])
    expect(client.getServerVersion()).toMatchObject({ name: 'agentmail-coordination' })
    const { tools } = await client.listTools()
    expect(tools.toSorted(byName)).toEqual(snapshots)
    expect(tools).toHaveLength(9)

    const call = async (name: string, args: object = {}) => {
      const { content, structuredContent } = await client.callTool({
        name,
        arguments: { ...args },
      })
      expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
      return Object(structuredContent)
    }
    const { agent_id } = await call('register', { name: 'ann', role: 'coder' })
    const files = ['./a.ts']
    expect(await call('heartbeat', { agent_id })).toMatchObject({ ok: true })
    expect(await call('claim_files', { agent_id, files })).toEqual({
      claimed: files,
      conflicts: [],
    })
    expect(await call('get_file_claims', { files })).toMatchObject({
      claims: [{ file_path: 'a.ts', agent_id }],
    })
    expect(await call('send_message', { agent_id, subject: 's', body: 'b' })).toEqual({
      message_id: 1,
    })
    const read = await call('read_messages', { agent_id, wait_seconds: 50 })
    expect(read).toEqual(await json(['messages']))
    const change = { agent_id, file_path: 'a.ts', summary: 'better' }
    expect(await call('announce_change', change)).toEqual({ change_id: 1 })
    expect(await call('get_changes', { agent_id })).toEqual(await json(['changes']))
    expect(await call('release_files', { agent_id, files })).toEqual({ released: files })

    const refused = await client.callTool({ name: 'claim_files', arguments: { agent_id } })
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^files is required\n/) }],
    })
  })
})

describe.each(eachOnce)('lines through %s, %s era', (way, era) => {
  it('are answered while a reader waits, which is woken by its news', async () => {
    const ann = await openAgent(await openPlace(way), 'ann', { era })
    waitForMessages(ann, 'waiting')
    expect(await ann.call('heartbeat')).toMatchObject({ ok: true })
    expect(await ann.call('claim_files', { files: ['a.ts'] })).toMatchObject({ claimed: ['a.ts'] })
    expect(await ann.call('read_messages')).toEqual({ messages: [], has_more: false })
    expect(ann.client.answersTo('waiting')).toEqual([])
    await ann.say('news')
    expect(await subjectsHeard(ann, 'waiting')).toEqual(['news'])
    expect(ann.client.faults).toEqual([])
  })

  it('that are malformed are answered with -32700, and the server goes on', async () => {
    const client = await openStdio(await openPlace(way), { era })
    client.write('nonsense', '{"jsonrpc":"2.0",', '')
    expect((await client.request('tools/list')).result).toBeDefined()
    client.write('{"id":7}}')
    const registered = await client.call('register', { name: 'ann', role: 'coder' })
    expect(structured(registered)).toMatchObject({ agent_id: expect.any(String) })
    expect(client.answersTo(null).map(({ error }) => error?.code)).toEqual(Array(3).fill(-32700))
    expect((await client.call('no_such_tool')).error?.code).toBe(-32602)
    const { exitCode, stderr } = await client.finish()
    expect([exitCode, client.faults]).toEqual([0, []])
    for (const line of stderr.trimEnd().split('\n')) expect(line).toMatch(/^agentmail: \S/)
  })

  it('that were cancelled wait no longer and get no answer', async () => {
    const place = await openPlace(way)
    const ann = await openAgent(place, 'ann', { era })
    waitForMessages(ann, 'cancelled')
    waitForMessages(ann, 'other')
    const params = { requestId: 'cancelled', reason: 'the user changed their mind' }
    ann.client.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }))
    await ann.call('heartbeat')
    await ann.say('news')
    expect(await subjectsHeard(ann, 'other')).toEqual(['news'])
    expect(await ann.client.finish()).toMatchObject({ exitCode: 0 })
    expect(ann.client.answersTo('cancelled')).toEqual([])
    expect(ann.client.faults).toEqual([])
  })
})

describe.each(ways)('two servers on STDIO, through %s', (way) => {
  it('wake each other’s waiting readers', async () => {
    const place = await openPlace(way)
    const ann = await openAgent(place, 'ann')
    const bob = await openAgent(place, 'bob', { era: 'modern' })
    for (const [reader, writer, after] of [
      [ann, bob, 0],
      [bob, ann, 1],
    ] as const) {
      waitForMessages(reader, 'any', { after_id: after })
      waitForMessages(reader, 'channel', { after_id: after, channel: 'builds' })
      await reader.call('heartbeat')
      await writer.say('news')
      expect(await subjectsHeard(reader, 'any')).toEqual(['news'])
      expect(reader.client.answersTo('channel')).toEqual([])
    }
    await ann.call('send_message', { channel: 'builds', subject: 'green', body: 'b' })
    expect(await subjectsHeard(ann, 'channel')).toEqual(['green'])
    expect(await subjectsHeard(bob, 'channel')).toEqual(['green'])
  })
})

it('two servers on one database never give out a file or a number twice', async () => {
  const place = await openPlace('the database itself')
  const agents = [await openAgent(place, 'ann'), await openAgent(place, 'bob')]
  const files = Array.from({ length: 20 }, (_, index) => `${index}.ts`)
  const claims = await Promise.all(
    agents.flatMap((agent) =>
      files.map(async (file) => Object(await agent.call('claim_files', { files: [file] }))),
    ),
  )
  expect(claims.flatMap(({ claimed }) => claimed).sort()).toEqual(files.toSorted())
  await Promise.all(agents.flatMap((agent) => files.map((file) => agent.say(file))))
  const messages = messagesOf(await place.json(['messages', '--limit', '500']))
  expect(messages.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
  for (const { id } of agents) {
    const own = messages.filter(({ sender_id }) => sender_id === id)
    expect(own.map(({ subject }) => subject)).toEqual(files)
  }
})
