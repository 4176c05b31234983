/** agentmail agents: one table of everybody; and what is told of a window and an agent elsewhere that have one name. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { agentmail, type Env } from '../support/agentmail.ts'
import {
  openAgent,
  openPlace,
  openStdio,
  structured,
  ways,
} from '../support/coordination/coordination.ts'
import { openSession, type Session } from '../support/mailbox/tmux.ts'
import { LineClient } from '../support/mcp/line-client.ts'
import { describeWith } from '../support/parts.ts'
import { callTool, TestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const time = z.string().regex(/Z$/)
const agentsSchema = z.strictObject({
  agents: z.array(
    z.strictObject({
      agent_id: z.string().nullable(),
      name: z.string(),
      role: z.string().nullable(),
      registered_at: time.nullable(),
      last_seen: time.nullable(),
      claims: z.number(),
      where: z.string(),
      state: z.enum(['ready', 'work', 'offline', 'silent']).nullable(),
      unread: z.number(),
      last_heard: time.nullable(),
    }),
  ),
})

const listed = (stdout: string) => agentsSchema.parse(JSON.parse(stdout)).agents

/** Windows in a repository, with a database of their own. */
function openHome(names: string[]) {
  const session = openSession(names)
  const data = temporaryFolder()
  const env: Env = { XDG_DATA_HOME: data }
  const database = join(data, 'agentmail/agentmail.db')
  const place = { repository: session.repository, env }
  const run = (window: number, ...args: string[]) => session.run(window, args, { env })
  const serve = () => {
    mkdirSync(join(data, 'agentmail'), { recursive: true })
    return TestServer.start({ db: database, cwd: session.repository, env })
  }
  const rows = async (window: number) =>
    listed((await run(window, 'agents', '--json')).stdout).map(
      ({ name, where, unread, agent_id }) =>
        `${name} | ${where} | ${unread} | ${agent_id === null ? 'mailbox' : 'registered'}`,
    )
  return { session, env, place, database, run, serve, rows }
}

const warned =
  /^warning: the message went to the mailbox alone: a registered agent is called "two" too, and reads the channel @two\n$/

async function namesakesFound(session: Session, env: Env): Promise<string[]> {
  const { stdout } = await session.run(0, ['doctor', '--json'], { env })
  return JSON.parse(stdout).findings.map(({ subject }: { subject: string }) => subject)
}

describeWith('tmux', 'a window and a registered agent of one name', () => {
  it('are two where the agent came by HTTP: send, its tool and doctor tell', async () => {
    const { session, env, place, serve, run, rows } = openHome(['one', 'two'])
    const server = await serve()
    expect((await run(0, 'send', 'two', 'nobody else')).stderr).toBe('')
    await callTool(server.url, 'register', { name: 'two', role: 'coder' })
    const sent = await run(0, 'send', 'two', 'hello')
    expect(sent).toMatchObject({
      stdout: expect.stringMatching(/^Message #\w{8} sent\n$/),
      exitCode: 0,
    })
    expect(sent.stderr).toMatch(warned)
    const tool = await LineClient.open({
      cwd: place.repository,
      env: { ...env, ...session.env(0) },
    })
    expect(structured(await tool.call('send', { recipient: 'two', message: 'hello' }))).toEqual({
      message_id: expect.any(String),
      warning: expect.stringContaining('reads the channel @two'),
    })
    await tool.finish()
    expect(await namesakesFound(session, env)).toEqual(['agent two'])
    await run(0, 'post', 'A letter', 'text', '--channel', '@two')
    expect(await rows(0)).toEqual([
      'two | registered | 1 | registered',
      `one | tmux ${session.pane(0)} | 0 | mailbox`,
      `two | tmux ${session.pane(1)} | 3 | mailbox`,
    ])
  })

  it.each(ways)('are one where it was registered from that very pane, through %s', async (way) => {
    const { session, env, place, serve, run, rows } = openHome(['one', 'two'])
    if (way === 'a running server') await serve()
    const agent = await openAgent(place, 'two', { env: session.env(1) })
    expect((await run(0, 'send', 'two', 'hello')).stderr).toBe('')
    await run(0, 'post', 'A letter', 'text', '--channel', '@two')
    await run(1, 'status', 'work')
    await agent.call('claim_files', { files: ['a.ts'] })
    const entries = listed((await run(0, 'agents', '--json')).stdout)
    expect(entries).toMatchObject([
      {
        ...{ agent_id: agent.id, name: 'two', role: 'coder', claims: 1, unread: 2 },
        ...{ where: `tmux ${session.pane(1)}`, state: 'work', last_heard: expect.any(String) },
      },
      { agent_id: null, name: 'one', role: null, where: `tmux ${session.pane(0)}` },
    ])
    expect(await namesakesFound(session, env)).toEqual([])
    // Whoever takes over its id by HTTP, or from elsewhere, is not there any more.
    const other = await openStdio(place, { env: session.env(0) })
    await other.call('register', { name: 'two', role: 'coder', agent_id: agent.id })
    expect((await run(0, 'send', 'two', 'hello')).stderr).toMatch(warned)
    expect(await rows(0)).toEqual([
      `two | tmux ${session.pane(0)} | 1 | registered`,
      `one | tmux ${session.pane(0)} | 0 | mailbox`,
      `two | tmux ${session.pane(1)} | 2 | mailbox`,
    ])
  })

  it('are two where a guest of the command line holds files in another pane', async () => {
    const { session, env, run } = openHome(['one', 'two'])
    await run(1, 'claim', 'b.ts')
    expect((await run(0, 'send', 'two', 'hello')).stderr).toBe('')
    await run(1, 'release', 'b.ts')
    await run(0, 'claim', 'a.ts', '--as', 'two')
    expect((await run(0, 'send', 'two', 'hello')).stderr).toMatch(warned)
    expect(await namesakesFound(session, env)).toEqual(['agent two'])
  })

  it('cost no database where there is none', async () => {
    const { run, rows, database, session } = openHome(['one', 'two'])
    expect((await run(0, 'send', 'two', 'hello')).stderr).toBe('')
    await run(0, 'doctor')
    expect(await rows(0)).toEqual([
      `one | tmux ${session.pane(0)} | 0 | mailbox`,
      `two | tmux ${session.pane(1)} | 1 | mailbox`,
    ])
    expect(existsSync(database)).toBe(false)
  })

  it('are not waited for: a server that hangs holds up no message', async () => {
    const { session, env, run, serve } = openHome(['one', 'two'])
    const server = await serve()
    await callTool(server.url, 'register', { name: 'two', role: 'coder' })
    const named = { ...env, AGENTMAIL_SERVER: server.url }
    const sendThere = () => session.run(0, ['send', 'two', 'hello'], { env: named })
    process.kill(server.pid, 'SIGSTOP')
    const besideIt = await run(0, 'send', 'two', 'hello')
    const throughIt = await sendThere()
    process.kill(server.pid, 'SIGCONT')
    // Its database is a file here, which is read past it; one that is named alone can tell.
    const sent = { stdout: expect.stringMatching(/^Message #\w{8} sent\n$/), exitCode: 0 }
    expect(besideIt).toMatchObject({ ...sent, stderr: expect.stringMatching(warned) })
    expect(throughIt).toMatchObject({ ...sent, stderr: '' })
    expect((await sendThere()).stderr).toMatch(warned)
  })
})

describe('everybody', () => {
  it('are told apart outside tmux: who used the mailbox, who only has one, who is registered', async () => {
    const place = await openPlace('the database itself')
    const as = (name: string, ...args: string[]) =>
      place.run(args, { env: { AGENTMAIL_AGENT: name } })
    for (const name of ['ann', 'bob']) await as(name, 'recipients')
    await as('bob', 'status', 'offline')
    await as('ann', 'send', 'bob', 'one')
    const cyd = await openAgent(place, 'cyd', { role: 'reviewer' })
    await openAgent(place, 'ann')
    const { stdout, stderr } = await place.run(['agents'])
    expect(stderr).toBe('')
    expect(
      stdout
        .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>')
        .replaceAll(/ +[\da-f-]{36}$/gm, ' <id>'),
    ).toBe(
      [
        'NAME  ROLE      WHERE         STATE    UNREAD  FILES  LAST HEARD OF        AGENT ID',
        'cyd   reviewer  outside tmux           0       0      <time> <id>',
        'ann   coder     outside tmux           0       0      <time> <id>',
        'bob             outside tmux  offline  1       0      <time>',
        '',
      ].join('\n'),
    )
    const elsewhere = await agentmail(['agents', '--project', place.project, '--json'], {
      cwd: temporaryFolder(),
      env: place.env,
    })
    expect(listed(elsewhere.stdout).map(({ name }) => name)).toEqual(['cyd', 'ann'])
    expect((await as('bob', 'send', 'ann', 'two')).stderr).toBe('')
    await cyd.client.finish()
  })

  it('is nobody outside a repository where there is no database', async () => {
    const env = { XDG_DATA_HOME: temporaryFolder() }
    const ran = await agentmail(['agents'], { cwd: temporaryFolder(), env })
    expect(ran).toMatchObject({ stdout: 'No agents are registered\n', stderr: '', exitCode: 0 })
  })
})
