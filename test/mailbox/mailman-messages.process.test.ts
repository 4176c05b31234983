/** The mailman and the messages of coordination: an agent is woken for what is in its channel as for its mail. */
import { existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { openAgent } from '../support/coordination/coordination.ts'
import { eventually } from '../support/eventually.ts'
import {
  getReady,
  nudged,
  nudgesIn,
  type RunningMailman,
  startMailman,
} from '../support/mailbox/mailman.ts'
import { openSession, type Session, sendOk } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'
import { TestServer } from '../support/server/server.ts'

const atOnce = { AGENTMAIL_NUDGE_SECONDS: '0' }
const stateSchema = z.object({ sent: z.array(z.object({ id: z.string(), state: z.string() })) })

const databaseFile = () => join(process.env.XDG_DATA_HOME ?? '', 'agentmail/agentmail.db')

function startServer({ repository }: Session, args: string[] = []): Promise<TestServer> {
  mkdirSync(dirname(databaseFile()), { recursive: true, mode: 0o700 })
  return TestServer.start({ db: databaseFile(), cwd: repository, args })
}

/** An agent of the tools, over HTTP. */
async function writerAt(server: TestServer, session: Session, name = 'writer') {
  const project = basename(session.repository)
  const agent_id = await server.register(name, 'coder', project)
  return async (to: string, subject: string) => {
    const letter = { agent_id, channel: `@${to}`, subject, body: 'text' }
    const { structuredContent } = await server.call('send_message', letter, project)
    expect(structuredContent).toEqual({ message_id: expect.any(Number) })
  }
}

/** What became of what was sent under a name, newest first. */
async function statesOf(session: Session, from: string, to: string): Promise<string[]> {
  const env = { TMUX: '', TMUX_PANE: '', AGENTMAIL_AGENT: from }
  const { stdout } = await session.run(0, ['sent', '--json', '--to', to], { env })
  return stateSchema.parse(JSON.parse(stdout)).sent.map(({ state }) => state)
}

const becomes = (session: Session, to: string, states: string[], from = 'writer') =>
  eventually(`the messages to ${to} are ${states}`, async () => {
    return (await statesOf(session, from, to)).join() === states.join()
  })

async function getReadyAgain(session: Session, mailman: RunningMailman, window: number) {
  await session.run(window, ['status', 'work'])
  await getReady(
    session,
    mailman,
    window,
    session.tmux('display-message', '-p', '-t', session.pane(window), '#W').trim(),
  )
}

const nudgedTimes = (session: Session, window: number, times: number) =>
  eventually(`nudge ${times}`, () => nudgesIn(session, window) === times)

describeWith('tmux', 'the mailman and messages', () => {
  it('nudges for a message as for mail: once, again for a later one, and not who works', async () => {
    const session = openSession(['one', 'two', 'three', 'four'])
    const server = await startServer(session)
    const write = await writerAt(server, session)
    const place = (window: number) => ({
      ...{ repository: session.repository, env: session.env(window) },
    })
    const two = await openAgent(place(1), 'two')
    await openAgent(place(2), 'three')
    const mailman = await startMailman(session, atOnce)
    await session.run(2, ['status', 'work'])
    await getReady(session, mailman, 1, 'two')
    await getReady(session, mailman, 3, 'four')
    await write('three', 'for who works')
    await write('two', 'first')
    await nudged(session, 1)
    await becomes(session, 'two', ['notified'])
    const read = () => two.call('read_messages', { unread: true })
    expect(await read()).toMatchObject({ messages: [{ subject: 'first' }] })
    await becomes(session, 'two', ['read'])

    // What was read is no mail: the next ready is for nothing.
    await getReadyAgain(session, mailman, 1)
    await write('two', 'second')
    await nudgedTimes(session, 1, 2)
    await becomes(session, 'two', ['notified', 'read'])

    // Mail of both kinds, while nobody may be disturbed, is one nudge, and so it is after a restart.
    await session.run(1, ['status', 'work'])
    await write('two', 'third')
    await sendOk(session, 0, 'two', 'a mail')
    await getReady(session, mailman, 1, 'two')
    await nudgedTimes(session, 1, 3)
    await becomes(session, 'two', ['notified', 'notified', 'read'])
    await becomes(session, 'two', ['notified'], 'one')
    mailman.kill('SIGTERM')
    const { stdout, stderr } = await mailman.ended
    expect(stderr).toBe('')
    expect(stdout.match(/ nudged two\n/g)).toHaveLength(3)
    expect(stdout).not.toMatch(/has mail|three|nudged four|warning/)
    expect(await statesOf(session, 'writer', 'three')).toEqual(['queued'])
    const next = await startMailman(session, atOnce)
    await session.run(2, ['status', 'ready'])
    await next.says(' nudged three\n')
    await becomes(session, 'three', ['notified'])
    await getReadyAgain(session, next, 1)
    await read()
    await getReadyAgain(session, next, 1)
    next.kill('SIGTERM')
    expect((await next.ended).stdout).not.toMatch(/nudged two|two has mail/)
  })

  it('finds the messages where a server goes and comes, each once', async () => {
    const session = openSession(['one', 'two'])
    const first = await startServer(session)
    const project = basename(session.repository)
    await first.register('two', 'coder', project)
    const write = await writerAt(first, session)
    const mailman = await startMailman(session, atOnce)
    await getReady(session, mailman, 1, 'two')
    await write('two', 'through the first')
    await nudged(session, 1)
    await becomes(session, 'two', ['notified'])

    // One that does not answer holds up no mail.
    first.child.kill('SIGSTOP')
    await getReadyAgain(session, mailman, 1)
    await session.run(0, ['send', 'two', 'a mail'])
    await nudgedTimes(session, 1, 2)

    first.child.kill('SIGKILL')
    await first.ended
    await getReadyAgain(session, mailman, 1)
    const post = ['post', '--as', 'writer', '--channel', '@two', 'past it', 'text']
    expect(await session.run(0, post)).toMatchObject({ exitCode: 0 })
    await nudgedTimes(session, 1, 3)
    await becomes(session, 'two', ['notified', 'notified'])

    const second = await startServer(session)
    await getReadyAgain(session, mailman, 1)
    const again = await writerAt(second, session, 'other')
    await again('two', 'through the second')
    await nudgedTimes(session, 1, 4)
    mailman.kill('SIGTERM')
    const { stdout, stderr } = await mailman.ended
    expect(stdout.match(/nudged two|has mail|warning/g)).toEqual(Array(4).fill('nudged two'))
    expect(stderr).toBe('')
  })

  it('makes no database, finds one that comes, and knows messages to a name that never registered', async () => {
    const session = openSession(['one', 'two', 'three'])
    const mailman = await startMailman(session, atOnce)
    await getReady(session, mailman, 1, 'two')
    await sendOk(session, 0, 'two', 'hello')
    await nudged(session, 1)
    expect(existsSync(databaseFile())).toBe(false)
    const server = await startServer(session)
    const project = basename(session.repository)
    const agent_id = await server.register('writer', 'coder', project)
    // Before the window has used AgentMail it is nobody: the message waits in the channel alone.
    const letter = { agent_id, channel: '@three', subject: 's', body: 'b' }
    const { structuredContent } = await server.call('send_message', letter, project)
    expect(structuredContent).toMatchObject({ note: expect.stringContaining('nobody called') })
    await getReady(session, mailman, 2, 'three')
    await mailman.says(' nudged three\n')
    await becomes(session, 'three', ['notified'])
  })

  it('goes on with the mailboxes where the database cannot be reached, and says so once', async () => {
    const session = openSession(['one', 'two'])
    const unreachable = { ...atOnce, AGENTMAIL_SERVER: 'http://127.0.0.1:9' }
    const mailman = await startMailman(session, unreachable)
    await getReady(session, mailman, 1, 'two')
    await mailman.says("warning: messages in agents' channels are not looked for at present: ")
    await sendOk(session, 0, 'two', 'hello')
    await nudged(session, 1)
    await getReadyAgain(session, mailman, 1)
    await sendOk(session, 0, 'two', 'more')
    await nudgedTimes(session, 1, 2)
    mailman.kill('SIGTERM')
    const { stdout, stderr } = await mailman.ended
    expect([stdout.match(/warning/g), stderr]).toEqual([['warning'], ''])
  })
})
