/** The mailman at work in a real tmux session: whom it nudges, and when. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { getReady, nudge, nudged, nudgesIn, startMailman } from '../support/mailbox/mailman.ts'
import { openSession, type Session, sendOk } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'

const recipientsFile = (session: Session) => join(session.repository, '.agentmail/recipients.jsonl')

const rowOf = (session: Session, name: string) =>
  readFileSync(recipientsFile(session), 'utf8')
    .split('\n')
    .find((line) => line.includes(`"name":"${name}"`))

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

describeWith('tmux', 'the mailman', () => {
  it('nudges agents that have said ready, and nobody else', async () => {
    const agents = ['idle', '0', '-l', 'test:one', 'works', 'away', 'registered', 'quiet']
    const names = ['one', ...agents, 'unknown']
    const session = openSession(names)
    await sendOk(session, 0, 'quiet', 'hello')
    const [works, away, registered, quiet, unknown] = [5, 6, 7, 8, 9]
    writeFileSync(join(session.repository, '.agentmailignore'), 'quiet\n')
    const mailman = await startMailman(session)
    const sendAll = (windows: number[]) =>
      Promise.all(windows.map((window) => sendOk(session, 0, names[window] ?? '', 'hello')))
    await Promise.all([
      session.run(registered, ['recipients']),
      session.run(works, ['status', 'work']),
      session.run(away, ['status', 'offline']),
      session.run(quiet, ['status', 'ready']),
      sendAll([works, away, registered, unknown]),
      ...[1, 2, 3, 4].map((window) => getReady(session, mailman, window, names[window] ?? '')),
    ])
    expect(rowOf(session, 'registered')).not.toContain('status')
    await sendAll([1, 2, 3, 4])
    for (const window of [1, 2, 3, 4]) await nudged(session, window)
    await mailman.says(' nudged idle\n')
    const sent = () =>
      session.run(0, ['sent', '--json', '--to', 'idle']).then(({ stdout }) => stdout)
    await eventually('what it was told of is noted', async () =>
      /"state":"notified","state_at":"20/.test(await sent()),
    )
    expect((await session.run(0, ['sent', '--to', 'works'])).stdout).toContain(' queued ')
    for (const window of [0, works, away, registered, quiet, unknown]) {
      expect([window, session.screen(window).trim()]).toEqual([window, ''])
      expect([window, session.hasRung(window)]).toEqual([window, false])
    }
    await session.run(works, ['status', 'ready'])
    await nudged(session, works)
    await eventually('it is noted', () =>
      /"status":"ready","notified":true,.*"notified_at":"20/.test(rowOf(session, 'works') ?? ''),
    )
    await session.run(works, ['status', 'work'])
    expect(rowOf(session, 'works')).toContain('"status":"work","notified":false')
  })

  it('nudges once for what is new, however much it is, and again for what comes later', async () => {
    const session = openSession(['one', 'two', 'three'])
    const seldom = { AGENTMAIL_NUDGE_SECONDS: '3600' }
    const first = await startMailman(session, seldom)
    await getReady(session, first, 1, 'two')
    for (const text of ['a', 'b', 'c']) await sendOk(session, 0, 'two', text)
    await nudged(session, 1)
    await session.run(1, ['status', 'work'])
    await getReady(session, first, 1, 'two')
    await getReady(session, first, 2, 'three')
    await sendOk(session, 0, 'three', 'x')
    await nudged(session, 2)
    expect(nudgesIn(session, 1)).toBe(1)
    await sendOk(session, 0, 'two', 'd')
    first.kill('SIGTERM')
    await first.ended

    // Later mail waits for the interval, also after a restart; then the old ready lets nobody type.
    const patient = await startMailman(session, seldom)
    await getReady(session, patient, 2, 'three')
    patient.kill('SIGTERM')
    expect((await patient.ended).stdout).not.toContain('has mail')
    const quick = await startMailman(session, { AGENTMAIL_NUDGE_SECONDS: '0' })
    await quick.says(' two has mail, told by line and bell: it has not said ready since')
    expect(nudgesIn(session, 1)).toBe(1)
    await sendOk(session, 0, 'three', 'y')
    await quick.says(' three has mail, told by line and bell')
    quick.kill('SIGTERM')
    expect((await quick.ended).stdout.match(/two has mail/g)).toHaveLength(1)
  })

  it('types again for later mail when the agent has said ready again', async () => {
    const session = openSession(['one', 'two'])
    const mailman = await startMailman(session, { AGENTMAIL_NUDGE_SECONDS: '0' })
    await getReady(session, mailman, 1, 'two')
    await sendOk(session, 0, 'two', 'a')
    await nudged(session, 1)
    await session.run(1, ['status', 'work'])
    await session.run(1, ['receive'])
    await getReady(session, mailman, 1, 'two')
    await sendOk(session, 0, 'two', 'b')
    await eventually('a second nudge', () => nudgesIn(session, 1) === 2)
  })

  it('tells once more by line and bell, typing nothing, when mail has waited for ten minutes', async () => {
    const session = openSession(['one', 'due', 'early', 'told'])
    const notes: [string, object][] = []
    for (const [name, since, at] of [
      ['due', 11, 11],
      ['early', 5, 5],
      ['told', 90, 15],
    ] as const) {
      const id = await sendOk(session, 0, name, 'hello')
      const times = { notified_since: minutesAgo(since), notified_at: minutesAgo(at) }
      notes.push([name, { notified: true, notified_id: id, ...times }])
    }
    const rows = notes.map(([name, note]) => JSON.stringify({ name, status: 'work', ...note }))
    writeFileSync(recipientsFile(session), `${rows.join('\n')}\n`)
    const mailman = await startMailman(session)
    const getsReady = async ([name]: [string, object], index: number) => {
      await session.run(index + 1, ['status', 'work']) // what the file knows of being told stays
      await getReady(session, mailman, index + 1, name)
    }
    await Promise.all(notes.map(getsReady))
    await mailman.says(' due has mail, told by line and bell: it was told of this mail before')
    expect(session.hasRung(1)).toBe(true)
    expect(session.screen(1).trim()).toBe('')
    expect(mailman.stdout()).not.toMatch(/(early|told) has mail|nudged/)
    const row = JSON.parse(rowOf(session, 'due') ?? '')
    expect(Date.parse(row.notified_at) - Date.parse(row.notified_since)).toBeGreaterThan(660_000)
  })

  it('types into the pane that said ready, not into the one beside it', async () => {
    const session = openSession(['one', 'two'])
    session.tmux('split-window', '-t', session.pane(1), 'cat')
    const mailman = await startMailman(session)
    await getReady(session, mailman, 1, 'two')
    await sendOk(session, 0, 'two', 'hello')
    await nudged(session, 1)
  })

  it('types nothing where it cannot know the pane: ready was said elsewhere, and the window has two', async () => {
    const session = openSession(['one', 'two', 'three'])
    session.tmux('split-window', '-t', session.pane(1), 'cat')
    const mailman = await startMailman(session)
    const outside = { env: { TMUX: '', TMUX_PANE: '', AGENTMAIL_AGENT: 'two' } }
    await session.run(1, ['status', 'ready'], outside)
    await sendOk(session, 0, 'two', 'hello')
    await mailman.says(' two has mail, told by line and bell: its pane is not known')
    await session.run(2, ['status', 'ready'], { env: { ...outside.env, AGENTMAIL_AGENT: 'three' } })
    await mailman.says(' three is ready\n')
    await sendOk(session, 0, 'three', 'hello')
    await nudged(session, 2)
    expect(session.tmux('list-panes', '-s', '-F', '#{window_name}')).toContain('two\ntwo\n')
    expect(session.screen(1)).not.toContain(nudge)
  })

  it('never types with AGENTMAIL_NUDGE=line, does nothing with off, and knows no other word', async () => {
    const session = openSession(['one', 'two'])
    const line = await startMailman(session, { AGENTMAIL_NUDGE: 'line' })
    await getReady(session, line, 1, 'two')
    await sendOk(session, 0, 'two', 'hello')
    await line.says(' two has mail, told by line and bell: AGENTMAIL_NUDGE is line')
    expect(session.screen(1).trim()).toBe('')
    line.kill('SIGTERM')
    await line.ended
    const off = await startMailman(session, {
      AGENTMAIL_NUDGE: 'off',
      AGENTMAIL_NUDGE_SECONDS: '0',
    })
    await sendOk(session, 0, 'two', 'more')
    await getReady(session, off, 1, 'two')
    expect(off.stdout()).not.toContain('has mail')
    for (const args of [['mailman'], ['mailman', '--daemon']]) {
      const wrong = await session.run(0, args, { env: { AGENTMAIL_NUDGE: 'shout' } })
      expect(wrong).toMatchObject({ stdout: '', exitCode: 2 })
      expect(wrong.stderr).toContain('AGENTMAIL_NUDGE must be one of keys, line, off, not "shout"')
    }
  })
})
