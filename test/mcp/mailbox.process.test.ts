/** `agentmail mcp` as its clients meet it: the tools in both protocol eras, their errors, the life of the server. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { LineClient } from '../support/mcp/line-client.ts'
import { connect } from '../support/mcp/mcp-client.ts'
import { failure, messageId, openOffice, sentSchema, success } from '../support/mcp/office.ts'
import { eras, revisions } from '../support/mcp/protocol.ts'

function snapshots(): unknown[] {
  const folder = join(import.meta.dirname, '../tool-snapshots/mailbox')
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
}

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)

describe.each(eras)('the official client, %s era', (era) => {
  it('negotiates the revision of its era', async () => {
    const { as } = await openOffice()
    const client = await connect(era, { env: as('a') })
    expect(client.getProtocolEra()).toBe(era)
    expect(client.getNegotiatedProtocolVersion()).toBe(revisions[era])
    expect(client.getServerVersion()).toMatchObject({ name: 'agentmail-mailbox' })
    expect(client.getInstructions()).toContain('receive')
  })

  it('is told of exactly four tools, as the snapshots have them', async () => {
    const { as } = await openOffice()
    const client = await connect(era, { env: as('a') })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'list-recipients',
      'receive',
      'send',
      'status',
    ])
    expect(tools.toSorted(byName)).toEqual(snapshots())
    for (const tool of tools) {
      expect(tool).toMatchObject({
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: tool.name === 'list-recipients', openWorldHint: false },
      })
    }
  })

  it('gets every tool’s structured answer, and one text item with the same JSON', async () => {
    const { as } = await openOffice('b')
    const a = await connect(era, { env: as('a') })
    const b = await connect(era, { env: as('b') })
    const text = 'hello\nb, “quoted” \u2028 and 🐦'

    const sent = await a.callTool({ name: 'send', arguments: { recipient: 'b', message: text } })
    expect(sent.structuredContent).toEqual({ message_id: messageId })
    expect(sent).toMatchObject(success(sent.structuredContent ?? {}))
    expect(sent.content).toHaveLength(1)
    expect(sent.isError).toBeFalsy()

    const { message_id: id } = sentSchema.parse(sent.structuredContent)
    const received = await b.callTool({ name: 'receive', arguments: {} })
    expect(received.structuredContent).toEqual({ from: 'a', id, message: text })
    expect(received).toMatchObject(success(received.structuredContent ?? {}))
    expect(await b.callTool({ name: 'receive' })).toMatchObject(
      success({ status: 'No unread messages' }),
    )
    for (const status of ['ready', 'work', 'offline']) {
      expect(await a.callTool({ name: 'status', arguments: { status } })).toMatchObject(
        success({ status: 'ok' }),
      )
    }
    const listed = await a.callTool({ name: 'list-recipients', arguments: {} })
    expect(listed.structuredContent).toEqual({
      recipients: [
        { name: 'b', is_current: false },
        { name: 'a', is_current: true },
      ],
    })
    expect(listed).toMatchObject(success(listed.structuredContent ?? {}))
  })

  it('is refused in the words of the contract', async () => {
    const { as, folder } = await openOffice('b', 'ignored')
    writeFileSync(join(folder, '.agentmailignore'), '\n  ignored \n')
    const client = await connect(era, { env: as('a') })
    const refused: [tool: string, args: Record<string, unknown>, words: RegExp][] = [
      ['send', { recipient: 'b', message: '' }, /^no message provided/],
      ['send', { recipient: 'b' }, /^no message provided/],
      ['send', { recipient: 'b', message: 5 }, /^no message provided/],
      ['send', { recipient: 'b', message: null }, /^no message provided/],
      ['send', { recipient: 'nobody', message: 'hi' }, /^recipient not found/],
      ['send', { recipient: 'ignored', message: 'hi' }, /^recipient not found/],
      ['send', { recipient: '', message: 'hi' }, /^recipient not found/],
      ['send', { recipient: 'B', message: 'hi' }, /^recipient not found/],
      ['send', { recipient: '../b', message: 'hi' }, /^recipient not found/],
      ['send', { message: 'hi' }, /^recipient not found/],
      ['send', { recipient: ['b'], message: 'hi' }, /^recipient not found/],
      ['send', { recipient: 'a', message: 'hi' }, /^cannot send message to self/],
      ['status', { status: 'busy' }, /^Invalid status: busy\. Valid: ready, work, offline/],
      ['status', { status: 'Ready' }, /^Invalid status: Ready\. Valid: ready, work, offline/],
      ['status', { status: ' ready' }, /^Invalid status: {2}ready\. Valid: ready, work, offline/],
      ['status', { status: '' }, /^Invalid status: \. Valid: ready, work, offline/],
      ['status', { status: 7 }, /^Invalid status: 7\. Valid: ready, work, offline/],
      ['status', {}, /^Invalid status: .*\. Valid: ready, work, offline/],
      ['send', { recipient: 'b', message: 'hi', urgent: true }, /^unknown argument: urgent/],
      ['receive', { count: 2 }, /^unknown argument: count/],
      ['list-recipients', { all: true }, /^unknown argument: all/],
      ['status', { status: 'ready', note: 'x' }, /^unknown argument: note/],
      ['send', { recipient: 'b', message: 'a\0b' }, /^message must not contain NUL/],
      ['send', { recipient: 'b\0', message: 'hi' }, /^recipient must not contain NUL/],
      ['status', { status: 'ready\0' }, /^status must not contain NUL/],
    ]
    for (const [name, args, words] of refused) {
      const result = await client.callTool({ name, arguments: args })
      expect(result, `${name} ${JSON.stringify(args)}`).toMatchObject(failure(words))
      expect(result.structuredContent, name).toBeUndefined()
    }
    const b = await connect(era, { env: as('b') })
    expect(await b.callTool({ name: 'receive' })).toMatchObject(
      success({ status: 'No unread messages' }),
    )
  })

  it('may send 65,536 bytes of UTF-8 and not one more', async () => {
    const { as } = await openOffice('b')
    const a = await connect(era, { env: as('a') })
    const b = await connect(era, { env: as('b') })
    const largest = ['x'.repeat(65_536), `${'€'.repeat(21_845)}x`, '🐦'.repeat(16_384)]
    for (const message of largest) {
      expect(Buffer.byteLength(message)).toBe(65_536)
      const send = (text: string) =>
        a.callTool({ name: 'send', arguments: { recipient: 'b', message: text } })
      expect(await send(message)).toMatchObject({ structuredContent: { message_id: messageId } })
      expect(await send(`${message}x`)).toMatchObject(
        failure(/^message exceeds maximum size of 64KB/),
      )
      const { structuredContent } = await b.callTool({ name: 'receive' })
      expect(z.object({ message: z.string() }).parse(structuredContent).message).toBe(message)
      expect(await b.callTool({ name: 'receive' })).toMatchObject(
        success({ status: 'No unread messages' }),
      )
    }
  })
})

it('gives a client that leaves the era open the modern one', async () => {
  const { as } = await openOffice()
  const client = await connect('auto', { env: as('a') })
  expect(client.getNegotiatedProtocolVersion()).toBe(revisions.modern)
  expect((await client.listTools()).tools).toHaveLength(4)
})

describe.each(eras)('the wire, %s era', (era) => {
  it('lists the tools without $schema', async () => {
    const { as } = await openOffice()
    const client = await LineClient.open({ era, env: as('a') })
    const { result } = await client.request('tools/list')
    expect(JSON.stringify(result)).not.toContain('$schema')
    expect(result?.tools).toEqual(snapshots())
  })

  it('answers an unknown tool and an unknown method with their JSON-RPC codes', async () => {
    const { as } = await openOffice()
    const client = await LineClient.open({ era, env: as('a') })
    const { error } = await client.call('sned')
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('sned') })
    expect((await client.call('constructor')).error?.code).toBe(-32602)
    expect((await client.request('tools/cull')).error?.code).toBe(-32601)
    expect((await client.request('tools/call', { name: 5 })).error?.code).toBe(-32602)
    expect((await client.call('receive')).result).toMatchObject({
      structuredContent: { status: 'No unread messages' },
    })
  })

  it('answers malformed JSON with -32700 and goes on', async () => {
    const { as } = await openOffice()
    const client = await LineClient.open({ era, env: as('a') })
    for (const line of ['nonsense', '{"jsonrpc":"2.0",', '{"a":1}}', "{'a':1}"]) {
      client.write(line)
      expect((await client.request('tools/list')).result).toBeDefined()
    }
    expect(client.answersTo(null).map(({ error }) => error?.code)).toEqual(Array(4).fill(-32700))
  })

  it('answers JSON that is no request with -32600 and goes on', async () => {
    const { as } = await openOffice()
    const client = await LineClient.open({ era, env: as('a') })
    for (const line of ['[]', '42', '{}', `[${client.line(1, 'tools/list')}]`]) {
      client.write(line)
      expect((await client.request('tools/list')).result).toBeDefined()
    }
    expect(client.answersTo(null).map(({ error }) => error?.code)).toEqual(Array(4).fill(-32600))
    expect(client.answersTo(1)).toEqual([])
  })

  it('answers everything it has read when its input ends, then exits 0', async () => {
    const { as } = await openOffice('b')
    const client = new LineClient({ era, env: as('a') })
    const ids = Array.from({ length: 50 }, (_, index) => index)
    const params = { name: 'send', arguments: { recipient: 'b', message: 'hi' } }
    client.write(...ids.map((id) => client.line(id, 'tools/call', params)))
    expect(await client.finish()).toMatchObject({ exitCode: 0, stderr: '' })
    for (const id of ids) {
      expect(client.answersTo(id)).toMatchObject([{ result: { structuredContent: {} } }])
    }
    expect(client.faults).toEqual([])
  })

  it('answers a last line that lacks its newline', async () => {
    const { as } = await openOffice()
    const client = new LineClient({ era, env: as('a') })
    client.child.stdin.write(client.line('last', 'tools/list'))
    expect(await client.finish()).toMatchObject({ exitCode: 0 })
    expect(client.answersTo('last')).toMatchObject([{ result: { tools: {} } }])
  })

  it('delivers messages that were sent in a row in that order', async () => {
    const { as } = await openOffice('b')
    const client = await LineClient.open({ era, env: as('a') })
    const messages = Array.from({ length: 40 }, (_, index) => `message ${index}`)
    await Promise.all(messages.map((message) => client.call('send', { recipient: 'b', message })))
    const reader = await LineClient.open({ era, env: as('b') })
    const received = await Promise.all(messages.map(() => reader.call('receive')))
    expect(received).toMatchObject(
      messages.map((message) => ({ result: { structuredContent: { from: 'a', message } } })),
    )
  })
})
