/** `agentmail serve` from start to stop: what it prints, what it refuses, and how it ends. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agentmail, ended, eventually, start, temporaryFolder } from './support/agentmail.ts'
import { callTool, TestServer } from './support/server.ts'
import { repository } from './support/tmux.ts'

describe('its start', () => {
  it('tells the address, the database and a line for each client', async () => {
    const cwd = repository()
    const child = start(['serve', '--port', '0'], { cwd })
    const over = ended(child)
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    const url = await eventually('the last line', () =>
      text.includes('Ctrl-C') ? /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] : undefined,
    )
    child.kill('SIGINT')
    expect((await over).exitCode).toBe(0)
    expect(text).toMatch(/^Database: SQLite 3\.\d+\.\d+, .*\/\.agentmail\/agentmail\.db$/m)
    for (const client of ['Claude Code', 'Codex', 'Gemini CLI', 'Cursor', 'VS Code']) {
      expect(text).toMatch(new RegExp(`^ {2}${client} +.*${url}/mcp`, 'm'))
    }
    expect(text).toContain(`SSE at ${url}/sse`)
  })

  it('never shows its token', async () => {
    const env = { AGENTMAIL_TOKEN: 'open sesame' }
    const child = start(['serve', '--port', '0'], { cwd: repository(), env })
    const over = ended(child)
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    await eventually('the last line', () => text.includes('Ctrl-C'))
    child.kill('SIGTERM')
    const { stdout, stderr } = await over
    expect(stdout + stderr).not.toContain('sesame')
    expect(stdout).toContain('$AGENTMAIL_TOKEN')
  })

  it('is refused beside a server on the same port, with exit code 3', async () => {
    const server = await TestServer.start()
    const port = new URL(server.url).port
    const second = await agentmail(['serve', '--port', port], { cwd: repository() })
    expect(second).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^error: port \d+ on 127\.0\.0\.1 is in use\n.*--port/),
      exitCode: 3,
    })
  })

  it('works beside a server on the same database', async () => {
    const first = await TestServer.start()
    const second = await TestServer.start({ db: first.database })
    const agent_id = await first.register('a')
    expect(await second.call('heartbeat', { agent_id })).toMatchObject({ text: '{"ok":true}' })
  })

  it('is refused on a locked database, with exit code 4', async () => {
    const db = join(temporaryFolder(), 'locked.db')
    const holder = new DatabaseSync(db)
    onTestFinished(() => holder.close())
    holder.exec('CREATE TABLE t (a); BEGIN EXCLUSIVE')
    const refused = await agentmail(['serve', '--port', '0', '--db', db])
    expect(refused).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(
        /^error: the database is locked by another process: .*\n.*--db/,
      ),
      exitCode: 4,
    })
  })

  const unreadable: [name: string, make: (folder: string) => string][] = [
    [
      'a file that is no database',
      (folder) => {
        writeFileSync(join(folder, 'x.db'), 'Dear diary, '.repeat(100))
        return join(folder, 'x.db')
      },
    ],
    ['a folder that is missing', (folder) => join(folder, 'missing/x.db')],
    [
      'a folder in its place',
      (folder) => {
        mkdirSync(join(folder, 'x.db'))
        return join(folder, 'x.db')
      },
    ],
    [
      "another program's tables",
      (folder) => {
        const other = new DatabaseSync(join(folder, 'x.db'))
        other.exec('CREATE TABLE messages (a)')
        other.close()
        return join(folder, 'x.db')
      },
    ],
  ]
  it.each(unreadable)('is refused on %s, with exit code 5', async (_, make) => {
    const refused = await agentmail(['serve', '--port', '0', '--db', make(temporaryFolder())])
    expect(refused).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^error: the database could not be opened: .*\n.*--db/),
      exitCode: 5,
    })
  })

  it.each([
    ['a port that is none', ['--port', 'http'], {}],
    ['a port that is too high', ['--port', '65536'], {}],
    ['a stale time of nothing', [], { AGENTMAIL_STALE_SECONDS: '0' }],
    ['a sweep that is no number', [], { AGENTMAIL_SWEEP_SECONDS: 'often' }],
    ['an address of another machine', ['--host', '192.0.2.1'], { AGENTMAIL_TOKEN: 't' }],
    ['every address without a token', ['--host', '0.0.0.0'], {}],
    ['every IPv6 address without a token', ['--host', '::'], {}],
    ['every address with an empty token', ['--host', '0.0.0.0'], { AGENTMAIL_TOKEN: ' ' }],
    ['a kind of database it does not know', ['--db', 'oracle://u:sesame@h/d'], {}],
  ])('is refused with %s, with exit code 2', async (_, args, env) => {
    const cwd = repository()
    const { stdout, stderr, exitCode } = await agentmail(['serve', '--port', '0', ...args], {
      cwd,
      env,
    })
    expect([stdout, exitCode]).toEqual(['', 2])
    expect(stderr).toMatch(/^error: .+\n[A-Z].+\n$/)
    expect(stderr).not.toContain('sesame')
  })

  it('is refused outside a repository, with words on what to do', async () => {
    const refused = await agentmail(['serve', '--port', '0'], { cwd: temporaryFolder() })
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^error: not in a git repository\n.*--db/)
  })
})

describe('SIGTERM', () => {
  it('answers whoever waits, over HTTP and SSE, and ends with 0', async () => {
    const server = await TestServer.start()
    const agent_id = await server.register('a')
    const clients = await Promise.all([
      server.connect('http', 'legacy'),
      server.connect('http', 'modern'),
      server.connect('sse'),
    ])
    const call = { name: 'read_messages', arguments: { agent_id, after_id: 0, wait_seconds: 50 } }
    const waiting = clients.map((client) => client.callTool(call))
    await idleConnection(server.url)
    await new Promise((resolve) => setTimeout(resolve, 500)) // for the calls to arrive
    expect(await server.stop()).toMatchObject({ exitCode: 0, signal: null })
    for (const answer of await Promise.all(waiting)) {
      expect(answer.structuredContent).toEqual({ messages: [], has_more: false })
    }
    expect(existsSync(`${server.database}.server`)).toBe(false)
  })

  it('loses nothing that was acknowledged on the way', async () => {
    const server = await TestServer.start()
    const agent_id = await server.register('a')
    const acknowledged: unknown[] = []
    const sending = Array.from({ length: 8 }, async (_, sender) => {
      for (let count = 0; ; count++) {
        const subject = `${sender}-${count}`
        await callTool(server.url, 'send_message', { agent_id, subject, body: 'b' })
        acknowledged.push(subject)
      }
    })
    const over = Promise.allSettled(sending)
    await eventually('some messages', () => acknowledged.length > 50)
    expect(await server.stop()).toMatchObject({ exitCode: 0 })
    await over
    const database = new DatabaseSync(server.database, { readOnly: true })
    onTestFinished(() => database.close())
    const stored = database.prepare('SELECT subject FROM messages').all()
    const subjects = new Set(stored.map((row) => row.subject))
    expect(acknowledged.filter((subject) => !subjects.has(subject))).toEqual([])
  })
})

describe('the page at /', () => {
  it('shows who is connected, and runs nothing of what they wrote', async () => {
    const server = await TestServer.start()
    await server.register('<script>alert(1)</script>', '"><img src=x onerror=alert(1)>')
    await server.register('elsewhere', 'coder', 'project <b>')
    const response = await fetch(server.url)
    const html = await response.text()
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none';/)
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(html).toContain('elsewhere')
    expect(html).not.toMatch(/<script|<img|<b>/)
  })
})

it('tells its health without a token', async () => {
  const server = await TestServer.start({ env: { AGENTMAIL_TOKEN: 't' } })
  const response = await fetch(`${server.url}/health`)
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ status: 'ok', version: expect.any(String) })
})

/** A connection that a client keeps for its next request. */
function idleConnection(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  return new Promise((resolve, reject) => {
    get(`${url}/health`, { agent }, (response) => {
      response.resume()
      response.on('end', resolve)
    }).on('error', reject)
  })
}
