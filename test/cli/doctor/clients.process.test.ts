/** What agentmail doctor, up and ps say of coding clients: set up or not, by which version, and whether what they start and call answers. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { askProgram } from '../../../src/cli/doctor/ask-program.ts'
import { advised, DoctorMachine, said, wrongIn } from '../../support/cli/doctor-machine.ts'
import { clients, programOf } from '../../support/clients/clients.ts'
import { listening } from '../../support/listening.ts'
import { describeWith, pathOf } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'

const title = 'Claude Code'

describe('a client', () => {
  it('that is found and not set up is no problem', async () => {
    const machine = await DoctorMachine.open()
    mkdirSync(machine.at('.claude'))
    const report = await machine.doctor()
    expect(wrongIn(report)).toEqual([])
    expect(said(report, title)).toEqual(['off: is not set up'])
    expect(advised(report, title)).toContain('agentmail setup claude')
    expect(said(report, 'Codex')).toEqual([])
  })

  it('that was set up by another version is brought up to date by setup', async () => {
    const machine = await DoctorMachine.open()
    await machine.up()
    await machine.ok(['setup', 'claude', '--yes'])
    const settings = machine.read('.claude/settings.json')
    machine.put('.claude/settings.json', settings.replaceAll('"timeout": 1\n', '"timeout": 2\n'))
    const report = await machine.doctor()
    expect(said(report, title)).toEqual(['warn: hooks of another version'])
    expect(advised(report, title)).toBe('agentmail setup claude mends it.')
    await machine.ok(['setup', 'claude', '--yes'])
    expect(wrongIn(await machine.doctor())).toEqual([])
  })

  it('that has the plugin is not said to be set up in a repository in which nothing is', async () => {
    const machine = await DoctorMachine.open()
    const plugins = { enabledPlugins: { 'agentmail@agentmail': true } }
    machine.put('.claude/settings.json', JSON.stringify(plugins))
    machine.put('.codex/config.toml', '[plugins."agentmail@agentmail"]\nenabled = true\n')
    await machine.up()
    await machine.ok(['setup', 'claude', 'codex', '--yes'])
    const report = await machine.doctor()
    for (const client of [title, 'Codex']) {
      const lines = said(report, client)
      expect(lines).toContainEqual(expect.stringMatching(/^ok: /))
      expect(lines.join('\n')).not.toContain('repository')
    }
    expect(machine.files().filter((file) => /^shop\/.*\.json$/.test(file))).toEqual([])
  })

  it('without hooks is told of, and is no problem', async () => {
    const machine = await DoctorMachine.open()
    await machine.up()
    await machine.ok(['setup', 'claude', '--no-hooks', '--yes'])
    const report = await machine.doctor()
    expect(wrongIn(report)).toEqual([])
    expect(said(report, title)).toEqual([
      'off: server, permission set up, and answering; without hooks',
    ])
  })

  it('with a broken file, or another server of our name, is told of by the file', async () => {
    const machine = await DoctorMachine.open()
    const path = machine.put('.claude.json', '{"mcpServers": {,}}')
    const [broken = ''] = said(await machine.doctor(), title)
    expect(broken).toMatch(/^problem: .*\.claude\.json: /)
    machine.put('.claude.json', '{"mcpServers": {"agentmail": {"command": "other"}}}')
    expect(said(await machine.doctor(), title)).toEqual([
      `problem: ${path}: it has a server called agentmail that does not start AgentMail`,
    ])
  })
})

describe('the hooks of a client', () => {
  it('are a problem where nobody listens, and the next step is the server', async () => {
    const machine = await DoctorMachine.open()
    await machine.ok(['setup', 'claude', '--yes'])
    const report = await machine.doctor()
    const url = `http://127.0.0.1:${machine.port}`
    expect(said(report, title)).toEqual([
      `problem: nobody listens at ${url}, which its hooks call`,
      'ok: server, hooks, permission set up',
    ])
    expect(advised(report, title)).toContain('agentmail up')
    await machine.up()
    expect(wrongIn(await machine.doctor())).toEqual([])
  })

  it('are a problem where another program or another AgentMail listens', async () => {
    const machine = await DoctorMachine.open()
    const asked: string[] = []
    const other = createServer((request, response) => {
      asked.push(`${request.method} ${request.headers.authorization}`)
      response.end('{}')
    })
    const [, port = ''] = (await listening(other)).split(':')
    const env = { AGENTMAIL_PORT: port, AGENTMAIL_TOKEN: 'the-secret-token' }
    await machine.ok(['setup', 'claude', '--yes'], env)
    expect(said(await machine.doctor(env), title)[0]).toMatch(/^problem: another program listens/)
    expect(new Set(asked)).toEqual(new Set(['GET undefined']))
    const server = await TestServer.start()
    const theirs = { AGENTMAIL_PORT: new URL(server.url).port }
    await machine.ok(['setup', 'claude', '--yes'], theirs)
    expect(said(await machine.doctor(theirs), title)[0]).toMatch(/^problem: .*has another database/)
  })

  it('are a problem where the server is at another port', async () => {
    const machine = await DoctorMachine.open()
    await machine.ok(['setup', 'claude', '--yes'], { AGENTMAIL_PORT: '9' })
    await machine.up()
    const report = await machine.doctor({ AGENTMAIL_PORT: '9' })
    expect(said(report, title)[0]).toMatch(/^problem: nobody listens at http:\/\/127.0.0.1:9,/)
    expect(advised(report, title)).toContain(`agentmail config set port ${machine.port}`)
    expect(said(await machine.doctor(), title)).toContain('warn: hooks of another version')
  })
})

describe('the server that a client starts', () => {
  it('is a problem where it ends, hangs or is gone', async () => {
    const machine = await DoctorMachine.open()
    await machine.up()
    const program = machine.at('elsewhere/agentmail')
    const entry = { type: 'stdio', command: program, args: ['mcp', 'coordination'] }
    machine.put('.claude.json', JSON.stringify({ mcpServers: { agentmail: entry } }))
    const words = async () => said(await machine.doctor(), title)[0]
    expect(await words()).toMatch(/^problem: .*elsewhere\/agentmail mcp coordination: .*ENOENT/)
    machine.put('elsewhere/agentmail', '#!/bin/sh\necho no library >&2\nexit 1\n', 0o755)
    expect(await words()).toMatch(/^problem: .*: no library$/)
    machine.put('elsewhere/agentmail', '#!/bin/sh\nexec sleep 60\n', 0o755)
    expect(await words()).toMatch(/^problem: .*did not answer within/)
  })

  it('is started only where it is ours: a repository may name anything', async () => {
    const machine = await DoctorMachine.open()
    await machine.up()
    const mark = machine.at('started')
    machine.put('shop/agentmail', `#!/bin/sh\ntouch ${mark}\n`, 0o755)
    const hostile = [
      { command: './agentmail', args: ['mcp', 'coordination'] },
      { command: machine.at('shop/agentmail'), args: ['mcp', 'coordination'] },
      { command: 'agentmail', args: ['mcp', 'coordination', '--db', mark] },
      {
        command: 'agentmail',
        args: ['mcp', 'coordination'],
        env: { NODE_OPTIONS: `--require ${machine.at('shop/evil.cjs')}` },
      },
    ]
    machine.put('shop/evil.cjs', `require('fs').writeFileSync(${JSON.stringify(mark)}, '')`)
    for (const entry of hostile) {
      machine.put('shop/.mcp.json', JSON.stringify({ mcpServers: { agentmail: entry } }))
      await machine.doctor()
      expect(existsSync(mark)).toBe(false)
    }
    // Control: in the user's own file it is started.
    const [, own] = hostile
    machine.put('.claude.json', JSON.stringify({ mcpServers: { agentmail: own } }))
    await machine.doctor()
    expect(existsSync(mark)).toBe(true)
  })

  it('makes no database to look at, and no project', async () => {
    const machine = await DoctorMachine.open()
    await machine.ok(['setup', 'gemini', '--yes'])
    expect(said(await machine.doctor(), 'Gemini CLI')).toEqual(['ok: server, hooks set up'])
    expect(existsSync(machine.at('.local/share/agentmail/agentmail.db'))).toBe(false)
    await machine.ok(['post', 'hello', 'x', '--as', 'ann', '--project', 'one'])
    const projects = async () => (await machine.run(['projects', '--json'])).stdout
    const before = await projects()
    expect(said(await machine.doctor(), 'Gemini CLI')).toEqual([
      'ok: server, hooks set up, and answering',
    ])
    expect(await projects()).toBe(before)
  })

  it('is asked over HTTP where it is called so', async () => {
    const machine = await DoctorMachine.open()
    const server = await TestServer.start()
    await machine.ok(['setup', 'gemini', '--server', server.url, '--yes'])
    expect(said(await machine.doctor(), 'Gemini CLI')).toEqual([
      'ok: server, hooks set up, and answering',
    ])
    await server.stop()
    expect(said(await machine.doctor(), 'Gemini CLI')[0]).toBe(
      `problem: AgentMail does not answer at ${server.url}`,
    )
  })
})

describe('up and ps', () => {
  it('say of each client what is set up, and the next step', async () => {
    const machine = await DoctorMachine.open()
    mkdirSync(machine.at('.claude'))
    const clientsIn = async () => JSON.parse((await machine.run(['ps', '--json'])).stdout).clients
    const client = 'claude'
    const next = 'agentmail setup claude'
    expect(await clientsIn()).toEqual([{ client, state: 'not set up', next }])
    expect((await machine.run(['ps'])).stdout).toMatch(
      /^claude {5}not set up: agentmail setup claude$/m,
    )
    await machine.ok(['setup', 'claude', '--scope', 'project', '--yes'])
    expect(await clientsIn()).toEqual([{ client, state: 'set up', next: null }])
    await machine.ok(['setup', '--undo', '--yes'])
    await machine.ok(['setup', 'claude', '--no-hooks', '--yes'])
    expect(await clientsIn()).toEqual([{ client, state: 'set up without hooks', next }])
    machine.put('.claude.json', '{')
    expect(await clientsIn()).toEqual([
      { client, state: expect.stringContaining('.claude.json'), next: null },
    ])
  })
})

const codex = clients.filter(({ name }) => name === 'codex').map(programOf)

describeWith(codex, 'the hooks of Codex', () => {
  it('are a problem until its user has trusted them', async () => {
    const machine = await DoctorMachine.open()
    const program = pathOf(codex[0] ?? '')
    const hooks = machine.at('.codex/hooks.json')
    const config = () => machine.read('.codex/config.toml')
    await machine.ok(['setup', 'codex', '--yes'])
    const trusted = 'ok: server, hooks set up'
    const words = async () => said(await machine.doctor(), 'Codex')
    const untrusted = 'problem: its hooks do not run, since you have not trusted them'
    expect(await words()).toEqual([untrusted, trusted])
    const state = (key: string, hash: string) =>
      `\n[hooks.state."${key}"]\ntrusted_hash = "${hash}"\n`
    const plain = config()
    machine.put('.codex/config.toml', plain + state(`${hooks}:stop:0:0`, 'sha256:0'))
    expect(await words()).toEqual([
      'warn: whether you have trusted its hooks cannot be seen',
      trusted,
    ])
    symlinkSync(program, machine.at('bin/codex'))
    expect(await words()).toEqual([untrusted, trusted])
    const listed = await askProgram(
      {
        command: [program, 'app-server'],
        env: { HOME: machine.home, PATH: machine.env.PATH ?? '' },
        cwd: machine.repository,
      },
      [
        { id: 1, method: 'initialize', params: { clientInfo: { name: 't', version: '1' } } },
        { method: 'initialized' },
        { id: 2, method: 'hooks/list', params: { cwds: [machine.repository] } },
      ],
      20_000,
    )
    const found = [
      ...JSON.stringify(listed.result).matchAll(/"key":"([^"]+)".*?"currentHash":"([^"]+)"/g),
    ]
    expect(found.length).toBeGreaterThan(5)
    const all = found.map(([, key = '', hash = '']) => state(key, hash)).join('')
    writeFileSync(join(machine.home, '.codex/config.toml'), plain + all)
    expect(await words()).toEqual([trusted])
  })
})
