/** send, receive and status in a real tmux session. */
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentmail, binary, ended, plainEnv, start } from '../support/agentmail.ts'
import { git, openSession, sendOk } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

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
      [['send', 'tw', 'x'], 'error: recipient not found. Did you mean two?'],
      [['send', 'on', 'x'], 'error: recipient not found'], // is oneself
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
