/** The life of the mailbox server, by itself and in tmux. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentmail, ended, start } from '../../support/agentmail.ts'
import { eventually } from '../../support/eventually.ts'
import { openSession, type Session } from '../../support/mailbox/tmux.ts'
import { LineClient } from '../../support/mcp/line-client.ts'
import { failure, openOffice, sentSchema, success } from '../../support/mcp/office.ts'
import { type Era, eras } from '../../support/mcp/protocol.ts'
import { describeWith } from '../../support/parts.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

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
