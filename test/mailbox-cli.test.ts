/** The mailbox commands in a real tmux session. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentmail, binary, ended, plainEnv, start, temporaryFolder } from './support/agentmail.ts'
import { describeWith } from './support/parts.ts'
import { git, openSession, repository, type Session } from './support/tmux.ts'

const notInTmux = 'error: agentmail must run inside a tmux session'

async function sendOk(session: Session, from: number, to: string, text: string): Promise<string> {
  const { stdout, stderr, exitCode } = await session.run(from, ['send', '-r', to, '-m', text])
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  const [, id = ''] = /^Message #([0-9A-Za-z]{8}) sent\n$/.exec(stdout) ?? []
  expect(id).toHaveLength(8)
  return id
}

describeWith('tmux', 'send and receive', () => {
  it('carries a message from one window to another, once', async () => {
    const session = openSession(['one', 'two'])
    const id = await sendOk(session, 0, 'two', 'hello\nthere')
    const first = await session.run(1, ['receive'])
    expect(first.stdout).toBe(`From: one\nID: ${id}\n\nhello\nthere\n`)
    expect((await session.run(1, ['receive'])).stdout).toBe('No unread messages\n')
  })

  it('hands out messages in the order of their arrival', async () => {
    const session = openSession(['one', 'two'])
    for (const text of ['a', 'b', 'c']) await sendOk(session, 0, 'two', text)
    const bodies = []
    for (let i = 0; i < 3; i++) {
      bodies.push(JSON.parse((await session.run(1, ['receive', '--json'])).stdout).message)
    }
    expect(bodies).toEqual(['a', 'b', 'c'])
  })

  it('stores one JSON object a line, readable by its owner only and invisible to git', async () => {
    const session = openSession(['one', 'two'])
    const id = await sendOk(session, 0, 'two', 'hello')
    const office = join(session.repository, '.agentmail')
    const file = join(office, 'mailboxes/two.jsonl')
    const line = JSON.parse(readFileSync(file, 'utf8'))
    expect(Object.keys(line)).toEqual(['id', 'from', 'to', 'message', 'read_flag', 'created_at'])
    expect(line).toMatchObject({ id, from: 'one', to: 'two', message: 'hello', read_flag: false })
    expect(line.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/)
    await session.run(1, ['receive'])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...line, read_flag: true })
    expect(statSync(office).mode & 0o777).toBe(0o700)
    for (const one of ['mailboxes/two.jsonl', 'recipients.jsonl', '.gitignore']) {
      expect(statSync(join(office, one)).mode & 0o777).toBe(0o600)
    }
    expect(git(session.repository, 'status', '--porcelain')).toBe('')
  })

  it('takes the message from -m, then from a pipe, then from the arguments', async () => {
    const session = openSession(['one', 'two'])
    const sent = [
      [['send', '-r', 'two', '-m', 'flag', 'two', 'word'], 'pipe', 'flag'],
      [['send', 'two', 'word'], 'pipe\n', 'pipe'],
      [['send', 'two', 'word'], '', 'word'],
      [['send', '--recipient', 'two', 'word'], '', 'word'],
      [['send', '-r', 'two', 'nobody', 'word'], '', 'word'],
      [['send', 'two'], 'two lines\n\n', 'two lines\n'],
      [['send', '-m', 'flag', 'two'], 'pipe', 'flag'],
    ] as const
    for (const [args, input, expected] of sent) {
      const { stdout } = await session.run(0, [...args], { input })
      expect(stdout).toMatch(/^Message #\w{8} sent\n$/)
      const received = await session.run(1, ['receive', '--json'])
      expect(JSON.parse(received.stdout).message).toBe(expected)
    }
  })

  it('sends its argument when standard input is a pipe that nobody writes to', async () => {
    const session = openSession(['one', 'two'])
    const child = start(['send', 'two', 'word'], { cwd: session.repository, env: session.env(0) })
    const { stdout } = await ended(child)
    expect(stdout).toMatch(/^Message #\w{8} sent\n$/)
    child.stdin.destroy()
  })

  it('accepts 65,536 bytes and refuses 65,537', async () => {
    const session = openSession(['one', 'two'])
    const fits = 'é'.repeat(32_768)
    const sent = await session.run(0, ['send', 'two'], { input: fits })
    expect(sent.exitCode).toBe(0)
    const refused = await session.run(0, ['send', 'two'], { input: `${fits}x` })
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toMatch(/^error: message exceeds maximum size of 64KB\n/)
    expect(JSON.parse((await session.run(1, ['receive', '--json'])).stdout).message).toBe(fits)
    expect((await session.run(1, ['receive'])).stdout).toBe('No unread messages\n')
  })

  it('refuses what cannot be sent, with the words of the contract', async () => {
    const session = openSession(['one', 'two', 'quiet'])
    writeFileSync(join(session.repository, '.agentmailignore'), '\n  quiet  \n\n')
    const refusals = [
      [['send'], 'error: missing required arguments: recipient message'],
      [['send', '-m', 'text'], 'error: missing required arguments: recipient message'],
      [['send', 'two'], 'error: no message provided'],
      [['send', 'two', ''], 'error: no message provided'],
      [['send', '-r', 'two', '-m', ''], 'error: no message provided'],
      [['send', 'nobody', 'x'], 'error: recipient not found'],
      [['send', 'quiet', 'x'], 'error: recipient not found'],
      [['send', 'one', 'x'], 'error: recipient not found'],
      [['send', 'tw', 'x'], 'error: recipient not found'],
      [['send', '1', 'x'], 'error: recipient not found'],
      [['send', 'two', 'x', 'y'], 'error: too many arguments: y'],
      [['send', '--loud', 'two', 'x'], 'error: unknown option --loud'],
    ] as const
    for (const [args, words] of refusals) {
      const { stdout, stderr, exitCode } = await session.run(0, [...args])
      expect([args, stdout, exitCode]).toEqual([args, '', 1])
      expect(stderr.split('\n')[0]).toBe(words)
    }
    expect(existsSync(join(session.repository, '.agentmail/mailboxes/quiet.jsonl'))).toBe(false)
  })

  it('answers a hook on stderr with exit code 2, and is silent without mail', async () => {
    const session = openSession(['one', 'two'])
    const none = await session.run(1, ['receive', '--hook'])
    expect(none).toMatchObject({ stdout: '', stderr: '', exitCode: 0 })
    const id = await sendOk(session, 0, 'two', 'hello')
    const mail = await session.run(1, ['receive', '--hook'])
    expect(mail).toMatchObject({
      stdout: '',
      stderr: `You got new mail\nFrom: one\nID: ${id}\n\nhello\n`,
      exitCode: 2,
    })
    const misused = await session.run(1, ['receive', '--hook', '--loud'])
    expect(misused).toMatchObject({ stdout: '', stderr: '', exitCode: 0 })
    const outside = await agentmail(['receive', '--hook'], { cwd: temporaryFolder() })
    expect(outside).toMatchObject({ stdout: '', stderr: '', exitCode: 0 })
  })

  it('keeps mail under the name it was sent to when a window is renamed, and doctor says so', async () => {
    const session = openSession(['one', 'two'])
    await sendOk(session, 0, 'two', 'for two')
    session.tmux('rename-window', '-t', session.pane(1), 'deux')
    expect((await session.run(1, ['receive'])).stdout).toBe('No unread messages\n')
    expect((await session.run(0, ['send', 'two', 'x'])).stderr).toMatch(
      /^error: recipient not found/,
    )
    await sendOk(session, 0, 'deux', 'for deux')
    const doctor = await session.run(0, ['doctor', '--json'])
    expect(doctor.exitCode).toBe(1)
    expect(JSON.parse(doctor.stdout).findings).toMatchObject([
      { subject: 'mailbox two', problem: 'no window has this name; 1 unread' },
    ])
    session.tmux('rename-window', '-t', session.pane(1), 'two')
    expect((await session.run(1, ['receive'])).stdout).toContain('for two')
  })

  it('passes over a torn line with a warning, and starts a new line after it', async () => {
    const session = openSession(['one', 'two'])
    await sendOk(session, 0, 'two', 'before')
    const file = join(session.repository, '.agentmail/mailboxes/two.jsonl')
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"id":"torn","from":"on`)
    await sendOk(session, 0, 'two', 'after')
    expect((await session.run(1, ['receive'])).stdout).toContain('before')
    const after = await session.run(1, ['receive'])
    expect(after.stdout).toContain('after')
    expect(after.stderr).toMatch(/^agentmail: mailbox "two": passed over a line/)
    expect(readFileSync(file, 'utf8').split('\n')[1]).toBe('{"id":"torn","from":"on')
    const doctor = await session.run(1, ['doctor'])
    expect(doctor.stdout).toContain('mailbox two: line 2 (byte')
  })

  it('hands a long message whole to a reader that is slow', async () => {
    const session = openSession(['one', 'two'])
    const text = '"\n'.repeat(32_000)
    await session.run(0, ['send', 'two'], { input: text })
    const script = `'${process.execPath}' '${binary}' receive --json | (sleep 1; cat)`
    const options = { cwd: session.repository, env: plainEnv(session.env(1)) }
    const stdout = execFileSync('sh', ['-c', script], options).toString('utf8')
    expect(JSON.parse(stdout).message).toBe(text.slice(0, -1))
  })

  it.runIf(existsSync('/dev/full'))('says so when its answer cannot be written', async () => {
    const session = openSession(['one', 'two'])
    await sendOk(session, 0, 'two', 'hello')
    const full = openSync('/dev/full', 'w')
    const { status, stderr } = spawnSync(process.execPath, [binary, 'receive'], {
      cwd: session.repository,
      env: plainEnv(session.env(1)),
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    closeSync(full)
    expect(status).toBe(1)
    expect(stderr).toBe('error: the answer could not be written (ENOSPC)\n')
  })

  it('waits for a slow pipe of a shell before it takes its argument', async () => {
    const session = openSession(['one', 'two'])
    const script = `(sleep 1.5; echo late) | '${process.execPath}' '${binary}' send two word`
    execFileSync('sh', ['-c', script], { cwd: session.repository, env: plainEnv(session.env(0)) })
    expect(JSON.parse((await session.run(1, ['receive', '--json'])).stdout).message).toBe('late')
  })

  it('runs typed into a window, with the name of that window', async () => {
    const session = openSession(['one', 'two'], 'sh')
    const out = join(session.repository, 'out.txt')
    const typed = `node '${binary}' recipients > out.tmp && mv out.tmp out.txt`
    session.tmux('send-keys', '-t', session.pane(1), '-l', typed)
    session.tmux('send-keys', '-t', session.pane(1), 'Enter')
    await expect.poll(() => existsSync(out), { timeout: 15_000 }).toBe(true)
    expect(readFileSync(out, 'utf8')).toBe('one\ntwo [you]\n')
  })
})

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

  it('gives two windows of one name one mailbox', async () => {
    const session = openSession(['one', 'two', 'two'])
    await sendOk(session, 0, 'two', 'to either')
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
      ['.gitignore', 'mailboxes', 'positions', 'recipients.jsonl'].sort(),
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

describeWith('tmux', 'status', () => {
  it('is silent, and keeps `notified` only for ready', async () => {
    const session = openSession(['one', 'two'])
    const file = join(session.repository, '.agentmail/recipients.jsonl')
    const own = () => JSON.parse(readFileSync(file, 'utf8').split('\n')[0] ?? '')
    expect(await session.run(0, ['status', 'ready'])).toMatchObject({
      stdout: '',
      stderr: '',
      exitCode: 0,
    })
    expect(own()).toMatchObject({ name: 'one', status: 'ready', notified: false })
    writeFileSync(file, '{"recipient":"one","status":"ready","notified":true}\nnot json\n')
    await session.run(0, ['status', 'ready'])
    expect(own()).toMatchObject({ name: 'one', status: 'ready', notified: true })
    await session.run(0, ['status', 'work'])
    expect(own()).toMatchObject({ name: 'one', status: 'work', notified: false })
    expect(readFileSync(file, 'utf8').split('\n')[1]).toBe('not json')
  })

  it('refuses any other word, in the words of the tool', async () => {
    const session = openSession(['one'])
    for (const word of ['Ready', 'busy', '']) {
      const { stdout, stderr, exitCode } = await session.run(0, ['status', word])
      expect([stdout, exitCode]).toEqual(['', 1])
      expect(stderr).toBe(`Invalid status: ${word}. Valid: ready, work, offline\n`)
    }
    const outside = await agentmail(['status', 'busy'], { cwd: session.repository })
    expect(outside).toMatchObject({ stdout: '', stderr: '', exitCode: 0 })
  })
})

describeWith('tmux', 'cleanup', () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

  function prepare(session: Session): string {
    const office = join(session.repository, '.agentmail')
    const message = (id: string, read_flag: boolean, created_at?: string) =>
      JSON.stringify({ id, from: 'one', to: 'two', message: 'x', read_flag, created_at })
    const lines = [
      message('old-read', true, hoursAgo(3)),
      message('old-unread', false, hoursAgo(300)),
      message('new-read', true, hoursAgo(1)),
      message('undated-read', true),
      '{"torn',
    ]
    writeFileSync(join(office, 'mailboxes/two.jsonl'), `${lines.join('\n')}\n`)
    writeFileSync(join(office, 'mailboxes/empty.jsonl'), '')
    const entry = (name: string, updated_at: string, more = {}) =>
      JSON.stringify({ name, status: 'ready', notified: false, updated_at, ...more })
    const recipients = [
      entry('one', hoursAgo(0)),
      entry('two', hoursAgo(50)),
      entry('gone', hoursAgo(0)),
      entry('outsider', hoursAgo(0), { pane: null }),
    ]
    writeFileSync(join(office, 'recipients.jsonl'), `${recipients.join('\n')}\n`)
    return office
  }

  it('removes what is gone, stale, read and old, or empty, and nothing else', async () => {
    const session = openSession(['one', 'two'])
    await session.run(0, ['recipients'])
    const office = prepare(session)
    const report = [
      '  Recipients removed: 2 (1 offline, 1 stale)',
      '  Messages removed: 1',
      '  Mailboxes removed: 1',
      '',
    ]
    const dry = await session.run(0, ['cleanup', '--dry-run'])
    expect(dry.stdout).toBe(
      ['Cleanup complete: (dry run, nothing was removed)', ...report].join('\n'),
    )
    expect(readdirSync(join(office, 'mailboxes')).sort()).toEqual(['empty.jsonl', 'two.jsonl'])
    const done = await session.run(0, ['cleanup'])
    expect(done.stdout).toBe(['Cleanup complete:', ...report].join('\n'))
    const kept = readFileSync(join(office, 'mailboxes/two.jsonl'), 'utf8')
    expect(kept.match(/"id":"[^"]+"/g)).toEqual([
      '"id":"old-unread"',
      '"id":"new-read"',
      '"id":"undated-read"',
    ])
    expect(kept.endsWith('{"torn\n')).toBe(true)
    expect(readdirSync(join(office, 'mailboxes'))).toEqual(['two.jsonl'])
    const names = readFileSync(join(office, 'recipients.jsonl'), 'utf8').match(/"name":"\w+"/g)
    expect(names).toEqual(['"name":"one"', '"name":"outsider"'])
    expect((await session.run(1, ['receive'])).stdout).toContain('ID: old-unread')
  })

  it('takes other hours, and refuses what is no number', async () => {
    const session = openSession(['one', 'two'])
    await session.run(0, ['recipients'])
    prepare(session)
    const json = await session.run(0, [
      'cleanup',
      '--stale-hours',
      '60',
      '--delivered-hours',
      '0.5',
      '--json',
    ])
    expect(JSON.parse(json.stdout)).toEqual({
      recipients: { offline: 1, stale: 0 },
      messages: 2,
      mailboxes: 1,
      dry_run: false,
    })
    const refused = await session.run(0, ['cleanup', '--stale-hours', 'soon'])
    expect(refused.exitCode).not.toBe(0)
    expect(refused.stderr).toMatch(/^error: --stale-hours must be a number/)
  })

  it('works outside tmux, where nobody counts as gone', async () => {
    const session = openSession(['one', 'two'])
    await session.run(0, ['recipients'])
    prepare(session)
    const { stdout, exitCode } = await agentmail(['cleanup', '--json'], { cwd: session.repository })
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout).recipients).toEqual({ offline: 0, stale: 1 })
  })
})

describeWith('tmux', 'doctor', () => {
  it('names what stands in the place of a mailbox and is none', async () => {
    const session = openSession(['one', 'two'])
    await session.run(0, ['recipients'])
    const mailboxes = join(session.repository, '.agentmail/mailboxes')
    symlinkSync('/etc/hostname', join(mailboxes, 'link.jsonl'))
    mkdirSync(join(mailboxes, 'folder.jsonl'))
    writeFileSync(join(mailboxes, 'not encoded.jsonl'), '')
    const { stdout, exitCode } = await session.run(0, ['doctor', '--json'])
    expect(exitCode).toBe(1)
    const found: { subject: string }[] = JSON.parse(stdout).findings
    expect(found.map(({ subject }) => subject).sort()).toEqual([
      'mailboxes/folder.jsonl',
      'mailboxes/link.jsonl',
      'mailboxes/not encoded.jsonl',
    ])
  })
})

describeWith('tmux', 'values never reach a shell', () => {
  it('treats shell characters and leading dashes in names and messages as plain text', async () => {
    const session = openSession(['one', '-t$(touch pwned)'])
    const text = '$(touch pwned) `touch pwned`; touch pwned & | > pwned'
    await sendOk(session, 0, '-t$(touch pwned)', text)
    const received = await session.run(1, ['receive', '--json'])
    expect(JSON.parse(received.stdout)).toMatchObject({ from: 'one', message: text })
    expect(existsSync(join(session.repository, 'pwned'))).toBe(false)
  })
})

describe('the command line itself', () => {
  it('prints help on stderr and exits 1 without a command or with an unknown one', async () => {
    for (const args of [[], ['frobnicate']]) {
      const { stdout, stderr, exitCode } = await agentmail(args)
      expect([stdout, exitCode]).toEqual(['', 1])
      expect(stderr).toContain('Usage: agentmail <command>')
    }
  })

  it('prints help on stdout and exits 0 when asked', async () => {
    const commands = [
      'send',
      'receive',
      'recipients',
      'status',
      'mailman',
      'cleanup',
      'doctor',
      'onboard',
      'mcp',
      'config',
    ]
    for (const flag of ['--help', '-h']) {
      const { stdout, exitCode } = await agentmail([flag])
      expect(exitCode).toBe(0)
      for (const command of commands) expect(stdout).toContain(`  ${command} `)
    }
    for (const command of commands) {
      const { stdout, stderr, exitCode } = await agentmail([command, '--help'])
      expect([stderr, exitCode]).toEqual(['', 0])
      expect(stdout).toMatch(new RegExp(`^Usage: agentmail ${command}\\b`))
    }
  })

  it('tells its version, and an agent how to use it', async () => {
    const { version } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
    )
    expect((await agentmail(['--version'])).stdout).toBe(`${version}\n`)
    const onboard = await agentmail(['onboard'], { cwd: temporaryFolder() })
    expect(onboard).toMatchObject({ stderr: '', exitCode: 0 })
    expect(onboard.stdout).toContain('agentmail receive')
  })

  it('shows each setting with its source', async () => {
    const env = { AGENTMAIL_AGENT: 'me', AGENTMAIL_DELIVERED_HOURS: '5' }
    const { stdout } = await agentmail(['config', '--json', '--stale-hours', '7'], { env })
    const settings = JSON.parse(stdout).settings
    const of = (name: string) => settings.find((setting: { name: string }) => setting.name === name)
    expect(of('agent')).toMatchObject({ value: 'me', source: 'environment' })
    expect(of('staleHours')).toMatchObject({ value: 7, source: 'flag' })
    expect(of('deliveredHours')).toMatchObject({ value: 5, source: 'environment' })
    expect(of('nudgeSeconds')).toMatchObject({ value: 60, source: 'default' })
  })
})
