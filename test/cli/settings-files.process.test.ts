/** The files of settings, as whoever uses the command line meets them. */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentmail, type Env } from '../support/agentmail.ts'
import { makePipe } from '../support/named-pipe.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function place() {
  const home = realpathSync(temporaryFolder())
  const [cwd, folder] = [join(home, 'repository'), join(home, '.config/agentmail')]
  for (const path of [join(cwd, '.git'), folder]) mkdirSync(path, { recursive: true })
  const base = { HOME: home, XDG_CONFIG_HOME: undefined, AGENTMAIL_DIR: join(home, 'office') }
  const [user, repository] = [join(folder, 'config.toml'), join(cwd, '.agentmail.toml')]
  return {
    ...{ user, repository, home },
    run: (args: string[], env: Env = {}, input = '') =>
      agentmail(args, { cwd, env: { ...base, ...env }, input }),
    writeUser: (toml: string) => writeFileSync(user, toml, { mode: 0o600 }),
    writeRepository: (toml: string) => writeFileSync(repository, toml),
  }
}

describe('settings in files', () => {
  it('hold behind a flag and the environment, the repository before the user', async () => {
    const { run, writeUser, writeRepository, repository } = place()
    const get = async (args: string[] = [], env: Env = {}) => {
      const { stdout } = await run(['config', 'get', 'stale_hours', '--json', ...args], env)
      const { value, source, file } = JSON.parse(stdout)
      return [value, source, file]
    }
    const variable = { AGENTMAIL_STALE_HOURS: '5' }
    expect(await get()).toEqual([48, 'default', undefined])
    writeUser('stale_hours = 3\n')
    expect(await get()).toMatchObject([3, 'user', expect.stringContaining('config.toml')])
    writeRepository('stale_hours = 4\n')
    expect(await get()).toEqual([4, 'repository', repository])
    expect(await get([], variable)).toEqual([5, 'environment', undefined])
    expect(await get(['--stale-hours', '6'], variable)).toEqual([6, 'flag', undefined])
  })

  it('say who one is, in every part of the program', async () => {
    const { run, writeRepository } = place()
    writeRepository('agent = "builder"\n')
    expect(await run(['recipients'])).toMatchObject({ stdout: 'builder [you]\n', stderr: '' })
    const { stdout } = await run(['recipients'], { AGENTMAIL_AGENT: 'other' })
    expect(stdout).toContain('other [you]\n')
  })

  it('of a repository do not say how the person is called, which is the same for all of them', async () => {
    const { run, writeRepository, writeUser, repository } = place()
    writeRepository('person = "boss"\n')
    const get = () => run(['config', 'get', 'person'])
    const warning = `warning: ${repository}, line 1: person may not be set by a repository and is ignored\n`
    expect(await get()).toMatchObject({ stdout: 'human\n', stderr: warning })
    const sent = await run(['send', 'boss', 'hi'], { AGENTMAIL_AGENT: 'ann' })
    expect(sent).toMatchObject({ stdout: '', exitCode: 1 })
    expect(sent.stderr).toContain('error: recipient not found')
    writeUser('person = "carl"\n')
    expect((await get()).stdout).toBe('carl\n')
    expect((await run(['config', 'set', 'person', 'boss', '--repository'])).exitCode).not.toBe(0)
  })

  it('of a repository cannot lead elsewhere: the line is ignored, with a warning on stderr', async () => {
    const { run, writeRepository, repository } = place()
    writeRepository('server = "http://127.0.0.1:9/"\ntoken = "x"\n')
    const { stdout, stderr, exitCode } = await run(['projects', '--json'])
    expect([JSON.parse(stdout).projects, exitCode]).toEqual([expect.any(Array), 0])
    expect(stderr).toBe(
      ['server', 'token']
        .map((key, index) => {
          const where = `${repository}, line ${index + 1}`
          return `warning: ${where}: ${key} may not be set by a repository and is ignored\n`
        })
        .join(''),
    )
    const told = await run(['projects'], { AGENTMAIL_SERVER: 'http://127.0.0.1:9/' })
    expect(told.exitCode).not.toBe(0) // the control: where a server is taken, that one is asked
  })

  it.each([
    ['project = "a/b"', 'project is no name of up to 100 characters without a slash'],
    ['project = "../../x"', 'project is no name of up to 100 characters without a slash'],
    [`project = "${'x'.repeat(120)}"`, 'project is no name of up to 100 characters'],
    ['agent = "a\\nb"', 'agent is no name that an agent can have'],
    [`agent = "${'é'.repeat(99)}"`, 'agent is no name that an agent can have'],
  ])('of a repository stop no command with what is wrong in them: %s', async (line, says) => {
    const { run, writeRepository } = place()
    writeRepository(`${line}\n`)
    for (const command of [['claims'], ['status', 'ready'], ['recipients']]) {
      const env = line.startsWith('agent') ? {} : { AGENTMAIL_AGENT: 'me' }
      const { exitCode, stderr } = await run(command, env)
      const isNameless = line.startsWith('agent') && command[0] === 'recipients'
      expect([command, exitCode]).toEqual([command, isNameless ? 2 : 0])
      expect(stderr).toContain(says)
    }
  })

  it('of a repository keep nobody waiting: a pipe is no file', async () => {
    const { run, repository } = place()
    makePipe(repository)
    const { stdout, stderr } = await run(['recipients'], { AGENTMAIL_AGENT: 'me' })
    expect(stdout).toBe('me [you]\n')
    expect(stderr).toBe(`warning: ${repository}: it is no regular file\n`)
  })

  it('of the user end a command where they are broken, with their place', async () => {
    const { run, writeUser, user } = place()
    writeUser('port = 1\nagent = \n')
    const { stdout, stderr, exitCode } = await run(['recipients'])
    expect([stdout, exitCode]).toEqual(['', 2])
    expect(stderr).toMatch(/^error: .*config\.toml: line 2, column \d+: /)
    const json = JSON.parse((await run(['recipients', '--json'])).stderr)
    expect(json).toMatchObject({ error: 'server_config', details: { file: user, line: 2 } })
  })

  it('break neither a hook nor the commands that mend them', async () => {
    const { run, writeUser } = place()
    writeUser('port = \n')
    const silent = { stdout: '', stderr: '', exitCode: 0 }
    expect(await run(['receive', '--hook'], { AGENTMAIL_AGENT: 'me' })).toMatchObject(silent)
    const shown = await run(['config'])
    expect([shown.stdout.includes('AGENTMAIL_PORT'), shown.exitCode]).toEqual([true, 0])
    expect(shown.stderr).toMatch(/^warning: .*config\.toml: line 1, column/)
    const doctor = await run(['doctor'])
    expect(doctor.stdout).toMatch(/config\.toml: line 1, column/)
    expect(doctor.exitCode).toBe(1)
    expect((await run(['send', '--help'])).exitCode).toBe(0)
  })

  it('of a repository do not speak into a silent hook', async () => {
    const { run, writeRepository } = place()
    writeRepository('token = "x"\n')
    const silent = { stdout: '', stderr: '', exitCode: 0 }
    expect(await run(['receive', '--hook'], { AGENTMAIL_AGENT: 'me' })).toMatchObject(silent)
  })
})

describe('agentmail config', () => {
  it('sets, tells and takes out, in the file of whoever is meant', async () => {
    const { run, user, repository } = place()
    expect((await run(['config', 'path'])).stdout).toBe(`${user}\n`)
    expect((await run(['config', 'path', '--repository'])).stdout).toBe(`${repository}\n`)
    const set = await run(['config', 'set', 'AGENTMAIL_SEND_POLICY', 'approve'])
    expect(set).toMatchObject({
      stdout: `send_policy is set in ${user}\n`,
      stderr: '',
      exitCode: 0,
    })
    expect((await run(['config', 'get', 'send_policy'])).stdout).toBe('approve\n')
    await run(['config', 'set', 'project', 'shop', '--repository'])
    expect(readFileSync(repository, 'utf8')).toBe('project = "shop"\n')
    await run(['config', 'unset', 'project', '--repository'])
    expect(readFileSync(repository, 'utf8')).toBe('')
    expect(await run(['config', 'get', 'project'])).toMatchObject({ stdout: '', exitCode: 1 })
  })

  it('takes a secret from standard input, and shows none', async () => {
    const { run, user } = place()
    const { stdout, stderr } = await run(['config', 'set', 'token'], {}, 'hunter2\n')
    expect(readFileSync(user, 'utf8')).toBe('token = "hunter2"\n')
    const { stdout: got } = await run(['config', 'get', 'token'])
    const { stdout: listed } = await run(['config', '--json'])
    expect(got).toBe('********\n')
    expect(stdout + stderr + got + listed).not.toContain('hunter2')
  })

  it('refuses what a repository may not set, and what is no value', async () => {
    const { run } = place()
    const refused = async (...args: string[]) => {
      const { stdout, stderr, exitCode } = await run(['config', 'set', ...args])
      expect([stdout, exitCode]).toEqual(['', 1])
      return stderr
    }
    expect(await refused('server', 'http://x', '--repository')).toMatch(/^error: server may not be/)
    expect(await refused('port', 'many')).toMatch(/^error: port is not a number/)
    expect(await refused('prot', '1')).toMatch(
      /^error: there is no setting prot. Did you mean port/,
    )
    expect(await refused('port')).toMatch(/^error: what is port to be\?/)
  })

  it('says where another wins over what was set', async () => {
    const { run } = place()
    const { stderr } = await run(['config', 'set', 'port', '1'], { AGENTMAIL_PORT: '2' })
    expect(stderr).toBe('note: AGENTMAIL_PORT in the environment wins over it.\n')
  })
})
