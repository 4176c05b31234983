import { describe, expect, it } from 'vitest'
import {
  Config,
  type Environment,
  type Flags,
  type SettingsFile,
  useSettingsFiles,
} from './config.ts'
import { settings } from './settings.ts'

describe('Config', () => {
  it('takes a flag before the environment, and that before the default', () => {
    const env = { AGENTMAIL_STALE_HOURS: '5' }
    expect(new Config({ 'stale-hours': '7' }, env).number('staleHours')).toBe(7)
    expect(new Config({}, env).number('staleHours')).toBe(5)
    expect(new Config({}, {}).number('staleHours')).toBe(48)
  })

  it('counts an empty value as absent', () => {
    const env = { AGENTMAIL_AGENT: '', AGENTMAIL_STALE_HOURS: ' ' }
    expect(new Config({}, env).text('agent')).toBeUndefined()
    expect(new Config({}, env).number('staleHours')).toBe(48)
  })

  it('names the setting that is no number, and where it came from', () => {
    for (const bad of ['soon', '-1', 'Infinity', '1h', '']) {
      expect(() => new Config({ 'stale-hours': bad }, {}).number('staleHours')).toThrow(
        /^--stale-hours must be a number/,
      )
    }
    const env = { AGENTMAIL_STALE_HOURS: 'soon' }
    expect(() => new Config({}, env).number('staleHours')).toThrow(/^AGENTMAIL_STALE_HOURS must be/)
  })

  it('shows that a secret is set, and never what it is', () => {
    const listed = new Config({}, { AGENTMAIL_TOKEN: 'hunter2' }).inForce()
    expect(listed.find(({ name }) => name === 'token')).toMatchObject({ value: '********' })
    expect(JSON.stringify(listed)).not.toContain('hunter2')
  })

  const shownAs = (env: string, value: string) =>
    new Config({}, { [env]: value }).inForce().find((one) => one.env === env)?.value

  it.each([
    ['mysql://me:hunter2@db:3306/mail', 'mysql://me:********@db:3306/mail'],
    [' mysql://me:hunter2@db/mail', 'mysql://me:********@db/mail'],
    ['MYSQL://me:hunt@er2?x@a,b:3307/mail', 'MYSQL://me:********@a,b:3307/mail'],
    ['mysql://me@db/mail?ssl-mode=required', 'mysql://me@db/mail?ssl-mode=required'],
    ['mysql://db/mail?pwd=hunter2&ssl-ca=/ca.pem', 'mysql://db/mail?pwd=********&ssl-ca=/ca.pem'],
    ['mysql://db/mail?p%77d=hunter2&passwd=hunter2', 'mysql://db/mail?********&passwd=********'],
    ['mysql://db/mail?hunter2', 'mysql://db/mail?********'],
    ['mysql://db/mail#hunter2', '********'],
    ['mysql://me:hunter2/mail', '********'],
    ['mysql:/me:hunter2@db/mail', '********'],
    ['"mysql://me:hunter2@db/mail"', '********'],
    ['me:hunter2@db/mail', '********'],
    ['agentmail.db?key=hunter2', '********'],
    ['/var/lib/me@home/agent mail.db', '/var/lib/me@home/agent mail.db'],
  ])('shows the database %s without its password', (value, shown) => {
    expect(shownAs('AGENTMAIL_DB', value)).toBe(shown)
  })

  it.each([
    ['https://api.example/v1', 'https://api.example/v1'],
    ['https://me:hunter2@api.example/v1', 'https://********@api.example/v1'],
    ['https://hunter2@api.example', 'https://********@api.example'],
    ['\thttps://api.example/?access%5Ftoken=hunter2', 'https://api.example/?********'],
  ])('shows the address %s without a password or token', (value, shown) => {
    const settings = ['LLM', 'POSTMARK', 'GMAIL', 'GOOGLE_OAUTH'].map((name) =>
      name === 'LLM' ? 'AGENTMAIL_LLM_BASE_URL' : `${name}_BASE_URL`,
    )
    for (const env of [...settings, 'AGENTMAIL_SERVER']) expect(shownAs(env, value)).toBe(shown)
  })

  it.each([
    ['npx', 'npx'],
    ['/opt/bin/mail-server --token=hunter2', '/opt/bin/mail-server …'],
    ['mail-server hunter2', 'mail-server …'],
    [' mail-server\thunter2', 'mail-server …'],
    ['API_KEY=hunter2 mail-server', '******** …'],
    ['"hunter2 server" x', '******** …'],
    ['https://me:hunter2@host/', '********'],
  ])('shows of the command %s its program alone', (value, shown) => {
    expect(shownAs('GMAIL_MCP_SERVER', value)).toBe(shown)
    expect(shownAs('OBSIDIAN_MCP_SERVER', value)).toBe(shown)
  })

  it('knows the secrets in addresses and commands, as they stand there and as they are meant', () => {
    const secrets = new Config(
      {},
      {
        AGENTMAIL_DB: ' mysql://me:first%2Fone@db/mail?pwd=second',
        GMAIL_MCP_SERVER: "server --api-key third --token='fourth' --name plain",
        OBSIDIAN_MCP_SERVER: 'MY_SECRET=fifth server https://me:sixth@host/?p=seventh',
      },
    ).secrets()
    expect(new Set(secrets)).toEqual(
      new Set([
        'first%2Fone',
        'first/one',
        'second',
        'third',
        'fourth',
        'fifth',
        'sixth',
        'seventh',
      ]),
    )
  })

  const files: SettingsFile[] = [
    { source: 'repository', path: '/r/.agentmail.toml', values: { staleHours: '2' }, troubles: [] },
    {
      source: 'user',
      path: '/u/config.toml',
      values: { staleHours: '3', port: 'x', token: 'hunter2', agent: ' ', server: 'http://own' },
      troubles: [],
    },
  ]

  it('takes what files say behind the environment, the repository before the user', () => {
    const of = (flags: Flags, env: Environment) =>
      new Config(flags, env, files).setting('staleHours')
    const variable = { AGENTMAIL_STALE_HOURS: '5' }
    expect(of({ 'stale-hours': '7' }, variable)).toMatchObject({ value: 7, source: 'flag' })
    expect(of({}, variable)).toMatchObject({ value: 5, source: 'environment' })
    const file = '/r/.agentmail.toml'
    expect(of({}, {})).toMatchObject({ value: 2, source: 'repository', file, key: 'stale_hours' })
    expect(new Config({}, {}, files.slice(1)).number('staleHours')).toBe(3)
    expect(new Config({}, {}, []).number('staleHours')).toBe(48)
    expect(new Config({}, {}, files).text('agent')).toBeUndefined()
  })

  it('names the file of what is wrong in one, and masks what is secret there', () => {
    const config = new Config({}, {}, files)
    expect(() => config.number('port')).toThrow(/^port in \/u\/config.toml must be a number/)
    expect(JSON.stringify(config.inForce())).not.toContain('hunter2')
    expect(config.secrets()).toContain('hunter2')
  })

  it('gives what files say to the processes that it starts, but for what is changed', () => {
    const config = new Config({}, { HOME: '/h' }, files)
    const AGENTMAIL_STALE_HOURS = '2'
    expect(config.environment()).toMatchObject({ HOME: '/h', AGENTMAIL_STALE_HOURS })
    const changed = config.with({ AGENTMAIL_SERVER: undefined, AGENTMAIL_STALE_HOURS: '9' })
    expect([changed.text('server'), changed.number('staleHours')]).toEqual([undefined, 9])
    expect(changed.environment()).not.toHaveProperty('AGENTMAIL_SERVER')
    expect(changed.environment()).toMatchObject({ AGENTMAIL_TOKEN: 'hunter2' })
  })

  it('goes without the file of the repository where it is for what serves all of them', () => {
    const config = new Config({}, { AGENTMAIL_AGENT: 'me' }, files).withoutRepository()
    expect([config.number('staleHours'), config.text('agent')]).toEqual([3, 'me'])
    expect(config.environment()).toMatchObject({ AGENTMAIL_STALE_HOURS: '3' })
  })

  it('leaves the files of this process out where it is given an environment', () => {
    useSettingsFiles(files)
    try {
      expect(new Config().number('staleHours')).toBe(2)
      expect(new Config({}, {}).number('staleHours')).toBe(48)
    } finally {
      useSettingsFiles([])
    }
  })

  it('lists every setting with its source', () => {
    const listed = new Config({}, { AGENTMAIL_AGENT: 'me' }).inForce()
    expect(listed.map(({ name }) => name)).toEqual(Object.keys(settings))
    expect(listed.find(({ name }) => name === 'agent')).toMatchObject({
      value: 'me',
      source: 'environment',
    })
    expect(listed.find(({ name }) => name === 'dir')).toMatchObject({
      value: null,
      source: 'default',
    })
  })
})
