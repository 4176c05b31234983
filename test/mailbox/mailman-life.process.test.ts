/** The mailman as a process: one a post office, started, stopped, killed, in the background. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { getReady, nudge, nudged, nudgesIn, startMailman } from '../support/mailbox/mailman.ts'
import { openSession, type Session, sendOk } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'

describeWith('tmux', 'the mailman as a process', () => {
  const pidFile = (session: Session) => join(session.repository, '.agentmail/mailman.pid')

  it('runs once: a second one exits with 2 and the process id of the first', async () => {
    const session = openSession(['one'])
    const { pid } = await startMailman(session)
    expect(readFileSync(pidFile(session), 'utf8').trim()).toBe(String(pid))
    for (const args of [['mailman'], ['mailman', '--daemon']]) {
      const second = await session.run(0, args)
      expect(second.exitCode).toBe(2)
      expect(second.stderr).toContain(String(pid))
    }
    expect(readFileSync(pidFile(session), 'utf8').trim()).toBe(String(pid))
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('removes its PID file on %s', async (signal) => {
    const session = openSession(['one'])
    const mailman = await startMailman(session)
    mailman.kill(signal)
    expect(await mailman.ended).toMatchObject({ exitCode: 0 })
    expect(existsSync(pidFile(session))).toBe(false)
  })

  it('goes on when nobody reads what it says', async () => {
    const session = openSession(['one', 'two'])
    const mailman = await startMailman(session)
    await getReady(session, mailman, 1, 'two')
    mailman.stopReading()
    await session.run(0, ['send', 'two', 'hello'])
    await nudged(session, 1)
    await session.run(1, ['receive'])
    mailman.kill('SIGTERM')
    expect(await mailman.exited).toBe(0)
    expect(existsSync(pidFile(session))).toBe(false)
  })

  it('takes over from one that was killed, with a warning', async () => {
    const session = openSession(['one', 'two'])
    const killed = await startMailman(session)
    killed.kill('SIGKILL')
    await killed.ended
    expect(existsSync(pidFile(session))).toBe(true)
    const next = await startMailman(session)
    expect(readFileSync(pidFile(session), 'utf8').trim()).toBe(String(next.pid))
    next.kill('SIGTERM')
    expect((await next.ended).stderr).toContain(`warning: a mailman with PID ${killed.pid}`)
  })

  it('ends what it has begun to tell when it is stopped, so that the next one tells nobody again', async () => {
    const session = openSession(['one', 'two'])
    const mailman = await startMailman(session)
    await getReady(session, mailman, 1, 'two')
    await sendOk(session, 0, 'two', 'hello')
    await eventually('it types', () => session.screen(1).includes(nudge))
    mailman.kill('SIGTERM')
    expect(await mailman.ended).toMatchObject({ exitCode: 0, stderr: '' })
    expect(mailman.stdout()).toContain(' nudged two\n')
    const { stdout } = await session.run(0, ['sent', '--json', '--to', 'two'])
    expect(JSON.parse(stdout)).toMatchObject({ sent: [{ state: 'notified' }] })
    const next = await startMailman(session)
    await getReady(session, next, 1, 'two')
    expect(next.stdout()).not.toMatch(/nudged|has mail/)
    expect(nudgesIn(session, 1)).toBe(1)
  })

  it('ends with 1 and without a PID file when its session is killed', async () => {
    const session = openSession(['one', 'two'])
    session.tmux('new-session', '-d', '-s', 'other', 'cat')
    const mailman = await startMailman(session)
    session.tmux('kill-session', '-t', 'test')
    expect(await mailman.ended).toMatchObject({ exitCode: 1 })
    expect(existsSync(pidFile(session))).toBe(false)
  })

  it('works in the background with --daemon', async () => {
    const session = openSession(['one', 'two'])
    const { stdout, exitCode } = await session.run(0, ['mailman', '--daemon', '--json'])
    expect(exitCode).toBe(0)
    const { pid } = JSON.parse(stdout)
    onTestFinished(() => {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {} // ended below
    })
    expect(readFileSync(pidFile(session), 'utf8').trim()).toBe(String(pid))
    await session.run(1, ['status', 'ready'])
    await session.run(0, ['send', 'two', 'hello'])
    await nudged(session, 1)
    process.kill(pid, 'SIGTERM')
    await eventually('the PID file goes', () => !existsSync(pidFile(session)))
  })
})
