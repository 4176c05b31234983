/** agentmail serve: what it says when it starts, why it does not start, and what people see of it. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { Config } from '../../src/config.ts'
import { addressBookOf } from '../../src/connection/address-book-of.ts'
import { Coordination } from '../../src/coordination/coordination.ts'
import { HookAnswering } from '../../src/hooks/answering.ts'
import { HttpServer } from '../../src/server/http-server.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { agentmail, type Env, ended, start } from '../support/agentmail.ts'
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
      ...[`claude mcp add agentmail -- agentmail mcp coordination --db ${db}\n`],
      ...[`claude mcp add --transport http agentmail ${url}/mcp/default\n`],
      ...[`codex mcp add agentmail --url ${url}/mcp/default\n`],
      ...[`gemini mcp add --transport http agentmail ${url}/mcp/default\n`],
      ...[`"url": "${url}/mcp/default"`, `SSE at ${url}/sse/default\n`, 'loses its files'],
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

  it('serves the project that --project names where the address names none', async () => {
    const server = await TestServer.start({ cwd: repository(), args: ['--project', 'shop'] })
    const agent_id = await server.register('ann')
    await server.call('send_message', { agent_id, subject: 'hello', body: 'there' })
    const read = await server.call('read_messages', { agent_id }, 'shop')
    expect(read.text).toContain('hello')
    const health = await fetch(`${server.url}/health`)
    expect(await health.json()).toMatchObject({ projects: ['shop'] })
    const text = await said(['--db', 'mail.db', '--project', 'shop'])
    expect(text).toContain('\nProject: shop\n')
    expect(text).toMatch(/claude mcp add agentmail -- agentmail mcp .* --project shop\n/)
    const wrong = await agentmail(['serve', '--project', 'a/b'])
    expect(wrong).toMatchObject({ stdout: '', exitCode: 2 })
    expect(wrong.stderr).toMatch(/^error: the project must be a name/)
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

  it('takes the database of the user, which only its owner may read, and writes nothing into the repository', async () => {
    const [cwd, data] = [repository(), temporaryFolder()]
    const text = await said([], { XDG_DATA_HOME: data }, cwd)
    const file = join(data, 'agentmail/agentmail.db')
    expect(text).toContain(file)
    expect(text).toContain('claude mcp add agentmail -- agentmail mcp coordination\n')
    expect(text).toContain(`/mcp/${basename(cwd)}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(data, 'agentmail')).mode & 0o777).toBe(0o700)
    expect(readdirSync(cwd)).toEqual(['.git'])
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

describe('for people', () => {
  const server = sharedServer()

  it('/health tells how it is, and which database and projects it serves', async () => {
    const { status, headers, text } = await ask(server().url, { path: '/health' })
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    const schema = z.strictObject({
      status: z.literal('ok'),
      version: z.string().regex(/^\d+\.\d+\.\d+/),
      engine: z.string().regex(/^SQLite 3\./),
      database: z.literal(server().database),
      projects: z.array(z.string()),
      database_proof: z.string().regex(/^[\da-f]{64}$/),
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
      config: new Config(),
      coordination,
      book: addressBookOf(new Config(), coordination, () => false),
      hooks: new HookAnswering({ config: new Config(), coordination, hookMs: 300 }),
      ...{ host: '127.0.0.1', port: 0, token: undefined, allowedHosts: [] },
      ...{ own: { key: 'own', name: 'own' }, database: 'a test', place: () => [] },
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

  it('/ is a page that brings no text of agents along: what it shows of them, it asks for as data', async () => {
    const before = await ask(server().url, { path: '/' })
    await server().register('<script>alert(1)</script>', '"><img src=x onerror=alert(1)>')
    expect((await ask(server().url, { path: '/' })).text).toBe(before.text)
    const { headers } = await ask(server().url, { path: '/api/page' })
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
    })
  })

  it('/ runs and loads what this server has alone, and stands in no frame', async () => {
    const { headers, text } = await ask(server().url, { path: '/' })
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const policy = new Map(
      String(headers['content-security-policy'])
        .split(';')
        .map((rule) => rule.trim().split(' '))
        .map(([name = '', ...sources]) => [name, sources.join(' ')]),
    )
    for (const name of ['default-src', 'base-uri', 'frame-ancestors'])
      expect({ name, sources: policy.get(name) }).toEqual({ name, sources: "'none'" })
    for (const name of ['script-src', 'style-src', 'connect-src', 'form-action'])
      expect({ name, sources: policy.get(name) }).toEqual({ name, sources: "'self'" })
    expect(policy.get('img-src')).toBe("'self' data:")
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-cache',
    })
    expect(text).not.toMatch(/<style|<iframe|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=/i)
    const loaded = [...text.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, address]) => address)
    expect(loaded.sort()).toEqual(['/page.css', '/page.js', 'data:,'])
  })
})
