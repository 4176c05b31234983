/** What senders are told of recipients: those outside the repository, names that two have, panes that are gone. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openSession, repository, type Session, sendOk } from '../support/mailbox/tmux.ts'
import { LineClient } from '../support/mcp/line-client.ts'
import { describeWith } from '../support/parts.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const namesKept = (session: Session) =>
  readFileSync(join(session.repository, '.agentmail/recipients.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ left_at }) => left_at === undefined)
    .map(({ name }) => name)

const problemsIn = ({ stdout }: { stdout: string }): string[] =>
  JSON.parse(stdout).findings.map(({ problem }: { problem: string }) => problem)

describeWith('tmux', 'a window that stands outside the repository', () => {
  it.each([
    ['in another', () => repository()],
    ['in none', () => temporaryFolder()],
  ])('%s is told by recipients, send and doctor', async (_, folder) => {
    const session = openSession(['one', 'two'])
    const place = folder()
    session.openBy('new-window', '-t', 'test:$', '-a', '-n', 'away', '-c', place)
    const said = `the window "away" stands outside this repository, in ${place}`
    const listed = await session.run(0, ['recipients'])
    expect(listed.stdout).toBe('one [you]\ntwo\naway\n')
    expect(listed.stderr.split('\n')).toEqual([expect.stringContaining(`warning: ${said}`), ''])
    const sent = await session.run(0, ['send', 'away', 'hello'])
    expect(sent).toMatchObject({
      stdout: expect.stringMatching(/^Message #\w+ sent\n$/),
      exitCode: 0,
    })
    expect(sent.stderr).toContain(`warning: ${said}`)
    await sendOk(session, 0, 'two', 'without a word')
    const doctor = await session.run(0, ['doctor', '--json'])
    expect(doctor.exitCode).toBe(1)
    expect(problemsIn(doctor)).toEqual([expect.stringContaining(said)])
    writeFileSync(join(session.repository, '.agentmailignore'), 'away\n')
    expect((await session.run(0, ['recipients'])).stderr).toBe('')
    expect((await session.run(0, ['doctor'])).exitCode).toBe(0)
  })

  it('is none in a worktree of it, nor where AGENTMAIL_DIR says where the mail is', async () => {
    const session = openSession(['one'])
    const linked = join(temporaryFolder(), 'linked')
    session.tmux('run-shell', `git -C ${session.repository} worktree add --quiet ${linked}`)
    session.openBy('new-window', '-n', 'linked', '-c', linked)
    expect((await session.run(0, ['recipients'])).stderr).toBe('')
    session.openBy('new-window', '-n', 'away', '-c', temporaryFolder())
    const env = { AGENTMAIL_DIR: join(session.repository, 'post') }
    expect((await session.run(0, ['recipients'], { env })).stderr).toBe('')
  })
})

describeWith('tmux', 'a name that two have', () => {
  it('is told by recipients, send and doctor, and by the tool', async () => {
    const session = openSession(['one', 'two', 'two'])
    session.tmux('split-window', '-d', '-t', session.pane(0), 'cat')
    const said = '2 windows or panes have the name "two"'
    const listed = await session.run(0, ['recipients'])
    expect(listed.stdout).toBe('one [you]\ntwo\n')
    expect(listed.stderr.split('\n')).toEqual([expect.stringContaining(`warning: ${said}`), ''])
    const sent = await session.run(0, ['send', 'two', 'hello', '--json'])
    expect(sent.stderr).toContain(`warning: ${said}`)
    expect(JSON.parse(sent.stdout)).toEqual({
      message_id: expect.stringMatching(/^\w{8}$/),
      warning: expect.stringContaining(said),
    })
    expect(problemsIn(await session.run(0, ['doctor', '--json']))).toEqual([
      expect.stringContaining(said),
    ])
    const client = await LineClient.open({ env: session.env(0), cwd: session.repository })
    const { result } = await client.call('send', { recipient: 'two', message: 'hello' })
    expect(result).toMatchObject({ structuredContent: { warning: expect.stringContaining(said) } })
    await client.finish()
    await session.run(2, ['name', 'three'])
    expect((await session.run(0, ['recipients'])).stderr).toBe('')
  })
})

describeWith('tmux', 'a name that two have in two sessions', () => {
  it.each([
    ['windows', {}],
    ['AGENTMAIL_AGENT', { env: { AGENTMAIL_AGENT: 'two' } }],
  ])('is told by recipients, send and doctor, whoever came last: %s', async (_, options) => {
    const session = openSession(['one', 'two'])
    const far = session.openBy('new-session', '-s', 'other', '-n', 'two')
    const other = session.openBy('new-window', '-t', 'other', '-n', 'three')
    const said = '2 windows or panes have the name "two"'
    await session.run(1, ['status', 'work'], options)
    await session.run(far, ['status', 'work'], options)
    for (const last of [1, far]) {
      await session.run(last, ['status', 'work'], options)
      for (const [at, asking] of [
        [0, {}],
        [other, {}],
        [other, { env: { AGENTMAIL_AGENT: 'four' } }],
      ] as const) {
        expect((await session.run(at, ['recipients'], asking)).stderr).toContain(said)
        expect((await session.run(at, ['send', 'two', 'hello'], asking)).stderr).toContain(said)
        const found = problemsIn(await session.run(at, ['doctor', '--json'], asking))
        expect(found).toEqual([expect.stringContaining(said)])
      }
    }
    expect((await session.run(1, ['recipients'], options)).stderr).toContain(said)
    session.tmux('kill-pane', '-t', session.pane(far))
    expect((await session.run(0, ['recipients'])).stderr).toBe('')
    expect((await session.run(0, ['recipients'])).stdout.split('\n')).toContain('two')
  })
})

describeWith('tmux', 'a pane that is gone', () => {
  it('takes its given name along, but only when it is in no session', async () => {
    const session = openSession(['one', 'two'])
    const far = session.openBy('new-session', '-s', 'other', '-n', 'far')
    await session.run(far, ['recipients'], { env: { AGENTMAIL_AGENT: 'alice' } })
    const near = session.openBy('split-window', '-t', session.pane(1))
    await session.run(near, ['name', 'bob'])
    await session.run(1, ['recipients'])
    for (const name of ['alice', 'bob']) await sendOk(session, 0, name, 'hello')
    const clean = async () => {
      const { stdout } = await session.run(0, ['cleanup', '--json'])
      return [JSON.parse(stdout).recipients.offline, namesKept(session)]
    }
    expect((await session.run(0, ['doctor'])).exitCode).toBe(0)
    expect(await clean()).toEqual([0, ['alice', 'bob', 'two', 'one']])
    session.tmux('kill-pane', '-t', session.pane(near))
    session.tmux('kill-session', '-t', 'other')
    expect(problemsIn(await session.run(0, ['doctor', '--json']))).toEqual([
      'no window has this name; 1 unread',
      'no window has this name; 1 unread',
    ])
    expect(await clean()).toEqual([2, ['two', 'one']])
  })

  it('of an earlier tmux stands for none of this one', async () => {
    const session = openSession(['one', 'two'])
    await session.run(0, ['recipients'])
    const ghost = { name: 'ghost', notified: false, pane: session.pane(1), source: 'environment' }
    const file = join(session.repository, '.agentmail/recipients.jsonl')
    writeFileSync(file, `${JSON.stringify({ ...ghost, server: 1 })}\n`)
    expect((await session.run(0, ['recipients'])).stdout).toBe('one [you]\ntwo\n')
    const server = Number(session.env(0).TMUX?.split(',').at(-2))
    writeFileSync(file, `${JSON.stringify({ ...ghost, server })}\n`)
    expect((await session.run(0, ['recipients'])).stdout).toBe('one [you]\nghost\n')
  })
})
