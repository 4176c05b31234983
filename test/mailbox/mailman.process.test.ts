/** The mailman at work in a real tmux session. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type Env, ended, type Ran, start } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { openSession, type Session } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'

const nudge = 'Check your agentmail'

interface RunningMailman {
  pid: number
  stdout(): string
  ended: Promise<Ran>
  exited: Promise<number | null>
  kill(signal: NodeJS.Signals): void
  stopReading(): void
}

async function startMailman(session: Session, env: Env = {}): Promise<RunningMailman> {
  const child = start(['mailman'], { cwd: session.repository, env: { ...session.env(0), ...env } })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  const end = ended(child)
  await eventually('the mailman says that it started', () => stdout.includes('Mailman started'))
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    ended: end,
    exited: new Promise((resolve) => child.on('exit', resolve)),
    stopReading: () => child.stdout.destroy(),
    kill: (signal) => child.kill(signal),
  }
}

/** How often the nudge was typed and entered: `cat` repeats each line that Enter ends. */
function nudgesIn(session: Session, window: number): number {
  const screen = session.tmux('capture-pane', '-p', '-t', session.pane(window))
  return Math.floor(screen.split('\n').filter((line) => line === nudge).length / 2)
}

const nudged = (session: Session, window: number, times = 1) =>
  eventually(`window ${window} is nudged`, () => nudgesIn(session, window) >= times)

const waitingFor = (mailman: RunningMailman, agent: string) =>
  eventually(`${agent} is waited for`, () =>
    mailman.stdout().includes(`${agent} has mail and cannot`),
  )

describeWith('tmux', 'the mailman', () => {
  it('types the nudge into the window of an agent with mail, and Enter after it', async () => {
    const session = openSession(['one', 'two', 'three'])
    const mailman = await startMailman(session)
    await session.run(0, ['send', 'two', 'hello'])
    await nudged(session, 1)
    await eventually('the line', () => /\d nudged two\n/.test(mailman.stdout()))
    expect(nudgesIn(session, 2)).toBe(0)
  })

  it('finds mail that came before it started', async () => {
    const session = openSession(['one', 'two'])
    await session.run(0, ['send', 'two', 'hello'])
    await startMailman(session)
    await nudged(session, 1)
  })

  it('leaves agents in work or offline alone until they are ready', async () => {
    const session = openSession(['one', 'two', 'three', 'four'])
    await session.run(1, ['status', 'work'])
    await session.run(2, ['status', 'offline'])
    await startMailman(session)
    for (const name of ['two', 'three', 'four']) await session.run(0, ['send', name, 'hello'])
    await nudged(session, 3)
    expect([nudgesIn(session, 1), nudgesIn(session, 2)]).toEqual([0, 0])
    await session.run(1, ['status', 'ready'])
    await nudged(session, 1)
    const file = join(session.repository, '.agentmail/recipients.jsonl')
    await eventually('it is noted', () =>
      /"name":"two","status":"ready","notified":true,.*"notified_at":"20/.test(
        readFileSync(file, 'utf8'),
      ),
    )
  })

  it('nudges once in its interval, however much mail comes, and again after it while mail waits', async () => {
    const session = openSession(['one', 'two', 'three'])
    const patient = await startMailman(session)
    for (const text of ['a', 'b', 'c']) await session.run(0, ['send', 'two', text])
    await nudged(session, 1)
    await session.run(1, ['status', 'work'])
    await session.run(1, ['status', 'ready'])
    await session.run(0, ['send', 'three', 'x'])
    await nudged(session, 2)
    expect(nudgesIn(session, 1)).toBe(1)
    patient.kill('SIGTERM')
    await patient.ended
    await startMailman(session, { AGENTMAIL_NUDGE_SECONDS: '1' })
    await nudged(session, 1, 3)
  })

  it('does not type into copy mode, and keeps nobody else waiting for it', async () => {
    const session = openSession(['one', 'two', 'three'])
    session.tmux('copy-mode', '-t', session.pane(1))
    const mailman = await startMailman(session)
    await session.run(0, ['send', 'two', 'hello'])
    await waitingFor(mailman, 'two')
    await session.run(0, ['send', 'three', 'hello'])
    await nudged(session, 2)
    expect(nudgesIn(session, 1)).toBe(0)
    session.tmux('send-keys', '-t', session.pane(1), '-X', 'cancel')
    await nudged(session, 1)
  })

  it('is not held up by a window whose program has ended', async () => {
    const session = openSession(['one', 'two', 'three'])
    session.tmux('set-option', '-g', 'remain-on-exit', 'on')
    session.tmux('respawn-pane', '-k', '-t', session.pane(1), 'true')
    const mailman = await startMailman(session)
    await session.run(0, ['send', 'two', 'hello'])
    await waitingFor(mailman, 'two')
    await session.run(0, ['send', 'three', 'hello'])
    await nudged(session, 2)
  })

  it('nudges windows by what they are, not by what their name looks like', async () => {
    const session = openSession(['one', '0', '-l', 'test:one'])
    await startMailman(session)
    for (const name of ['0', '-l', 'test:one']) {
      await session.run(0, ['send', '-r', name, '-m', 'hello'])
    }
    for (const window of [1, 2, 3]) await nudged(session, window)
    expect(nudgesIn(session, 0)).toBe(0)
  })

  it('nudges the pane that the agent works in, not the one beside it', async () => {
    const session = openSession(['one', 'two'])
    await session.run(1, ['status', 'ready'])
    session.tmux('split-window', '-t', session.pane(1), 'cat')
    await startMailman(session)
    await session.run(0, ['send', 'two', 'hello'])
    await nudged(session, 1)
  })

  it('keeps its interval when it is started again, also for agents that never said a word', async () => {
    const session = openSession(['one', 'two', 'three'])
    await session.run(0, ['send', 'two', 'hello'])
    const first = await startMailman(session)
    await nudged(session, 1)
    await eventually('it is noted', () =>
      readFileSync(join(session.repository, '.agentmail/recipients.jsonl'), 'utf8').includes(
        '"two"',
      ),
    )
    first.kill('SIGTERM')
    await first.ended
    await startMailman(session)
    await session.run(0, ['send', 'three', 'hello'])
    await nudged(session, 2)
    expect(nudgesIn(session, 1)).toBe(1)
  })

  it('passes over ignored windows', async () => {
    const session = openSession(['one', 'two', 'three'])
    await session.run(0, ['send', 'two', 'hello'])
    writeFileSync(join(session.repository, '.agentmailignore'), 'two\n')
    await startMailman(session)
    await session.run(0, ['send', 'three', 'hello'])
    await nudged(session, 2)
    expect(nudgesIn(session, 1)).toBe(0)
  })
})

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
    await session.run(0, ['send', 'two', 'hello'])
    await nudged(session, 1)
    process.kill(pid, 'SIGTERM')
    await eventually('the PID file goes', () => !existsSync(pidFile(session)))
  })
})
