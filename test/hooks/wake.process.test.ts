/** An idle session of Claude Code is woken by what waits in its background: once for what is new, and only while it is idle. */
import { renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { attended, openWindow, type Waiter } from '../support/sessions/client-window.ts'

const isOver = async ({ ended }: Waiter, ms = 1500) =>
  (await Promise.race([ended.then(() => true), pause(ms)])) === true

const woken = {
  exitCode: 2,
  stdout: '',
  stderr: expect.stringMatching(/^AgentMail: mail waits for you, from "bob"\. .*unread: true.*\n$/),
}

describe.each(['on the database', 'through a server'])('a session that is idle, %s', (way) => {
  async function open() {
    const window = openWindow()
    if (way === 'through a server') await window.serve()
    await window.tell('SessionStart')
    return window
  }

  it('is woken by mail, which the next hook hands over', async () => {
    const window = await open()
    const waiter = window.wait()
    await window.isWaitedFor()
    expect(await isOver(waiter)).toBe(false)
    expect((await window.as('bob', 'send', 'ann', 'the build is red')).exitCode).toBe(0)
    expect(await waiter.ended).toMatchObject(woken)
    expect((await waiter.ended).stderr).not.toContain('red')
    expect((await window.sent('bob'))[0]).toMatchObject({
      state: 'notified',
      notified_by: 'rewake',
    })
    const answer = await window.tell('UserPromptSubmit')
    expect(JSON.stringify(answer)).toContain('the build is red')
    expect((await window.sent('bob'))[0]).toMatchObject({ state: 'read', notified_by: 'rewake' })
  })

  it('is woken by a message to its name', async () => {
    const window = await open()
    const waiter = window.wait()
    await window.isWaitedFor()
    const posted = await window.as('bob', 'post', '--channel', '@ann', 'red', 'the build is red')
    expect([posted.stderr, posted.exitCode]).toEqual(['', 0])
    expect(await waiter.ended).toMatchObject(woken)
    expect((await window.sent('bob'))[0]).toMatchObject({
      state: 'notified',
      notified_by: 'rewake',
    })
  })

  it('is not woken again for the same', async () => {
    const window = await open()
    await window.as('bob', 'send', 'ann', 'hello')
    expect(await window.wait().ended).toMatchObject(woken)
    const again = window.wait('Stop')
    await window.isWaitedFor()
    expect(await isOver(again)).toBe(false)
    await window.as('bob', 'send', 'ann', 'more')
    expect(await again.ended).toMatchObject(woken)
  })

  it('is not woken while it works or a person is asked, and then at once', async () => {
    const window = await open()
    for (const [event, more] of [
      ['UserPromptSubmit', {}],
      ['Notification', { notification_type: 'permission_prompt' }],
    ] as const) {
      await window.tell(event, more)
      const waiter = window.wait()
      await window.isWaitedFor()
      await window.as('bob', 'send', 'ann', event)
      expect([event, await isOver(waiter, 2500)]).toEqual([event, false])
      await window.tell('Stop', { stop_hook_active: true }) // at which nothing is handed over
      expect([event, await waiter.ended]).toMatchObject([event, woken])
    }
  })

  it('has one that waits', async () => {
    const window = await open()
    const first = window.wait()
    await window.isWaitedFor()
    const others = [window.wait('Stop'), window.wait('Stop')]
    for (const { ended } of others) {
      expect(await ended).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
    }
    await window.as('bob', 'send', 'ann', 'hello')
    expect(await first.ended).toMatchObject(woken)
  })

  it('is left when it ends', async () => {
    const window = await open()
    const waiter = window.wait()
    await window.isWaitedFor()
    await window.tell('SessionEnd')
    expect(await waiter.ended).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
    expect(window.wakers()).toEqual([])
  })
})

describe('what waits for a session', () => {
  it('goes on when its server is killed, and when one comes', async () => {
    const window = openWindow()
    const server = await window.serve()
    await window.tell('SessionStart')
    const first = window.wait()
    await window.isWaitedFor()
    await pause(1000)
    server.child.kill('SIGKILL')
    await server.ended
    await window.as('bob', 'post', '--channel', '@ann', 'one', 'one')
    expect(await first.ended).toMatchObject(woken)
    await window.tell('UserPromptSubmit')
    await window.tell('Stop')
    const second = window.wait('Stop')
    await window.isWaitedFor()
    await window.serve()
    await window.as('bob', 'post', '--channel', '@ann', 'two', 'two')
    expect(await second.ended).toMatchObject(woken)
  })

  it('ends with the client, on a signal, and with its database', async () => {
    const window = openWindow()
    await window.tell('SessionStart')
    const client = openWindow().wait('x', { CLAUDE_CODE_SESSION_ATTENDED: '0' }) // a process that has ended
    await client.ended
    const orphan = window.wait('Stop', { CLAUDE_PID: String(client.child.pid) })
    expect(await orphan.ended).toMatchObject({ exitCode: 0, stderr: '' })
    const told = window.wait('Stop')
    await window.isWaitedFor()
    told.child.kill('SIGTERM')
    expect(await told.ended).toMatchObject({ exitCode: 0, stderr: '' })
    const lost = window.wait('Stop')
    await window.isWaitedFor()
    for (const end of ['', '-wal', '-shm'])
      rmSync(`${window.env.AGENTMAIL_DB}${end}`, { force: true })
    expect(await lost.ended).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it('finds the post office that is made after the session is known', async () => {
    const window = openWindow()
    await window.tell('SessionStart')
    const [office, hidden] = [join(window.folder, '.agentmail'), join(window.folder, 'hidden')]
    renameSync(office, hidden)
    const waiter = window.wait()
    await window.isWaitedFor()
    renameSync(hidden, office)
    await window.as('bob', 'send', 'ann', 'hello')
    expect(await waiter.ended).toMatchObject(woken)
  })

  it('returns at once where the client would wait for it', async () => {
    const window = openWindow()
    await window.tell('SessionStart')
    await window.as('bob', 'send', 'ann', 'hello')
    for (const env of [
      { CLAUDE_CODE_SESSION_ATTENDED: undefined },
      { CLAUDE_CODE_SESSION_ATTENDED: '0' },
      { ...attended, COPILOT_CLI: '1' },
    ]) {
      const { ended } = window.wait('SessionStart', env)
      expect(await ended).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
    }
    expect((await window.sent('bob'))[0]).toMatchObject({ state: 'queued' })
    expect(await window.wait().ended).toMatchObject(woken)
  })

  it('follows the name that the session is given', async () => {
    const window = openWindow()
    const server = await window.serve()
    await window.tell('SessionStart')
    const waiter = window.wait()
    await window.isWaitedFor()
    const agent_id = await server.register('anna', 'coder', basename(window.folder))
    await window.tell('PostToolUse', {
      tool_name: 'mcp__agentmail__register',
      tool_input: { name: 'anna', role: 'coder' },
      tool_response: JSON.stringify({ agent_id }),
    })
    await window.tell('Stop')
    await window.as('bob', 'post', '--channel', '@anna', 'hello', 'hello')
    expect(await waiter.ended).toMatchObject(woken)
  })
})

describe('what waits for a session whose hooks ask the server', () => {
  async function openServed(client = 'claude') {
    const window = openWindow({ AGENTMAIL_PORT: '0', AGENTMAIL_AGENT: undefined }, { client })
    const servers = async () => {
      const { stdout } = await window.as('human', 'ps', '--json')
      const { server, other_servers } = JSON.parse(stdout)
      return [server, ...other_servers].flatMap((one) => (one?.state === 'ok' ? [one.pid] : []))
    }
    onTestFinished(async () => void (await window.as('human', 'down')))
    return { window, servers }
  }
  const up = ['--up']

  it('starts it with the session, and again when it was killed, not when it was stopped', async () => {
    const { window, servers } = await openServed()
    await window.tell('SessionStart')
    window.wait('SessionStart', {}, up)
    await eventually('it serves', async () => (await servers()).length === 1)
    const [pid] = await servers()
    process.kill(pid, 'SIGKILL')
    await eventually('another serves', async () => {
      const [next] = await servers()
      return next !== undefined && next !== pid
    })
    expect((await window.as('human', 'down')).stdout).toContain('Stopped the server')
    const later = window.wait('Stop', { CLAUDE_CODE_SESSION_ATTENDED: '0' }, up)
    expect(await later.ended).toMatchObject({ exitCode: 0 })
    await pause(1500)
    expect(await servers()).toEqual([])
  })

  it.each([
    ['claude', '0'],
    ['qwen', '1'], // in a session of Claude Code
  ])('starts it also where nobody can be woken, and returns (%s)', async (client, isAttended) => {
    const { window, servers } = await openServed(client)
    await window.tell('SessionStart')
    const waiter = window.wait('SessionStart', { CLAUDE_CODE_SESSION_ATTENDED: isAttended }, up)
    expect(await waiter.ended).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
    await eventually('it serves', async () => (await servers()).length === 1)
  })
})
