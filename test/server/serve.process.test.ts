/** agentmail serve: what it says when it starts, why it does not start, and what people see of it. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { Coordination } from '../../src/coordination/coordination.ts'
import { HttpServer } from '../../src/server/http-server.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { type Env, ended, start } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { repository } from '../support/mailbox/tmux.ts'
import { ask } from '../support/server/http.ts'
import { sharedServer, TestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('at the start', () => {
  /** Starts it as people do, and gives what it says until it is ready. */
  async function said(args: string[], env: Env = {}, cwd = temporaryFolder()): Promise<string> {
    const child = start(['serve', '--port', '0', ...args], { env, cwd })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    const over = ended(child)
    await eventually('it is ready', () => text.includes('Ctrl-C stops it.\n'))
    child.kill('SIGTERM')
    expect(await over).toMatchObject({ exitCode: 0 })
    return text
  }

  it('says where it is, where its database is, and how to connect each client', async () => {
    const db = join(temporaryFolder(), 'mail.db')
    const text = await said(['--db', db])
    const url = /^AgentMail \d+\.\d+\.\d+\S* serves (http:\/\/127\.0\.0\.1:\d+)\/ /.exec(text)?.[1]
    expect(url).toBeDefined()
    expect(text).toContain(`Database: SQLite 3.`)
    expect(text).toContain(db)
    const lines = [
      ...[`claude mcp add --transport http agentmail ${url}/mcp`],
      ...[`codex mcp add agentmail --url ${url}/mcp`],
      ...[`gemini mcp add --transport http agentmail ${url}/mcp`],
      ...[`"url": "${url}/mcp"`, `SSE at ${url}/sse`],
    ]
    for (const line of lines) expect(text).toContain(line)
    for (const client of ['Claude Code', 'Codex', 'Gemini CLI', 'Cursor', 'VS Code'])
      expect(text).toMatch(new RegExp(`^ {2}${client} `, 'm'))
  })

  it('names the token and does not tell it', async () => {
    const text = await said(['--db', 'mail.db'], { AGENTMAIL_TOKEN: 'very-secret' })
    expect(text).toContain('--header "Authorization: Bearer $AGENTMAIL_TOKEN"')
    expect(text).toContain('--bearer-token-env-var AGENTMAIL_TOKEN')
    expect(text).not.toContain('very-secret')
  })

  it('says so in one line of JSON with --json, and is there', async () => {
    const server = await TestServer.start()
    const { stdout } = await eventually('it answers', async () => {
      const { status } = await ask(server.url, { path: '/health' })
      return status === 200 && server.stop()
    })
    expect(stdout.split('\n')).toHaveLength(2)
    expect(JSON.parse(stdout)).toMatchObject({
      event: 'started',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      database: server.database,
      pid: server.child.pid,
    })
  })

  it('takes the database of the repository, which only its owner may read', async () => {
    const cwd = repository()
    const text = await said([], {}, cwd)
    const file = join(cwd, '.agentmail/agentmail.db')
    expect(text).toContain('.agentmail/agentmail.db')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(cwd, '.agentmail/.gitignore'), 'utf8')).toContain('*')
  })

  it('leaves a note beside the database for as long as it runs, which only its owner may read', async () => {
    const server = await TestServer.start()
    const note = `${server.database}.server`
    expect(JSON.parse(readFileSync(note, 'utf8'))).toMatchObject({ url: server.url })
    expect(statSync(note).mode & 0o777).toBe(0o600)
    await server.stop()
    expect(existsSync(note)).toBe(false)
  })
})

describe('it does not start, and says what to do, when', () => {
  /** Expects a refusal: nothing on stdout, the reason, and a next step. */
  async function refused(
    exitCode: number,
    args: string[],
    words: RegExp,
    next: RegExp,
    env: Env = {},
  ) {
    const child = start(['serve', ...args], { cwd: temporaryFolder(), env })
    onTestFinished(() => {
      child.kill('SIGKILL') // where it has started after all
    })
    const ran = await ended(child)
    const label = `${args.join(' ')} ${JSON.stringify(env)}`
    expect({ label, stdout: ran.stdout, exitCode: ran.exitCode }).toEqual({
      label,
      stdout: '',
      exitCode,
    })
    const [reason = '', step = ''] = ran.stderr.split('\n')
    expect(reason, label).toMatch(/^error: /)
    expect(reason, label).toMatch(words)
    expect(step, label).toMatch(next)
    expect(ran.stderr, label).not.toMatch(/\n\s+at |should not have happened/)
  }
  const free = ['--port', '0', '--db', 'mail.db']

  it('its port is in use (exit 3)', async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      holder.close()
    })
    const address = holder.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const next = new RegExp(`http://127\\.0\\.0\\.1:${port}/health.*--port`)
    await refused(
      3,
      ['--db', 'mail.db', '--port', port],
      /port \d+ on 127\.0\.0\.1 is in use/,
      next,
    )
    await refused(3, ['--db', 'mail.db'], /is in use/, next, { AGENTMAIL_PORT: port })
  })

  it.each(['delete', 'wal'])('its database is locked, in %s mode (exit 4)', async (mode) => {
    const file = join(temporaryFolder(), 'locked.db')
    const holder = new DatabaseSync(file)
    onTestFinished(() => holder.close())
    holder.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (a); BEGIN EXCLUSIVE`)
    const words = /the database is locked by another process: .*locked\.db/
    await refused(4, ['--port', '0', '--db', file], words, /Wait for that process or end it.*--db/)
  })

  it('its database cannot be opened (exit 5)', async () => {
    const folder = temporaryFolder()
    const file = (name: string) => join(folder, name)
    writeFileSync(file('text.db'), 'This is a letter, not a database.\n'.repeat(100))
    writeFileSync(file('torn.db'), 'SQLite format 3\0'.padEnd(4096, 'x'))
    mkdirSync(file('folder.db'))
    const other = new DatabaseSync(file('other.db'))
    other.exec('CREATE TABLE messages (a)')
    other.close()
    const cases: [path: string, words: RegExp][] = [
      [file('text.db'), /file is not a database/],
      [file('torn.db'), /database/],
      [file('folder.db'), /no plain file/],
      [file('other.db'), /could not be opened/], // another program's tables
      [file('none/mail.db'), /its folder does not exist/],
      [file('text.db/mail.db'), /could not be opened/],
    ]
    const next =
      /(?:Check the file and its permissions, or name another database|a database of its own) with --db/
    await Promise.all(
      cases.map(([path, words]) => refused(5, ['--port', '0', '--db', path], words, next)),
    )
  })

  it.skipIf(process.getuid?.() === 0)('it may not write its database (exit 5)', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'mail.db'), '')
    chmodSync(join(folder, 'mail.db'), 0o400)
    const args = ['--port', '0', '--db', join(folder, 'mail.db')]
    await refused(5, args, /could not be opened/, /permissions/)
  })

  it('a setting is wrong (exit 2)', async () => {
    const correct = /Correct /
    const db = ['--db', 'mail.db']
    const ports = ['65536', '-1', '1.5', 'http', '']
    const seconds = ['0', '-1', 'soon', '1e9']
    await Promise.all([
      ...ports.map((port) => refused(2, [...db, '--port', port], /port/, correct)),
      refused(2, db, /AGENTMAIL_PORT/, correct, { AGENTMAIL_PORT: 'x' }),
      ...seconds.map((value) =>
        refused(2, free, /AGENTMAIL_STALE_SECONDS/, correct, { AGENTMAIL_STALE_SECONDS: value }),
      ),
      refused(2, free, /AGENTMAIL_SWEEP_SECONDS/, correct, { AGENTMAIL_SWEEP_SECONDS: '0' }),
      refused(2, free, /AGENTMAIL_RATE_LIMIT/, correct, { AGENTMAIL_RATE_LIMIT: 'none' }),
    ])
  })

  it('its address is not one of this machine (exit 2)', async () => {
    const env = { AGENTMAIL_TOKEN: 'very-secret' }
    const words = /cannot listen on \S+ port 0 \(E[A-Z]+\)/
    for (const host of ['192.0.2.123', 'name.invalid'])
      await refused(2, [...free, '--host', host], words, /Choose an address of this machine/, env)
  })

  it('its address is empty, rather than to listen everywhere (exit 2, or on this machine)', async () => {
    const env = { AGENTMAIL_TOKEN: 'very-secret' }
    const child = start(['serve', '--json', ...free, '--host', ''], { cwd: temporaryFolder(), env })
    onTestFinished(() => {
      child.kill('SIGKILL')
    })
    const started = new Promise((resolve) =>
      child.stdout.once('data', (line) => resolve(`${line}`)),
    )
    const outcome = await Promise.race([started, ended(child).then(({ exitCode }) => exitCode)])
    if (outcome !== 2) expect(outcome).toContain('"url":"http://127.0.0.1:')
  })

  it('it is to listen beyond this machine without a token (exit 2)', async () => {
    const words = /refusing to listen on 0\.0\.0\.0 without a token/
    await refused(2, [...free, '--host', '0.0.0.0'], words, /Set AGENTMAIL_TOKEN/)
  })

  it('its database is of a kind that it does not know, and no password is told (exit 2)', async () => {
    const db = 'postgres://root:hunter2@127.0.0.1:3306/mail'
    const words = /^((?!hunter2).)*postgres:\/\/((?!hunter2).)*$/
    await refused(2, ['--port', '0', '--db', db], words, /Give the path of a file/)
    await refused(2, ['--port', '0'], words, /Give the path of a file/, { AGENTMAIL_DB: db })
  })

  it('there is no repository and no database is named (exit 1)', async () => {
    await refused(1, ['--port', '0'], /not in a git repository/, /--db <file>/)
  })
})

describe('for people', () => {
  const server = sharedServer()

  it('/health tells how it is, and nothing of whom it serves', async () => {
    const { status, headers, text } = await ask(server().url, { path: '/health' })
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    const schema = z.strictObject({
      status: z.literal('ok'),
      version: z.string().regex(/^\d+\.\d+\.\d+/),
      database: z.string().regex(/^SQLite 3\./),
      uptime_seconds: z.int().min(0),
      stale_seconds: z.literal(120),
      instance: z.uuid(),
    })
    expect(schema.safeParse(JSON.parse(text)).error).toBeUndefined()
  })

  it('/health counts from the moment at which it listens', async () => {
    await eventually('this process is old enough to tell', () => process.uptime() >= 3)
    const store = await openSqlite(join(temporaryFolder(), 'mail.db'))
    const coordination = await Coordination.open({ store, staleMs: 120_000 })
    const began = performance.now()
    const young = await HttpServer.start({
      coordination,
      ...{ host: '127.0.0.1', port: 0, token: undefined, allowedHosts: [] },
      ...{ requestsPerMinute: 10, instance: 'young', staleSeconds: 120 },
    })
    onTestFinished(async () => {
      await young.stop()
      await coordination.close()
    })
    const { text } = await ask(young.url, { path: '/health' })
    const { uptime_seconds } = z.object({ uptime_seconds: z.int() }).parse(JSON.parse(text))
    expect(uptime_seconds).toBeLessThanOrEqual((performance.now() - began) / 1000)
  })

  it('/ is a page in which what agents wrote is text', async () => {
    const hostile = [
      ...['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'onmouseover='x"],
      ...['</td></table><h1>x', '<!--', '&lt;b&gt;', '<meta http-equiv="refresh" content="0">'],
      ...['{{7*7}}', 'javascript:alert(1)', '<svg/onload=alert(1)>', '</style><style>*{}'],
    ]
    for (const text of hostile) await server().register(text, text)
    for (const text of hostile.filter((one) => !one.includes('/')))
      await server().register(text, text, text)
    const { text: page } = await ask(server().url, { path: '/' })
    const tags = new Set(
      [...page.matchAll(/<\/?([a-z0-9!-]+)/gi)].map(([, tag = '']) => tag.toLowerCase()),
    )
    const known = [
      '!doctype',
      'html',
      'head',
      'meta',
      'title',
      'style',
      'body',
      'h1',
      'h2',
      'h3',
      'p',
    ]
    const inTables = [
      'table',
      'thead',
      'tbody',
      'tr',
      'th',
      'td',
      'dl',
      'dt',
      'dd',
      'code',
      'footer',
      'a',
    ]
    expect([...tags].filter((tag) => ![...known, ...inTables].includes(tag))).toEqual([])
    expect(page.match(/<h1/g)).toHaveLength(1)
    expect(page.match(/<meta http-equiv/g)).toHaveLength(1)
    expect(page.match(/<\/style>/g)).toHaveLength(1)
    expect(page).not.toMatch(/<[^>]*\son\w+\s*=/i)
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(page).toContain('&amp;lt;b&amp;gt;')
  })

  it('/ runs no script, loads nothing, and stands in no frame', async () => {
    const { headers, text } = await ask(server().url, { path: '/' })
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = new Map(
      String(headers['content-security-policy'])
        .split(';')
        .map((rule) => rule.trim().split(' '))
        .map(([name = '', ...sources]) => [name, sources.join(' ')]),
    )
    for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors'])
      expect({ name, sources: policy.get(name) }).toEqual({ name, sources: "'none'" })
    expect([...policy.keys()].filter((name) => /script|connect|img|font/.test(name))).toEqual([])
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    expect(text).not.toMatch(/<script|<link|<iframe|<[^>]*\ssrc=|@import|url\(/i)
    expect([...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(['/health'])
  })
})
