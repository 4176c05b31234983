/** Who an agent is in tmux: by AGENTMAIL_AGENT, by the name that its pane was given, or by its window. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { getReady, nudged, startMailman } from '../support/mailbox/mailman.ts'
import { openSession, repository, type Session, sendOk } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const listed = async (session: Session, window: number, options = {}) =>
  (await session.run(window, ['recipients'], options)).stdout.trimEnd().split('\n')

const formatOf = (session: Session, window: number, format: string) =>
  session.tmux('display-message', '-p', '-t', session.pane(window), format).trimEnd()

const alice = { env: { AGENTMAIL_AGENT: 'alice' } }

describeWith('tmux', 'a name that was given', () => {
  it('is that of the pane, of its window too where it is alone, and holds when the window is renamed', async () => {
    const session = openSession(['one', 'two'])
    const before = await session.run(0, ['name', '--json'])
    const pane = session.pane(0)
    expect(JSON.parse(before.stdout)).toEqual({ name: 'one', source: 'window', pane })
    const named = await session.run(0, ['name', 'coder'])
    expect(named).toMatchObject({ stdout: 'coder (given)\n', stderr: '', exitCode: 0 })
    expect(formatOf(session, 0, '#{window_name} #{@agentmail_name}')).toBe('coder coder')
    session.tmux('rename-window', '-t', pane, 'vim')
    expect(await listed(session, 1)).toEqual(['coder', 'two [you]'])
    await sendOk(session, 1, 'coder', 'hello')
    expect((await session.run(1, ['send', 'vim', 'hello'])).stderr).toMatch(/recipient not found/)
    expect((await session.run(0, ['receive'])).stdout).toContain('hello')
    const cleared = await session.run(0, ['name', '--clear'])
    expect(cleared.stdout).toBe('vim (window)\n')
    expect(await listed(session, 1)).toEqual(['vim', 'two [you]'])
    const gone = await session.run(1, ['send', 'coder', 'x'], alice)
    expect(gone.stderr).toMatch(/recipient not found/)
  })

  it('makes two panes of a window two agents, each nudged in its own pane', async () => {
    const session = openSession(['one', 'pair', 'last'])
    const right = session.openBy('split-window', '-t', session.pane(1))
    await session.run(1, ['name', 'left'])
    expect(await listed(session, 0)).toEqual(['one [you]', 'left', 'pair', 'last'])
    await session.run(right, ['name', 'right'])
    expect(formatOf(session, 1, '#{window_name}')).toBe('pair')
    expect(await listed(session, 1)).toEqual(['one', 'left [you]', 'right', 'last'])
    const mailman = await startMailman(session)
    await getReady(session, mailman, 1, 'left')
    await getReady(session, mailman, right, 'right')
    await sendOk(session, 1, 'right', 'from the left')
    await nudged(session, right)
    await sendOk(session, right, 'left', 'from the right')
    await nudged(session, 1)
    expect((await session.run(1, ['receive'])).stdout).toMatch(/^From: right\n/)
    expect((await session.run(right, ['receive'])).stdout).toMatch(/^From: left\n/)
  })

  it('is taken as it is: no text in it means anything to tmux', async () => {
    const session = openSession(['one', 'two'])
    const file = join(session.repository, 'ran')
    for (const name of [
      `#(touch ${file})`,
      'x;',
      '-r',
      '%H#{pane_id}',
      'a  b\t',
      'é 日本',
      'x\\;',
    ]) {
      const options = { env: { LC_ALL: 'C' } }
      const named = await session.run(0, ['name', '--json', '--', name], options)
      expect(JSON.parse(named.stdout)).toMatchObject({ name, source: 'given' })
      const { stdout } = await session.run(1, ['recipients', '--json'], options)
      expect(JSON.parse(stdout).recipients[0]).toEqual({ name, is_current: false })
      await sendOk(session, 1, name, `for ${name}`)
      expect((await session.run(0, ['receive'], options)).stdout).toContain(`for ${name}`)
    }
    expect(existsSync(file)).toBe(false)
  })

  it('is refused in words: when another pane has it, when it can be no name, when AGENTMAIL_AGENT is another', async () => {
    const session = openSession(['one', 'two'])
    await session.run(1, ['name', 'coder'])
    session.tmux('rename-window', '-t', session.pane(1), 'two')
    const elsewhere = session.openBy('new-session', '-s', 'other', '-n', 'far')
    await session.run(elsewhere, ['recipients'])
    await session.run(elsewhere, ['recipients'], alice)
    for (const [name, words, options] of [
      ['coder', /^error: another pane has the name "coder": %\d+, in the window "two"\n/, {}],
      ['far', /^error: another pane has the name "far"/, {}],
      ['alice', /^error: another pane has the name "alice"/, {}],
      [' ', /^error: agent name is empty/, {}],
      ['a\nb', /^error: agent name contains a line break/, {}],
      ['x'.repeat(300), /^error: agent name is too long/, {}],
      ['bob', /^error: AGENTMAIL_AGENT is set, and wins .*"alice"\n/, alice],
    ] as const) {
      const refused = await session.run(0, ['name', name], options)
      expect([name, refused.stdout, refused.exitCode]).toEqual([name, '', 1])
      expect(refused.stderr).toMatch(words)
    }
    expect(formatOf(session, 0, '#{window_name} #{@agentmail_name}')).toBe('one')
    const outside = await agentmail(['name', 'coder'], { cwd: repository() })
    expect(outside).toMatchObject({ stdout: '', exitCode: 2 })
    expect(outside.stderr).toContain('AGENTMAIL_AGENT=<name>')
    const nobody = await agentmail(['name'], { cwd: repository() })
    expect(nobody).toMatchObject({ stdout: '', exitCode: 2 })
    const chosen = await agentmail(['name'], { cwd: repository(), ...alice })
    expect(chosen.stdout).toBe('alice (environment)\n')
  })

  it('can be given outside a repository, and by a name that another repository has elsewhere', async () => {
    const session = openSession(['one'])
    const cwd = temporaryFolder()
    const far = session.openBy('new-session', '-s', 'other', '-n', 'coder', '-c', cwd)
    expect((await session.run(0, ['name', 'coder'])).stdout).toBe('coder (given)\n')
    expect((await session.run(far, ['name', 'writer'], { cwd })).stdout).toBe('writer (given)\n')
    expect(existsSync(join(cwd, '.agentmail'))).toBe(false)
  })
})

describeWith('tmux', 'a name that a pane has no more', () => {
  const outside = (session: Session) => ({
    cwd: session.repository,
    env: { AGENTMAIL_AGENT: 'ci' },
  })
  const seenOutside = async (session: Session) =>
    (await agentmail(['recipients'], outside(session))).stdout.trimEnd().split('\n').sort()

  it('is no address outside tmux, though its mailbox is there, until somebody takes it', async () => {
    const session = openSession(['one', 'two'])
    await session.run(0, ['name', 'coder'])
    await session.run(1, ['recipients'])
    expect(await seenOutside(session)).toEqual(['ci [you]', 'coder', 'two'])
    await sendOk(session, 1, 'coder', 'for whoever is coder')
    await session.run(0, ['name', 'other'])
    expect(await seenOutside(session)).toEqual(['ci [you]', 'other', 'two'])
    const refused = await agentmail(['send', 'coder', 'hello'], outside(session))
    expect(refused).toMatchObject({ stdout: '', exitCode: 1 })
    expect(refused.stderr).toMatch(/^error: recipient not found/)
    const doctor = await agentmail(['doctor'], outside(session))
    expect(doctor.stdout).toContain('mailbox coder: no window has this name; 1 unread\n')
    await session.run(0, ['cleanup'])
    expect(await seenOutside(session)).toEqual(['ci [you]', 'other', 'two'])
    await session.run(1, ['name', 'coder'])
    expect(await seenOutside(session)).toEqual(['ci [you]', 'coder', 'other'])
    expect((await session.run(1, ['receive'])).stdout).toContain('for whoever is coder')
  })

  it('stays one where another pane has it', async () => {
    const session = openSession(['pair'])
    const right = session.openBy('split-window', '-t', session.pane(0))
    await session.run(0, ['recipients'])
    await session.run(0, ['name', 'left'])
    expect(await seenOutside(session)).toEqual(['ci [you]', 'left', 'pair'])
    await session.run(right, ['recipients'])
    await session.run(right, ['name', 'right'])
    expect(await seenOutside(session)).toEqual(['ci [you]', 'left', 'right'])
  })

  it('goes with another name that is given by hand, and stays where its pane is closed, whose agent may come back', async () => {
    const session = openSession(['one', 'two', 'three'])
    for (const [window, name] of ['ann', 'bob', 'cid'].entries()) {
      await session.run(window, ['name', name])
      await agentmail(['send', name, 'hello'], outside(session))
    }
    expect(await seenOutside(session)).toEqual(['ann', 'bob', 'ci [you]', 'cid'])
    session.tmux('kill-pane', '-t', session.pane(1))
    session.tmux('set-option', '-p', '-t', session.pane(2), '@agentmail_name', 'eve')
    await session.run(0, ['recipients'])
    expect(await seenOutside(session)).toEqual(['ann', 'bob', 'ci [you]'])
    await session.run(2, ['recipients'])
    expect(await seenOutside(session)).toEqual(['ann', 'bob', 'ci [you]', 'eve'])
  })
})

describeWith('tmux', 'a name that tmux changes by itself', () => {
  it('is said to be one, once a pane and never to hooks, until a name is given', async () => {
    const session = openSession(['one', 'two'])
    session.tmux('set-option', '-w', '-t', session.pane(0), 'automatic-rename', 'on')
    session.tmux('set-option', '-w', '-t', session.pane(1), 'automatic-rename', 'on')
    for (const args of [
      ['status', 'ready'],
      ['receive', '--hook'],
    ]) {
      const hook = await session.run(0, args)
      expect(hook).toMatchObject({ stdout: '', stderr: '', exitCode: 0 })
    }
    const told = await session.run(0, ['receive'])
    expect(told.stderr).toMatch(/^agentmail: tmux changes the name of this window by itself.*\n$/)
    expect(told.stderr).toContain('agentmail name <name>')
    expect(told.stdout).toBe('No unread messages\n')
    const saying = async (window: number, args: string[], options = {}) =>
      (await session.run(window, args, options)).stderr.includes('by itself')
    expect(await saying(0, ['receive'])).toBe(false)
    expect(await saying(1, ['recipients'], alice)).toBe(false)
    expect(await saying(1, ['name', 'coder'])).toBe(false)
    expect(formatOf(session, 1, '#{window_name} #{automatic-rename}')).toBe('coder 0')
    expect(await saying(1, ['recipients'])).toBe(false)
    await session.run(1, ['name', '--clear'])
    session.tmux('set-option', '-w', '-t', session.pane(1), 'automatic-rename', 'on')
    expect(await saying(1, ['send', 'nobody', 'x'])).toBe(true)
    expect(await saying(1, ['send', 'nobody', 'x'])).toBe(false)
  })
})

describeWith('tmux', 'AGENTMAIL_AGENT in tmux', () => {
  it('wins over the names of pane and window, and stands in their place', async () => {
    const session = openSession(['one', 'two'])
    expect(await listed(session, 0, alice)).toEqual(['alice [you]', 'two'])
    expect(await listed(session, 1)).toEqual(['alice', 'two [you]'])
    await sendOk(session, 1, 'alice', 'hello')
    expect((await session.run(0, ['receive'])).stdout).toBe('No unread messages\n')
    expect((await session.run(0, ['receive'], alice)).stdout).toContain('From: two\n')
    // From then on there are two in that pane: whoever has the variable, and whoever has not.
    expect(await listed(session, 1)).toEqual(['one', 'alice', 'two [you]'])
    session.tmux('set-option', '-p', '-t', session.pane(0), '@agentmail_name', 'given')
    expect((await session.run(0, ['name'])).stdout).toBe('given (given)\n')
    expect((await session.run(0, ['name'], alice)).stdout).toBe('alice (environment)\n')
  })

  it('needs no tmux to send to a name that was given, and asks it for every other', async () => {
    const session = openSession(['one', 'two', 'three'])
    await session.run(1, ['name', 'coder'])
    await session.run(2, ['status', 'ready'], { env: { AGENTMAIL_AGENT: 'bob' } })
    const outside = { cwd: session.repository, env: { AGENTMAIL_AGENT: 'ci' } }
    await agentmail(['status', 'ready'], outside)
    const without = { env: { AGENTMAIL_AGENT: 'alice', PATH: temporaryFolder() } }
    for (const name of ['coder', 'bob', 'ci']) {
      const sent = await session.run(0, ['send', name, 'hello'], without)
      expect([name, sent.stderr, sent.exitCode]).toEqual([name, '', 0])
    }
    expect((await session.run(1, ['receive'])).stdout).toMatch(/^From: alice\n/)
    const asked = await session.run(0, ['send', 'three', 'hello'], without)
    expect(asked.exitCode).toBe(1) // a window is known by tmux alone
    expect(asked.stderr).toContain('recipient not found')
  })
})

describeWith('tmux', 'agents of another session', () => {
  it('are in the list once they have registered, as long as their pane is there, and are woken', async () => {
    const session = openSession(['one', 'two'])
    const far = session.openBy('new-session', '-s', 'other', '-n', 'far')
    expect(await listed(session, 0)).toEqual(['one [you]', 'two'])
    expect((await session.run(0, ['send', 'far', 'x'])).stderr).toMatch(/recipient not found/)
    expect(await listed(session, far)).toEqual(['far [you]', 'one'])
    expect(await listed(session, 0)).toEqual(['one [you]', 'two', 'far'])
    await session.run(far, ['recipients'], alice)
    expect(await listed(session, 0)).toEqual(['one [you]', 'two', 'far', 'alice'])
    const mailman = await startMailman(session)
    await getReady(session, mailman, far, 'far')
    await sendOk(session, 0, 'far', 'hello')
    await nudged(session, far)
    await sendOk(session, far, 'one', 'hello back')
    expect((await session.run(0, ['receive'])).stdout).toMatch(/^From: far\n/)
    session.tmux('kill-session', '-t', 'other')
    expect(await listed(session, 0)).toEqual(['one [you]', 'two'])
  })
})
