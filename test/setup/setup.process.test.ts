/** agentmail setup as it is called. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { agentmail, binary, type Ran } from '../support/agentmail.ts'
import { clients, commandOf, programOf } from '../support/clients/clients.ts'
import { eventually } from '../support/eventually.ts'
import { openSession } from '../support/mailbox/tmux.ts'
import { describeWith, pathOf } from '../support/parts.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

class Machine {
  readonly home = temporaryFolder()
  readonly repository = join(this.home, 'shop')
  readonly path = [join(this.home, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':')

  constructor() {
    for (const folder of ['bin', 'shop']) mkdirSync(join(this.home, folder))
    execFileSync('git', ['init', '--quiet', this.repository])
    symlinkSync(binary, join(this.home, 'bin/agentmail'))
  }

  run(args: string[], env: Record<string, string> = {}): Promise<Ran> {
    const own = { HOME: this.home, PATH: this.path, XDG_DATA_HOME: join(this.home, 'data'), ...env }
    return agentmail(['setup', ...args], { cwd: this.repository, env: own })
  }

  text(path: string): string {
    return readFileSync(join(this.home, path), 'utf8')
  }

  has = (path: string) => existsSync(join(this.home, path))
}

describe('agentmail setup', () => {
  it('says what to do where no client is found, and knows its clients', async () => {
    const machine = new Machine()
    const nothing = await machine.run(['--yes'])
    expect(nothing.exitCode).toBe(1)
    expect(nothing.stderr).toMatch(/no coding client was found\nInstall one, .* or name one/)
    const unknown = await machine.run(['clod', '--yes'])
    expect(unknown.stderr).toContain('there is no clod\nThere is: claude, codex')
    const near = await machine.run(['claud', '--yes'])
    expect(near.stderr).toContain('there is no claud. Did you mean claude?\nThere is: claude')
    expect((await machine.run(['claude', '--scope', 'world'])).exitCode).toBe(1)
    expect((await machine.run(['claude', '--with', 'everything'])).exitCode).toBe(1)
  })

  it('shows a diff, and writes nothing without a terminal or --yes', async () => {
    const machine = new Machine()
    const refused = await machine.run(['claude'])
    expect(refused.exitCode).toBe(1)
    expect(refused.stderr).toContain('nothing was written')
    const dry = await machine.run(['claude', '--dry-run'])
    expect(dry.exitCode).toBe(0)
    expect(dry.stdout).toContain(
      `+++ ${join(machine.home, '.claude.json')}\n@@ -0,0 +1,12 @@\n+{\n`,
    )
    expect(dry.stdout).toContain('not found on this machine')
    expect(machine.has('.claude.json')).toBe(false)
    const json = await machine.run(['claude', '--json'])
    expect(json.exitCode).toBe(1)
    expect(machine.has('.claude.json')).toBe(false)
  })

  it('writes, does nothing the second time, and undoes, as JSON too', async () => {
    const machine = new Machine()
    mkdirSync(join(machine.home, '.codex'))
    writeFileSync(join(machine.home, '.claude.json'), '{"a":1}')
    const first = JSON.parse((await machine.run(['claude', 'codex', '--yes', '--json'])).stdout)
    expect(first).toMatchObject({ scope: 'user', program: 'agentmail', refused: [] })
    const changes = first.files.map(({ change, done }: Record<string, unknown>) => [change, done])
    expect(changes).toEqual([
      ['change', true],
      ['create', true],
      ['create', true],
      ['create', true],
    ])
    expect(first.steps.join()).toContain('Trust all')
    const second = await machine.run(['claude', 'codex', '--yes'])
    expect(second).toMatchObject({ exitCode: 0, stderr: '' })
    expect(second.stdout).toContain('Everything is set up already: nothing was changed.')
    const undone = await machine.run(['--undo', '--yes'])
    expect(undone.stdout).toContain('Restored')
    expect(machine.text('.claude.json')).toBe('{"a":1}')
    expect(readdirSync(join(machine.home, '.codex'))).toEqual([])
    expect((await machine.run(['--undo', '--yes'])).stdout).toContain('There is nothing to undo.')
  })

  it('says what is wrong with a state folder that cannot be used, and writes nothing', async () => {
    const machine = new Machine()
    const file = join(machine.home, 'file')
    writeFileSync(file, '')
    const env = { XDG_STATE_HOME: file }
    const ran = await machine.run(['claude', '--yes'], env)
    expect(ran).toMatchObject({ stdout: '', exitCode: 1 })
    expect(ran.stderr).toContain(`the state folder cannot be used: ${file}`)
    expect(ran.stderr).toContain('set XDG_STATE_HOME to a folder')
    expect(ran.stderr).not.toContain('report it')
    expect(machine.has('.claude.json')).toBe(false)
    expect((await machine.run(['claude', '--dry-run'], env)).exitCode).toBe(0)
    expect(await machine.run(['--undo', '--yes'], env)).toMatchObject({ exitCode: 0, stderr: '' })
  })

  it('names its own path where it is not on PATH, and shows no secret of a neighbour', async () => {
    const machine = new Machine()
    const key = 'sk-very-secret'
    writeFileSync(
      join(machine.home, '.claude.json'),
      JSON.stringify({ mcpServers: { x: { env: { API_KEY: key } } } }, null, 2),
    )
    const { stdout } = await machine.run(['claude', '--dry-run'], {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    })
    expect(stdout).toContain(`agentmail is not on PATH, so it is written as ${binary}`)
    expect(stdout).toContain(`"command": "${binary}"`)
    expect(stdout).toContain('"API_KEY": "********"')
    expect(stdout).not.toContain(key)
  })

  it('sets up a repository, and follows no link out of it', async () => {
    const machine = new Machine()
    const { stdout } = await machine.run([
      'claude',
      'copilot',
      '--scope',
      'project',
      '--agents-md',
      '--yes',
    ])
    expect(stdout).toContain('asks once whether the server of .mcp.json may be used')
    expect(JSON.parse(machine.text('shop/.mcp.json')).mcpServers.agentmail.command).toBe(
      'agentmail',
    )
    expect(machine.text('shop/.claude/settings.local.json')).toContain(
      '[ -n \\"$COPILOT_CLI\\" ] || agentmail hook claude',
    )
    expect(machine.has('shop/.github/hooks/agentmail.json')).toBe(true)
    expect(machine.text('shop/AGENTS.md')).toContain('<!-- agentmail:begin -->')
    expect(machine.has('.claude.json')).toBe(false)
    await machine.run(['--undo', '--yes'])
    expect(readdirSync(machine.repository)).toEqual(['.git'])

    writeFileSync(join(machine.home, 'outside.json'), '{}')
    mkdirSync(join(machine.home, 'elsewhere'))
    symlinkSync('../outside.json', join(machine.repository, '.mcp.json'))
    symlinkSync('../elsewhere', join(machine.repository, '.claude'))
    symlinkSync('.git', join(machine.repository, '.github'))
    const hostile = await machine.run(['claude', 'copilot', '--scope', 'project', '--yes'])
    expect(hostile.exitCode).toBe(1)
    expect(hostile.stderr.match(/refused: .* a link leads out of the repository/g)).toHaveLength(4)
    expect(machine.text('outside.json')).toBe('{}')
    expect(readdirSync(join(machine.home, 'elsewhere'))).toEqual([])
  })

  it('takes the address of a server, and nothing secret with it', async () => {
    const machine = new Machine()
    for (const url of [
      'mail.example',
      'ftp://x',
      'http://u:p@mail.example',
      'http://x/?token=1',
      'http://x/y',
    ]) {
      expect((await machine.run(['claude', '--server', url, '--yes'])).exitCode).toBe(1)
    }
    const args = ['claude', '--scope', 'project', '--server', 'https://mail.example:8391', '--yes']
    const { stdout } = await machine.run(args, { AGENTMAIL_TOKEN: 'hidden-token' })
    expect(stdout).toContain('Set AGENTMAIL_SERVER to')
    expect(JSON.parse(machine.text('shop/.mcp.json')).mcpServers.agentmail).toEqual({
      type: 'http',
      url: 'https://mail.example:8391/mcp/shop',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as the client writes it.
      headers: { Authorization: 'Bearer ${AGENTMAIL_TOKEN}' },
    })
    expect(stdout).not.toContain('hidden-token')
  })
})

describeWith('tmux', 'agentmail setup on a terminal', () => {
  it('asks, and writes on a yes alone', async () => {
    const machine = new Machine()
    const session = openSession(['one'])
    const answer = async (text: string, words: RegExp) => {
      const env = [`HOME=${machine.home}`, `PATH=${machine.path}`, 'TERM=screen', 'COLUMNS=80']
      const program = `${process.execPath} ${binary} setup cursor; sleep 60`
      const window = session.open('setup', 'env', '-i', ...env, 'sh', '-c', program)
      const shows = (what: RegExp) =>
        eventually(`it shows ${what}`, () => what.test(session.screen(window)))
      await shows(/Write this file\? \[y\/N\]/)
      await pause(500) // what is typed before the question is no answer
      session.tmux('send-keys', '-t', session.pane(window), text, 'Enter')
      await shows(words)
      return session.screen(window)
    }
    expect(await answer('n', /Nothing was written/)).not.toContain('What is left for you')
    expect(machine.has('.cursor')).toBe(false)
    await answer('y', /Wrote /)
    expect(machine.has('.cursor/mcp.json')).toBe(true)
  })
})

describeWith(clients.map(programOf), 'the real clients', () => {
  it.each(clients)('see what was set up: $name', async (client) => {
    const machine = new Machine()
    const { home, repository: folder } = machine
    const place = { home, folder, model: 'http://127.0.0.1:9' }
    const [command = '', ...args] = commandOf(
      { ...client, args: ['mcp', 'list'] },
      pathOf(programOf(client)),
      place,
    )
    const { exitCode } = await machine.run([client.name, '--no-hooks', '--yes'])
    expect(exitCode).toBe(0)
    const withOurs = args.map((arg) => (arg.startsWith('PATH=') ? `PATH=${machine.path}` : arg))
    const listed = spawnSync(command, withOurs, { encoding: 'utf8', timeout: 50_000 })
    expect(listed.stdout + listed.stderr).toMatch(/agentmail\b.*(Connected|enabled)/)
  })
})
