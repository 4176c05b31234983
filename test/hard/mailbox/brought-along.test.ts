/** A repository that brings its own post office: nothing in it is trusted, and it is told what to do. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it } from 'vitest'
import { agentmail, type Env, type RunOptions } from '../../support/agentmail.ts'
import { git, openSession, repository } from '../../support/mailbox/tmux.ts'
import { LineClient } from '../../support/mcp/line-client.ts'
import { describeWith } from '../../support/parts.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const planted = 'PLANTED'
const words = /git tracks files in the post office: nothing in it is read or written/
const advice = /git -C \S+ rm -rf --cached \.agentmail/

/** Mail, an agent, a position, a PID, a note about a server, local mail, a database: all of it committed. */
function plant(root: string): void {
  const office = join(root, '.agentmail')
  for (const folder of ['mailboxes', 'positions', 'mail/inbox']) {
    mkdirSync(join(office, folder), { recursive: true })
  }
  const put = (name: string, text: string) => writeFileSync(join(office, name), text)
  const message = { id: 'aaaaaaaa', from: planted, to: 'eve', message: planted, read_flag: false }
  put('mailboxes/eve.jsonl', `${JSON.stringify(message)}\n`)
  put('positions/eve.jsonl', '0 0')
  put('recipients.jsonl', `{"name":"${planted}","status":"ready","notified":false,"pane":null}\n`)
  put('mailman.pid', '1\n')
  put('agentmail.db.server', JSON.stringify({ url: 'http://127.0.0.1:1', instance: planted }))
  put('mail/inbox/a.eml', `From: ${planted}@example.com\nSubject: ${planted}\n\n${planted}\n`)
  put('.gitignore', '!*\n')
  const database = new DatabaseSync(join(office, 'agentmail.db'))
  database.exec(`CREATE TABLE agents (name TEXT); INSERT INTO agents VALUES ('${planted}')`)
  database.close()
}

function hostileClone(): string {
  const origin = repository()
  plant(origin)
  git(origin, 'add', '--force', '.')
  git(origin, 'commit', '--quiet', '--message', 'hello')
  const clone = join(temporaryFolder(), 'clone')
  git(origin, 'clone', '--quiet', '.', clone)
  return clone
}

/** Every file below, with its mode and a hash of its content. */
function state(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => {
      const stat = statSync(path)
      const content = stat.isFile() ? readFileSync(path) : ''
      const hash = createHash('sha256').update(content).digest('hex')
      return `${path.slice(folder.length)} ${stat.mode.toString(8)} ${hash}`
    })
}

const commands = [
  ...[['receive'], ['receive', '--json'], ['recipients'], ['status', 'ready'], ['cleanup']],
  ...[['cleanup', '--dry-run'], ['doctor'], ['doctor', '--json'], ['send', planted, 'hello']],
  ...[['mail', 'list'], ['mcp']],
]
/** Theirs is another place. */
const coordinating = [
  ...[['agents'], ['messages'], ['post', 'subject', 'text'], ['claim', 'a.ts'], ['claims']],
  ...[['history'], ['db', 'check'], ['mcp', 'coordination']],
]

describe('a post office that came with a repository', () => {
  it('is not read or written by any command, and each says so', async () => {
    const clone = hostileClone()
    const office = join(clone, '.agentmail')
    const before = state(office)
    const env = { AGENTMAIL_AGENT: 'eve', AGENTMAIL_MAIL: 'local', HOME: temporaryFolder() }
    for (const args of commands) {
      const ran = await agentmail(args, { cwd: clone, env })
      const said = ran.stdout + ran.stderr
      expect([args, said, ran.exitCode]).toEqual([args, expect.stringMatching(words), 1])
      expect(said).toMatch(advice)
      expect(said).not.toContain(planted)
    }
    for (const args of coordinating) {
      const { exitCode, ...ran } = await agentmail(args, { cwd: clone, env })
      expect([args, exitCode]).toEqual([args, 0])
      expect(ran.stdout + ran.stderr).not.toMatch(new RegExp(`${planted}|db copy`))
    }
    const hook = await agentmail(['receive', '--hook'], { cwd: clone, env })
    expect(hook).toMatchObject({ stdout: '', stderr: '', exitCode: 0 })
    const onboard = await agentmail(['onboard'], { cwd: clone, env })
    expect(onboard).toMatchObject({ stdout: expect.stringContaining('# AgentMail'), exitCode: 0 })
    const mail = await LineClient.open({ cwd: clone, env, args: ['mcp', 'gmail'] })
    const listed = JSON.stringify(await mail.call('list_emails'))
    expect(listed).toMatch(words)
    expect(listed).not.toContain(planted)
    await mail.finish()
    expect(state(office)).toEqual(before)
    expect(git(clone, 'status', '--porcelain')).toBe('')
  })

  it('is refused from a linked worktree and by AGENTMAIL_DIR, too', async () => {
    const clone = hostileClone()
    const linked = join(temporaryFolder(), 'linked')
    git(clone, 'worktree', 'add', '--quiet', linked)
    const receive = (options: RunOptions) =>
      agentmail(['receive'], { ...options, env: { AGENTMAIL_AGENT: 'eve', ...options.env } })
    expect((await receive({ cwd: linked })).stderr).toMatch(words)
    const AGENTMAIL_DIR = join(clone, '.agentmail')
    expect((await receive({ cwd: temporaryFolder(), env: { AGENTMAIL_DIR } })).stderr).toMatch(
      words,
    )
    // What only the branch of a linked worktree has is in nobody's post office.
    const own = repository()
    const branch = join(temporaryFolder(), 'branch')
    git(own, 'worktree', 'add', '--quiet', branch)
    plant(branch)
    git(branch, 'add', '--force', '.')
    const { stdout, stderr } = await receive({ cwd: branch })
    expect([stdout, stderr]).toEqual(['No unread messages\n', ''])
    expect(existsSync(join(own, '.agentmail'))).toBe(true)
  })

  it('works again when it is taken out of git, for its owner alone', async () => {
    const clone = hostileClone()
    const office = join(clone, '.agentmail')
    git(clone, 'rm', '-r', '--quiet', '--cached', '.agentmail')
    for (const name of ['agentmail.db', 'mailboxes/eve.jsonl']) rmSync(join(office, name))
    const run = (name: string, ...args: string[]) =>
      agentmail(args, { cwd: clone, env: { AGENTMAIL_AGENT: name } })
    expect((await run('eve', 'receive')).stdout).toBe('No unread messages\n')
    expect((await run('ann', 'send', 'eve', 'hello')).stderr).toBe('')
    expect((await run('eve', 'receive')).stdout).toContain('hello')
    expect(openFiles(office)).toEqual([])
    expect(readFileSync(join(office, '.gitignore'), 'utf8')).toBe('*\n')
    git(clone, 'commit', '--quiet', '--message', 'without it')
    git(clone, 'add', '.')
    expect(git(clone, 'status', '--porcelain')).toBe('')
  })

  it('delivers to a server that runs already nothing of a branch that is checked out', async () => {
    const clone = hostileClone()
    git(clone, 'checkout', '--quiet', '--orphan', 'empty')
    git(clone, 'rm', '-rf', '--quiet', '.')
    rmSync(join(clone, '.agentmail'), { recursive: true, force: true })
    git(clone, 'commit', '--quiet', '--allow-empty', '--message', 'empty')
    const client = await LineClient.open({ cwd: clone, env: { AGENTMAIL_AGENT: 'eve' } })
    expect((await client.call('receive')).result).toMatchObject({
      structuredContent: { status: 'No unread messages' },
    })
    git(clone, 'checkout', '--quiet', '--force', '--detach', 'origin/HEAD')
    for (const [name, args] of [
      ['receive', {}],
      ['list-recipients', {}],
      ['send', { recipient: planted, message: 'x' }],
      ['status', { status: 'ready' }],
    ] as const) {
      const answer = await client.call(name, args)
      expect(answer.result).toMatchObject({ isError: true })
      expect(JSON.stringify(answer)).toMatch(words)
      expect(JSON.stringify(answer)).not.toContain(planted)
    }
    await client.finish()
  })
})

/** What others could read, or look into. */
function openFiles(folder: string): string[] {
  const modes: Record<string, number> = { '.': statSync(folder).mode & 0o777 }
  for (const name of readdirSync(folder, { encoding: 'utf8' })) {
    modes[name] = statSync(join(folder, name)).mode & 0o777
  }
  for (const name of readdirSync(join(folder, 'mailboxes'))) {
    modes[`mailboxes/${name}`] = statSync(join(folder, 'mailboxes', name)).mode & 0o777
  }
  return Object.entries(modes)
    .filter(([, mode]) => mode & 0o077)
    .map(([name, mode]) => `${name} ${mode.toString(8)}`)
}

describe('a post office that others could read', () => {
  const ready = async (env: Env = {}) => {
    const root = repository()
    const run = (...args: string[]) =>
      agentmail(args, { cwd: root, env: { AGENTMAIL_AGENT: 'eve', ...env } })
    await run('recipients')
    return { root, run, office: env.AGENTMAIL_DIR ?? join(root, '.agentmail') }
  }

  it('is closed to them on opening, with all that is in it', async () => {
    const { office, run } = await ready()
    writeFileSync(join(office, 'mailboxes/other.jsonl'), '{}\n')
    writeFileSync(join(office, 'agentmail.db'), '')
    for (const name of readdirSync(office, { recursive: true, encoding: 'utf8' })) {
      chmodSync(join(office, name), statSync(join(office, name)).isDirectory() ? 0o755 : 0o644)
    }
    chmodSync(office, 0o755)
    expect((await run('recipients')).exitCode).toBe(0)
    expect(openFiles(office)).toEqual([])
  })

  it('has a single open file closed when that is used', async () => {
    const { office, run } = await ready()
    const box = join(office, 'mailboxes/eve.jsonl')
    writeFileSync(box, '')
    chmodSync(box, 0o666)
    chmodSync(join(office, 'recipients.jsonl'), 0o644)
    await run('receive')
    await run('status', 'work')
    expect(openFiles(office)).toEqual([])
  })

  it.each([
    ['is gone', (file: string) => rmSync(file)],
    ['takes things back', (file: string) => writeFileSync(file, '*\n!mailboxes\n!*\n')],
    ['is empty', (file: string) => writeFileSync(file, '')],
    [
      'is a link',
      (file: string) => {
        rmSync(file)
        symlinkSync('/etc/hosts', file)
      },
    ],
  ])('offers git nothing, though its .gitignore %s', async (_what, change) => {
    const { root, office, run } = await ready()
    change(join(office, '.gitignore'))
    expect((await run('recipients')).exitCode).toBe(0)
    expect(readFileSync(join(office, '.gitignore'), 'utf8')).toBe('*\n')
    expect(git(root, 'status', '--porcelain', '--untracked-files=all')).toBe('')
  })

  it('leaves a folder of other things as it is, where AGENTMAIL_DIR names one', async () => {
    const AGENTMAIL_DIR = temporaryFolder()
    chmodSync(AGENTMAIL_DIR, 0o755)
    for (const name of ['.gitignore', 'program']) {
      writeFileSync(join(AGENTMAIL_DIR, name), 'node_modules\n', { mode: 0o755 })
    }
    const { run } = await ready({ AGENTMAIL_DIR })
    expect((await run('receive')).stdout).toBe('No unread messages\n')
    const modes = ['.', '.gitignore', 'program', 'mailboxes', 'recipients.jsonl'].map((name) =>
      (statSync(join(AGENTMAIL_DIR, name)).mode & 0o777).toString(8),
    )
    expect(modes).toEqual(['755', '755', '755', '700', '600'])
    expect(readFileSync(join(AGENTMAIL_DIR, '.gitignore'), 'utf8')).toBe('node_modules\n')
  })
})

describeWith('tmux', 'the mailman', () => {
  it('does not start on a post office that came with a repository', async () => {
    const session = openSession(['eve'])
    const ran = await session.run(0, ['mailman'], { cwd: hostileClone() })
    expect(ran).toMatchObject({ stdout: '', exitCode: 1 })
    expect(ran.stderr).toMatch(words)
  })
})
