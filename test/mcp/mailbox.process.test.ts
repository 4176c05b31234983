/** `agentmail mcp` as its clients meet it: the tools in both protocol eras, their errors, the life of the server. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { agentmail, type Env, ended, start } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { openSession, type Session } from '../support/mailbox/tmux.ts'
import { LineClient } from '../support/mcp/line-client.ts'
import { connect } from '../support/mcp/mcp-client.ts'
import { type Era, eras, revisions } from '../support/mcp/protocol.ts'
import { describeWith } from '../support/parts.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

interface Office {
  /** What stands beside the post office lies here. */
  folder: string
  dir: string
  as(name: string): Env
}

/** A post office at which these agents are known. */
async function openOffice(...names: string[]): Promise<Office> {
  const folder = temporaryFolder()
  const dir = join(folder, '.agentmail')
  const as = (name: string) => ({ AGENTMAIL_AGENT: name, AGENTMAIL_DIR: dir })
  for (const name of names) await agentmail(['status', 'ready'], { env: as(name) })
  return { folder, dir, as }
}

function snapshots(): unknown[] {
  const folder = join(import.meta.dirname, '../tool-snapshots/mailbox')
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
}

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)

/** Success: the structured content, and one text item that holds the same JSON. */
const success = (structured: object) => ({
  structuredContent: structured,
  content: [{ type: 'text', text: JSON.stringify(structured) }],
})

const failure = (words: RegExp) => ({
  isError: true,
  content: [{ type: 'text', text: expect.stringMatching(words) }],
})

const sentSchema = z.object({ message_id: z.string() })
const messageId = expect.stringMatching(/^[0-9A-Za-z]{8}$/)

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
        inputSchema: { type: 'object', additionalProperties: false },
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

describe('the life of the server', () => {
  it('exits 0 at once when there is nothing to read', async () => {
    const { as } = await openOffice()
    expect(await agentmail(['mcp'], { env: as('a') })).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: '',
    })
  })

  it('says that it needs tmux or a name, and exits 2', async () => {
    const ran = await agentmail(['mcp'], { cwd: temporaryFolder() })
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^error: agentmail must run inside a tmux session\n/)
    expect(ran.stderr).toContain('AGENTMAIL_AGENT')
  })

  it('says that it is not in a git repository, and exits 1', async () => {
    const child = start(['mcp'], { cwd: temporaryFolder(), env: { AGENTMAIL_AGENT: 'a' } })
    const ran = await ended(child)
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^error: not in a git repository\n/)
  })

  it('says so too when its input ends before it has looked', async () => {
    const env = { AGENTMAIL_AGENT: 'a' }
    const ran = await agentmail(['mcp'], { cwd: temporaryFolder(), env })
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^error: not in a git repository\n/)
  })

  it('refuses an unknown toolset by name', async () => {
    const { as } = await openOffice()
    const ran = await agentmail(['mcp', 'constructor'], { env: as('a') })
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^error: unknown toolset: constructor\n/)
  })

  it('keeps stdout for MCP when it has something to report', async () => {
    const { as, dir } = await openOffice('b')
    const client = await LineClient.open({ env: as('a') })
    await client.call('send', { recipient: 'b', message: 'before' })
    const reader = await LineClient.open({ env: as('b') })
    appendFileSync(join(dir, 'mailboxes/b.jsonl'), 'torn\n')
    await client.call('send', { recipient: 'b', message: 'after' })
    const received = [await reader.call('receive'), await reader.call('receive')]
    expect(received).toMatchObject(
      ['before', 'after'].map((message) => ({ result: { structuredContent: { message } } })),
    )
    reader.write('nonsense', '{"jsonrpc":"2.0","id":99,"result":{}}')
    const { exitCode, stderr } = await reader.finish()
    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/passed over a line/)
    for (const line of stderr.trimEnd().split('\n')) expect(line).toMatch(/^agentmail: \S/)
    expect(reader.faults).toEqual([])
  })

  it('answers on when nobody reads its log', async () => {
    const { as, dir } = await openOffice('b')
    const reader = await LineClient.open({ env: as('b') })
    writeFileSync(join(dir, 'mailboxes/b.jsonl'), '{"torn\n')
    reader.child.stderr.destroy()
    for (const _ of [1, 2, 3]) {
      appendFileSync(join(dir, 'mailboxes/b.jsonl'), '{"torn\n')
      expect(await reader.call('receive')).toHaveProperty('result.structuredContent.status')
    }
  })

  it('ends when nobody is left to read its answers', async () => {
    const { as } = await openOffice()
    const client = await LineClient.open({ env: as('a') })
    client.child.stdout.destroy()
    client.write(client.line('unheard', 'tools/list'), client.line('too', 'tools/list'))
    expect(await client.ended).toMatchObject({ exitCode: 1, signal: null })
  })
})

describeWith('tmux', 'in tmux', () => {
  const open = (session: Session, window: number, era: Era = 'legacy') =>
    LineClient.open({ era, env: session.env(window), cwd: session.repository })

  it('is the same post office by MCP and by CLI', async () => {
    const session = openSession(['one', 'two'])
    const client = await open(session, 0)
    const text = 'line one\nline two'
    const sent = await client.call('send', { recipient: 'two', message: text })
    const { message_id: id } = sentSchema.parse(sent.result?.structuredContent)
    expect(await session.run(1, ['receive'])).toMatchObject({
      stdout: `From: one\nID: ${id}\n\n${text}\n`,
      exitCode: 0,
    })

    const { stdout } = await session.run(1, ['send', 'one', 'back to you'])
    const [, sentId] = /^Message #(\w{8}) sent\n$/.exec(stdout) ?? []
    expect((await client.call('receive')).result).toMatchObject(
      success({ from: 'two', id: sentId, message: 'back to you' }),
    )
  })

  it('lists the recipients in window order, and marks its own window', async () => {
    const session = openSession(['zeta', 'mid dle', 'alpha', 'hidden'])
    writeFileSync(join(session.repository, '.agentmailignore'), 'hidden\n')
    const recipients = [
      { name: 'zeta', is_current: false },
      { name: 'mid dle', is_current: true },
      { name: 'alpha', is_current: false },
    ]
    const client = await open(session, 1)
    expect((await client.call('list-recipients')).result).toMatchObject(success({ recipients }))
    const hidden = await open(session, 3)
    const seen = await hidden.call('list-recipients')
    expect(seen.result).toMatchObject({
      structuredContent: {
        recipients: [
          ...recipients.map(({ name }) => ({ name, is_current: false })),
          { name: 'hidden', is_current: true },
        ],
      },
    })
  })

  it('works under the new name after its window is renamed', async () => {
    const session = openSession(['old', 'other'])
    const client = await open(session, 0)
    await client.call('status', { status: 'ready' })
    session.tmux('rename-window', '-t', session.pane(0), 'new')
    await session.run(1, ['send', 'new', 'found you'])
    expect((await client.call('receive')).result).toMatchObject({
      structuredContent: { from: 'other', message: 'found you' },
    })
    await client.call('send', { recipient: 'other', message: 'hi' })
    expect((await session.run(1, ['receive'])).stdout).toMatch(/^From: new\n/)
    expect((await client.call('send', { recipient: 'old', message: 'hi' })).result).toMatchObject(
      failure(/^recipient not found/),
    )
  })

  const losses: [name: string, lose: (session: Session) => void][] = [
    ['its tmux server is ended', (session) => session.tmux('kill-server')],
    ['its only session is ended', (session) => session.tmux('kill-session', '-t', 'test')],
    [
      'its session is ended and another stays',
      (session) => {
        session.tmux('new-session', '-d', '-s', 'other', 'cat')
        session.tmux('kill-session', '-t', 'test')
      },
    ],
    [
      'its tmux server is killed',
      (session) => process.kill(Number(session.env(0).TMUX?.split(',')[1]), 'SIGKILL'),
    ],
  ]
  it.each(losses)('logs a line and exits 1 without a call when %s', async (_, lose) => {
    const session = openSession(['one', 'two'])
    const client = await open(session, 0)
    await client.call('list-recipients')
    lose(session)
    const lost = Date.now()
    const { exitCode, stderr } = await client.ended
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^agentmail: .*tmux is gone.*\n$/)
    // A second is promised; the rest is for busy machines.
    expect(Date.now() - lost).toBeLessThan(20_000)
    expect(client.faults).toEqual([])
  })

  it('exits 1 at the latest at the next call when its pane is gone', async () => {
    const session = openSession(['one', 'two'])
    session.tmux('new-session', '-d', '-s', 'other', 'cat')
    const client = await open(session, 0)
    await client.call('list-recipients')
    session.tmux('kill-pane', '-t', session.pane(0))
    client.write(client.line('after', 'tools/call', { name: 'list-recipients' }))
    const { exitCode, stderr } = await client.ended
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/tmux is gone/)
    for (const { result } of client.answersTo('after')) {
      expect(result).toMatchObject(failure(/^agentmail must run inside a tmux session/))
    }
    expect(client.faults).toEqual([])
  })

  it('stays when another window of its session is closed', async () => {
    const session = openSession(['one', 'two'])
    const client = await open(session, 0)
    await client.call('list-recipients')
    session.tmux('kill-window', '-t', session.pane(1))
    await eventually('the window leaves the list', async () => {
      const { result } = await client.call('list-recipients')
      return !JSON.stringify(result).includes('two')
    })
    expect(await client.finish()).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it.each(eras)('answers everything it has read when its input ends (%s era)', async (era) => {
    const session = openSession(['one', 'two'])
    const client = new LineClient({ era, env: session.env(0), cwd: session.repository })
    const ids = Array.from({ length: 20 }, (_, index) => index)
    const params = { name: 'list-recipients' }
    client.write(...ids.map((id) => client.line(id, 'tools/call', params)))
    expect(await client.finish()).toMatchObject({ exitCode: 0, stderr: '' })
    for (const id of ids) expect(client.answersTo(id)).toMatchObject([{ result: {} }])
  })

  it('exits 0 when its input ends although a subscription is open', async () => {
    const session = openSession(['one', 'two'])
    const client = await open(session, 0, 'modern')
    client.write(client.line('open', 'subscriptions/listen', { notifications: {} }))
    await eventually('the subscription is acknowledged', () => client.notifications.length === 1)
    const timeout = new Promise((resolve) => setTimeout(resolve, 20_000, 'still running'))
    expect(await Promise.race([client.finish(), timeout])).toMatchObject({ exitCode: 0 })
  })
})
