/** Files of settings as they are found, read and changed: real ones, of people and of strangers. */
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Config, settingNames } from '../../src/config.ts'
import { type SettingShape, settings } from '../../src/settings.ts'
import { setInFile, unsetInFile } from '../../src/system/settings-files/change.ts'
import { findSettingsFiles, repositoryFile } from '../../src/system/settings-files/find.ts'
import { settingsIn } from '../../src/system/settings-files/read.ts'
import { makePipe } from '../support/named-pipe.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const text = (path: string) => readFileSync(path, 'utf8')
const modeOf = (path: string) => statSync(path).mode & 0o777

function places() {
  const home = realpathSync(temporaryFolder())
  const [root, folder] = [join(home, 'repository'), join(home, 'config/agentmail')]
  for (const path of [join(root, '.git'), join(root, 'below/it'), folder]) {
    mkdirSync(path, { recursive: true })
  }
  const config = new Config({}, { XDG_CONFIG_HOME: join(home, 'config') })
  const [user, repository] = [join(folder, 'config.toml'), join(root, '.agentmail.toml')]
  const read = () => findSettingsFiles(config, join(root, 'below/it')).map(settingsIn)
  return {
    ...{ home, root, read },
    user: { source: 'user' as const, path: user },
    repository: { source: 'repository' as const, path: repository },
    writeUser: (toml: string) => writeFileSync(user, toml, { mode: 0o600 }),
    writeRepository: (toml: string) => writeFileSync(repository, toml),
    only: () => read()[0],
  }
}

describe('files of settings', () => {
  it('are the one at the root of the worktree, and the one in the config folder', () => {
    const { read, writeUser, writeRepository, root } = places()
    expect(read()).toEqual([])
    writeUser('port = 1\n')
    writeRepository('project = "shop"\nstale_seconds = 5\n')
    writeFileSync(join(root, 'below/.agentmail.toml'), 'project = "other"\n')
    expect(read().map(({ file }) => [file.source, file.values])).toEqual([
      ['repository', { project: 'shop', staleSeconds: '5' }],
      ['user', { port: '1' }],
    ])
  })

  it('are those of a linked worktree in it, and none outside of all', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, '.git'), 'gitdir: elsewhere\n')
    expect(repositoryFile(folder)).toBe(join(folder, '.agentmail.toml'))
    expect(repositoryFile('/')).toBeUndefined()
  })

  it('of a repository set nothing but names, times and limits', () => {
    const { only, writeRepository } = places()
    const allowed: string[] = settingNames.filter((name) => {
      const { file }: SettingShape = settings[name]
      return file === 'repository'
    })
    const secretOrPlace =
      /token|key|url|server$|path|home|dir|vault|policy|host|mail(?!s)|send|llm$|notify|db|keep/i
    expect(allowed.filter((name) => secretOrPlace.test(name))).toEqual([])
    const key = (name: string) => name.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`)
    writeRepository(settingNames.map((name) => `${key(name)} = "7"\n`).join(''))
    expect(Object.keys(only()?.file.values ?? {}).sort()).toEqual(allowed.sort())
  })

  it('of a repository are ignored where they are wrong, line by line, and told', () => {
    const { only, writeRepository, repository } = places()
    writeRepository(
      'server = "http://evil"\nstale_secs = 1\nsweep_seconds = 0\nproject = ["x"]\nagent = "a"\n[token]\n',
    )
    const { file, error } = only() ?? {}
    expect([error, file?.values]).toEqual([undefined, { agent: 'a' }])
    expect(file?.troubles).toEqual([
      `${repository.path}, line 1: server may not be set by a repository and is ignored`,
      `${repository.path}, line 2: stale_secs is no setting and is ignored. Did you mean stale_seconds?`,
      `${repository.path}, line 3: sweep_seconds is not above 0 and up to 2000000 and is ignored`,
      `${repository.path}, line 4: project must be a text in quotes and is ignored`,
      `${repository.path}, line 6: token may not be set by a repository and is ignored`,
    ])
  })

  it('of a repository lead nowhere and hang nobody: links, pipes, folders, sizes, bytes', () => {
    const trouble = (prepare: (path: string, home: string) => void) => {
      const { only, repository, home } = places()
      prepare(repository.path, home)
      const { file, error } = only() ?? {}
      expect([error, file?.values]).toEqual([undefined, {}])
      return file?.troubles.map((told) => told.slice(repository.path.length))
    }
    const toSecret = (path: string, home: string) => {
      writeFileSync(join(home, 'secret'), 'project = "x"')
      symlinkSync(join(home, 'secret'), path)
    }
    const notRegular = [': it is no regular file']
    expect(trouble(toSecret)).toEqual(notRegular)
    expect(trouble((path) => symlinkSync('/dev/zero', path))).toEqual(notRegular)
    expect(trouble((path) => makePipe(path))).toEqual(notRegular)
    expect(trouble((path) => mkdirSync(path))).toEqual(notRegular)
    const large = `# ${'x'.repeat(1 << 16)}\nproject = "x"\n`
    expect(trouble((path) => writeFileSync(path, large))).toEqual([': it is larger than 64 KB'])
    const bytes = Buffer.from([0x61, 0xff, 0xfe])
    expect(trouble((path) => writeFileSync(path, bytes))).toEqual([': it is not UTF-8'])
    const broken = trouble((path) => writeFileSync(path, 'project = \n'))
    expect(broken?.[0]).toMatch(/^: line 1, column \d+: /)
    const deep = trouble((path) => writeFileSync(path, `a = ${'['.repeat(60_000)}`))
    expect(deep).toHaveLength(1)
  })

  it('of a repository tell of ten troubles at most, and steer no terminal', () => {
    const { only, writeRepository } = places()
    const keys = Array.from({ length: 30 }, (_, n) => `"\\u001b[2J${'x'.repeat(200)}${n}" = 1\n`)
    writeRepository(keys.join(''))
    const troubles = only()?.file.troubles ?? []
    expect([troubles.length, troubles.at(-1)?.endsWith(': 20 more of this kind')]).toEqual([
      11,
      true,
    ])
    expect(troubles.join('')).not.toContain('\u001b')
    expect(troubles[0]?.length).toBeLessThan(300)
  })

  it('of the user may be a link, and what is wrong in them is an error with its place', () => {
    const { only, user, home } = places()
    writeFileSync(join(home, 'dotfile'), '# mine\n  port = true\n', { mode: 0o600 })
    symlinkSync(join(home, 'dotfile'), user.path)
    const { error, file } = only() ?? {}
    expect(error).toMatchObject({
      exitCode: 2,
      message: `${user.path}: line 2, column 3: port must be a number`,
      details: { file: user.path, line: 2, column: 3 },
    })
    expect(file?.values).toEqual({})
    writeFileSync(join(home, 'dotfile'), 'port = 1\nnudge = "loud"\nprot = 1\n')
    expect(only()?.error?.message).toContain('line 2, column 1: nudge is none of keys, line, off')
    expect(only()?.file.values).toEqual({ port: '1' })
    writeFileSync(join(home, 'dotfile'), 'token = "hunter2"\nport = = 1\n')
    expect(only()?.error?.message).toMatch(/config\.toml: line 2, column \d+: /)
    expect(only()?.error?.text).not.toContain('hunter2')
  })

  it('of the user hold secrets only while nobody else can read them', () => {
    const { only, user, writeUser } = places()
    const secrets = ['token = "hunter2"', 'db = "mysql://me:hunter2@db/mail"']
    for (const secret of secrets) {
      writeUser(`${secret}\nport = 5\n`)
      chmodSync(user.path, 0o600)
      expect(only()?.error).toBeUndefined()
      chmodSync(user.path, 0o640)
      expect(only()?.error?.message).toMatch(/is a secret, and others can read the file: chmod 600/)
      expect(only()?.error?.text).not.toContain('hunter2')
      expect(only()?.file.values).toEqual({ port: '5' })
    }
  })

  it('take numbers, switches and lists in their own form, or as text', () => {
    const { only, writeUser } = places()
    writeUser(
      'port = 1_000\nrate_limit = "5"\nenable_logging = true\nsend_to = ["a.org", "b.org"]\n',
    )
    const { values } = only()?.file ?? {}
    const sendTo = 'a.org, b.org'
    expect(values).toEqual({ port: '1000', rateLimit: '5', enableLogging: 'true', sendTo })
  })
})

describe('a change of a file of settings', () => {
  it('makes it for its owner alone, and keeps what others wrote in it', async () => {
    const { user, home } = places()
    await setInFile(user, 'port', '9000')
    expect([text(user.path), modeOf(user.path)]).toEqual(['port = 9000\n', 0o600])
    writeFileSync(user.path, '# mine\r\nport = 9000 # why\r\n\r\n[later]\r\nport = 1\r\n')
    await setInFile(user, 'sendTo', 'a.org, b.org')
    await setInFile(user, 'enableLogging', 'TRUE')
    await setInFile(user, 'port', '1')
    expect(text(user.path)).toBe(
      '# mine\r\nport = 1 # why\r\nsend_to = [ "a.org", "b.org" ]\r\nenable_logging = true\r\n\r\n[later]\r\nport = 1\r\n',
    )
    expect(await unsetInFile(user, 'port')).toBe(true)
    expect(await unsetInFile(user, 'port')).toBe(false)
    expect(readdirSync(join(home, 'config/agentmail'))).toEqual(['config.toml'])
  })

  it('goes through a link of the user, and keeps the mode unless a secret is set', async () => {
    const { user, home } = places()
    writeFileSync(join(home, 'dotfile'), '', { mode: 0o644 })
    chmodSync(join(home, 'dotfile'), 0o644)
    symlinkSync(join(home, 'dotfile'), user.path)
    await setInFile(user, 'nudge', 'line')
    expect([text(join(home, 'dotfile')), modeOf(user.path)]).toEqual(['nudge = "line"\n', 0o644])
    await setInFile(user, 'token', 'hunter2')
    expect(modeOf(join(home, 'dotfile'))).toBe(0o600)
  })

  it('is refused where it would be ignored or wrong, and leaves nothing behind', async () => {
    const { user, repository, home } = places()
    await expect(setInFile(repository, 'server', 'x')).rejects.toThrow(/may not be set by a repo/)
    await expect(setInFile(repository, 'keepDays', '1')).rejects.toThrow(/may not be set by a repo/)
    await expect(setInFile(user, 'tmuxPane', '%1')).rejects.toThrow(/can be set by no file/)
    await expect(setInFile(user, 'port', 'http')).rejects.toThrow('port is not a number')
    await expect(setInFile(user, 'staleHours', '-5')).rejects.toThrow('not a number of 0 or more')
    await expect(setInFile(user, 'staleSeconds', '-5')).rejects.toThrow('not a number above 0')
    await expect(setInFile(user, 'staleSeconds', '0')).rejects.toThrow(/is not above 0/)
    await expect(setInFile(user, 'nudge', 'loud')).rejects.toThrow(/none of keys, line, off/)
    await expect(setInFile(user, 'enableLogging', 'yes')).rejects.toThrow(/true or false/)
    await expect(setInFile(user, 'agent', ' ')).rejects.toThrow(/is empty/)
    expect([existsSync(user.path), existsSync(repository.path)]).toEqual([false, false])
    writeFileSync(user.path, 'port = = 1\n')
    await expect(setInFile(user, 'port', '1')).rejects.toThrow(/line 1, column/)
    writeFileSync(user.path, '"\\u0070ort" = 1\n')
    await expect(setInFile(user, 'port', '1')).rejects.toThrow(/cannot be changed safely/)
    expect(text(user.path)).toBe('"\\u0070ort" = 1\n')
    writeFileSync(join(home, 'victim'), '')
    symlinkSync(join(home, 'victim'), repository.path)
    await expect(setInFile(repository, 'project', 'x')).rejects.toThrow(/no regular file/)
    expect(text(join(home, 'victim'))).toBe('')
  })

  it('writes a new file, so that what else is called so stays as it was', async () => {
    const { repository, home } = places()
    writeFileSync(repository.path, 'project = "a"\n')
    linkSync(repository.path, join(home, 'other'))
    await setInFile(repository, 'project', 'b')
    expect([text(repository.path), text(join(home, 'other'))]).toEqual([
      'project = "b"\n',
      'project = "a"\n',
    ])
  })

  it('loses none of many at once', async () => {
    const { user } = places()
    const names = ['port', 'staleHours', 'deliveredHours', 'nudgeSeconds', 'rateLimit'] as const
    await Promise.all(names.map((name) => setInFile(user, name, '7')))
    expect(text(user.path).trim().split('\n')).toHaveLength(names.length)
  })
})
