/** Who can be written to: windows, worktrees, agents outside tmux, and names of all kinds. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { git, openSession, repository, sendOk } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const notInTmux = 'error: agentmail must run inside a tmux session'

describeWith('tmux', 'recipients', () => {
  it('lists windows in their order, oneself marked, ignored ones left out', async () => {
    const session = openSession(['one', 'two', 'quiet', 'two', 'last'])
    writeFileSync(join(session.repository, '.agentmailignore'), 'quiet\n')
    expect((await session.run(1, ['recipients'])).stdout).toBe('one\ntwo [you]\nlast\n')
    expect((await session.run(2, ['recipients'])).stdout).toBe('one\ntwo\nquiet [you]\nlast\n')
    const json = await session.run(0, ['recipients', '--json'])
    expect(JSON.parse(json.stdout)).toEqual({
      recipients: [
        { name: 'one', is_current: true },
        { name: 'two', is_current: false },
        { name: 'last', is_current: false },
      ],
    })
  })

  it('leaves out a window whose name is empty', async () => {
    const session = openSession(['one', 'two', 'three'])
    session.tmux('rename-window', '-t', session.pane(1), '')
    expect((await session.run(0, ['recipients'])).stdout).toBe('one [you]\nthree\n')
    expect((await session.run(0, ['agents'])).stdout).toMatch(/^NAME .*\none .*\nthree .*\n$/)
  })

  it('gives two windows of one name one mailbox', async () => {
    const session = openSession(['one', 'two', 'two'])
    const sent = await session.run(0, ['send', 'two', 'to either'])
    expect(sent).toMatchObject({ stdout: expect.stringMatching(/^Message #/), exitCode: 0 })
    expect((await session.run(2, ['receive'])).stdout).toContain('to either')
    expect((await session.run(1, ['receive'])).stdout).toBe('No unread messages\n')
  })

  it('keeps every awkward window name inside mailboxes/ and apart from all others', async () => {
    const names = [
      'plain',
      'two words',
      'a/b',
      '../up',
      '..',
      '.dot',
      '-r',
      '--json',
      '3',
      '日本',
      'é',
      '%41',
      'A',
      '$(id)',
      '`id`',
      "it's",
      'x;y',
      '*',
      '=x',
      '@1',
      '%0',
      '{last}',
      '!',
    ]
    const session = openSession(['sender', ...names])
    const { stdout } = await session.run(0, ['recipients', '--json'], { env: { LC_ALL: 'C' } })
    const listed = JSON.parse(stdout).recipients.map(({ name }: { name: string }) => name)
    expect(listed).toHaveLength(names.length + 1)
    for (const name of listed.slice(1)) await sendOk(session, 0, name, `for ${name}`)
    for (const [index, name] of listed.slice(1).entries()) {
      const received = await session.run(index + 1, ['receive', '--json'], { env: { LC_ALL: 'C' } })
      expect(JSON.parse(received.stdout)).toMatchObject({ from: 'sender', message: `for ${name}` })
    }
    expect(readdirSync(session.repository).sort()).toEqual(['.agentmail', '.git'])
    expect(readdirSync(join(session.repository, '.agentmail')).sort()).toEqual(
      ['.gitignore', 'mailboxes', 'positions', 'receipts', 'recipients.jsonl'].sort(),
    )
    expect(readdirSync(join(session.repository, '.agentmail/mailboxes'))).toHaveLength(names.length)
  }, 120_000)

  it('refuses a name that no file can have, in words', async () => {
    const long = { AGENTMAIL_AGENT: 'x'.repeat(300) }
    const tooLong = await agentmail(['recipients'], { cwd: repository(), env: long })
    expect(tooLong).toMatchObject({ stdout: '', exitCode: 1 })
    expect(tooLong.stderr).toMatch(/^error: agent name is too long: "x{40}"\n/)
    const lines = await agentmail(['recipients'], {
      cwd: repository(),
      env: { AGENTMAIL_AGENT: 'a\nb' },
    })
    expect(lines.stderr).toMatch(/^error: agent name contains a line break/)
  })
})

describeWith('tmux', 'worktrees and agents outside tmux', () => {
  it('shares one post office between all worktrees', async () => {
    const session = openSession(['one', 'two'])
    const linked = join(temporaryFolder(), 'linked')
    git(session.repository, 'worktree', 'add', '--quiet', linked)
    await sendOk(session, 0, 'two', 'across')
    const received = await session.run(1, ['receive'], { cwd: linked })
    expect(received.stdout).toContain('across')
    expect(existsSync(join(linked, '.agentmail'))).toBe(false)
    await session.run(1, ['send', 'one', 'back'], { cwd: linked })
    expect((await session.run(0, ['receive'])).stdout).toContain('back')
  })

  it('keeps the post office inside a bare repository', async () => {
    const folder = temporaryFolder()
    const bare = join(folder, 'project.git')
    git(repository(), 'clone', '--quiet', '--bare', '.', bare)
    git(bare, 'worktree', 'add', '--quiet', join(folder, 'work'))
    for (const cwd of [bare, join(folder, 'work')]) {
      await agentmail(['recipients'], { cwd, env: { AGENTMAIL_AGENT: 'a' } })
    }
    expect(existsSync(join(bare, '.agentmail/recipients.jsonl'))).toBe(true)
    expect(existsSync(join(folder, '.agentmail'))).toBe(false)
    expect(existsSync(join(folder, 'work/.agentmail'))).toBe(false)
  })

  it('keeps it inside a bare repository that is named .git, too', async () => {
    const folder = temporaryFolder()
    git(repository(), 'clone', '--quiet', '--bare', '.', join(folder, '.git'))
    git(folder, 'worktree', 'add', '--quiet', join(folder, 'work'))
    for (const cwd of [folder, join(folder, 'work')]) {
      await agentmail(['recipients'], { cwd, env: { AGENTMAIL_AGENT: 'a' } })
    }
    expect(existsSync(join(folder, '.git/.agentmail/recipients.jsonl'))).toBe(true)
    expect(existsSync(join(folder, '.agentmail'))).toBe(false)
  })

  it('gives a submodule a post office of its own, at its root', async () => {
    const outer = repository()
    const allow = ['-c', 'protocol.file.allow=always']
    git(outer, ...allow, 'submodule', '--quiet', 'add', repository(), 'inner')
    await agentmail(['recipients'], { cwd: join(outer, 'inner'), env: { AGENTMAIL_AGENT: 'a' } })
    expect(existsSync(join(outer, 'inner/.agentmail'))).toBe(true)
    expect(existsSync(join(outer, '.git/modules/.agentmail'))).toBe(false)
  })

  it('carries mail between a window and an agent outside tmux, both ways', async () => {
    const session = openSession(['one', 'two'])
    const cwd = session.repository
    const env = { AGENTMAIL_AGENT: 'outsider' }
    expect((await agentmail(['recipients'], { cwd, env })).stdout).toBe('outsider [you]\n')
    expect((await session.run(0, ['recipients'])).stdout).toBe('one [you]\ntwo\noutsider\n')
    await sendOk(session, 0, 'outsider', 'hello out there')
    const received = await agentmail(['receive'], { cwd, env })
    expect(received.stdout).toContain('From: one\n')
    const answer = await agentmail(['send', 'one', 'hello in there'], { cwd, env })
    expect(answer.stdout).toMatch(/^Message #\w{8} sent\n$/)
    expect((await session.run(0, ['receive'])).stdout).toContain('From: outsider\n')
  })

  it('needs tmux or a name: exit code 2 and how to go on', async () => {
    const cwd = repository()
    for (const args of [['send', 'a', 'b'], ['send'], ['receive'], ['recipients'], ['mcp']]) {
      const { stdout, stderr, exitCode } = await agentmail(args, { cwd })
      expect([args, stdout, exitCode]).toEqual([args, '', 2])
      expect(stderr.split('\n')[0]).toBe(notInTmux)
      expect(stderr).toContain('AGENTMAIL_AGENT')
    }
    const badPane = await agentmail(['receive'], { cwd, env: { TMUX: 'x,1,0', TMUX_PANE: '3' } })
    expect(badPane).toMatchObject({ exitCode: 2 })
    const gone = { TMUX: '/nowhere/socket,999999,0', TMUX_PANE: '%0' }
    const dead = await agentmail(['receive'], { cwd, env: gone })
    expect(dead.exitCode).toBe(2)
    expect(dead.stderr.split('\n')[0]).toBe(notInTmux)
  })

  it('needs a repository or AGENTMAIL_DIR', async () => {
    const env = { AGENTMAIL_AGENT: 'a', GIT_CEILING_DIRECTORIES: '/' }
    const cwd = temporaryFolder()
    const nowhere = await agentmail(['receive'], { cwd, env })
    expect(nowhere.exitCode).toBe(1)
    expect(nowhere.stderr.split('\n')[0]).toBe('error: not in a git repository')
    const given = await agentmail(['receive'], { cwd, env: { ...env, AGENTMAIL_DIR: 'post' } })
    expect(given.stdout).toBe('No unread messages\n')
    expect(readFileSync(join(cwd, 'post/.gitignore'), 'utf8')).toBe('*\n')
  })

  it('does not clean up behind a link that a repository brings along', async () => {
    const cwd = repository()
    const outside = temporaryFolder()
    writeFileSync(join(outside, 'empty.jsonl'), '')
    mkdirSync(join(cwd, '.agentmail'))
    symlinkSync(outside, join(cwd, '.agentmail/mailboxes'))
    const refused = await agentmail(['cleanup'], { cwd })
    expect(refused).toMatchObject({ stdout: '', exitCode: 1 })
    expect(readdirSync(outside)).toEqual(['empty.jsonl'])
    const { stdout, exitCode } = await agentmail(['doctor', '--json'], { cwd })
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout).findings[0]).toMatchObject({ problem: 'is not a folder' })
  })

  it('does not follow a link that a repository brings along', async () => {
    const cwd = repository()
    const outside = temporaryFolder()
    symlinkSync(outside, join(cwd, '.agentmail'))
    const refused = await agentmail(['recipients'], { cwd, env: { AGENTMAIL_AGENT: 'a' } })
    expect(refused).toMatchObject({ stdout: '', exitCode: 1 })
    expect(refused.stderr).toMatch(/^error: the post office is not a plain folder/)
    expect(readdirSync(outside)).toEqual([])
  })
})
