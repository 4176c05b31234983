/** The command line itself: help, version, settings. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settings } from '../../src/settings.ts'
import { agentmail, root } from '../support/agentmail.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('the command line itself', () => {
  it('loads the MCP library only to serve, and to read a mailbox by its tools', () => {
    const built = readdirSync(join(root, 'dist')).filter((file) => file.endsWith('.cjs'))
    const withLibrary = built.filter((file) =>
      readFileSync(join(root, 'dist', file), 'utf8').includes('notifications/progress'),
    )
    expect(built.length).toBeGreaterThan(10)
    expect(withLibrary).toEqual([
      'mcp-toolsets-coordination.cjs',
      'mcp-toolsets-gmail.cjs',
      'mcp-toolsets-mailbox-tools.cjs',
      'mcp-toolsets-obsidian.cjs',
      'mcp-toolsets-postmark.cjs',
      'orchestrator-rules-inbox-mails.cjs',
      'orchestrator-run-orchestrator.cjs',
      'server-serve.cjs',
    ])
  })

  it('prints help on stderr and exits 1 without a command or with an unknown one', async () => {
    for (const args of [[], ['frobnicate'], ['help', 'frobnicate'], ['constructor']]) {
      const { stdout, stderr, exitCode } = await agentmail(args)
      expect([stdout, exitCode]).toEqual(['', 1])
      expect(stderr).toContain('Usage: agentmail <command>')
    }
  })

  it.each([
    [['snd'], 'unknown command: snd. Did you mean send?', /^Usage: agentmail <command>/m],
    [['hepl'], 'unknown command: hepl. Did you mean help?', /^Usage: agentmail <command>/m],
    [['help', 'reciev'], 'unknown command: reciev. Did you mean receive?', /agentmail help/],
    [
      ['send', '--mesage'],
      'unknown option --mesage. Did you mean --message?',
      /^Usage: agentmail send /m,
    ],
    [['send', 'a', 'b', 'c'], 'too many arguments: c', /^Usage: agentmail send /m],
    [
      ['db', 'copy', '--form'],
      'unknown option --form. Did you mean --from?',
      /^Usage: agentmail db copy /m,
    ],
    [['db', 'chekc'], 'unknown subcommand: chekc. Did you mean check?', /agentmail db check/],
    [['mcp', 'mailbx'], 'unknown toolset: mailbx. Did you mean mailbox?', /coordination/],
    [
      ['config', 'get', 'stale_second'],
      'there is no setting stale_second. Did you mean stale_seconds',
      /config/,
    ],
  ])('says what was perhaps meant by %j, in a few lines', async (args, words, usage) => {
    const { stdout, stderr, exitCode } = await agentmail(args)
    expect([stdout, exitCode]).toEqual(['', 1])
    expect(stderr.startsWith(`error: ${words}`)).toBe(true)
    expect(stderr).toMatch(usage)
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(5)
  })

  it.each([
    [['snd', '--json'], 'invalid_request', 1],
    [['send', '--json', '--mesage', 'x'], 'invalid_request', 1],
    [['db', 'chekc', '--json'], 'invalid_request', 1],
    [['send', '--json', 'a', 'b'], 'not_in_tmux', 2],
  ])('answers an error of %j as JSON on stderr', async (args, error, code) => {
    const { stdout, stderr, exitCode } = await agentmail(args, { cwd: root })
    expect([stdout, exitCode]).toEqual(['', code])
    const answer = JSON.parse(stderr)
    expect(answer).toEqual({ error, message: expect.any(String), details: null })
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  it('takes --json behind -- for text', async () => {
    const { stderr } = await agentmail(['snd', '--', '--json'])
    expect(stderr).toMatch(/^error: unknown command: snd/)
  })

  it('tells by help what a command tells by --help', async () => {
    for (const [about, args] of [
      [['send'], ['send', '--help']],
      [
        ['db', 'copy'],
        ['db', 'copy', '--help'],
      ],
      [[], ['--help']],
    ] as const) {
      const { stdout, stderr, exitCode } = await agentmail(['help', ...about])
      expect([stderr, exitCode]).toEqual(['', 0])
      expect(stdout).toBe((await agentmail([...args])).stdout)
    }
  })

  it('prints help on stdout and exits 0 when asked, with settings that there are', async () => {
    const commands = [
      'send',
      'receive',
      'recipients',
      'status',
      'mailman',
      'cleanup',
      'doctor',
      'onboard',
      'db',
      'orchestrate',
      'drafts',
      'demo',
      'mcp',
      'config',
    ]
    const known: string[] = Object.values(settings).map(({ env }) => env)
    for (const flag of ['--help', '-h']) {
      const { stdout, exitCode } = await agentmail([flag])
      expect(exitCode).toBe(0)
      for (const command of commands) expect(stdout).toContain(`  ${command} `)
    }
    for (const command of commands) {
      const { stdout, stderr, exitCode } = await agentmail([command, '--help'])
      expect([stderr, exitCode]).toEqual(['', 0])
      expect(stdout).toMatch(new RegExp(`^Usage: agentmail ${command}\\b`))
      const named = stdout.match(/\b(?:AGENTMAIL_\w+|\w+_MCP_SERVER)\b/g) ?? []
      expect(named.filter((name) => !known.includes(name))).toEqual([])
      if (command === 'orchestrate') expect(named.length).toBeGreaterThan(8)
    }
  })

  it('tells its version, and an agent how to use it', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect((await agentmail(['--version'])).stdout).toBe(`${version}\n`)
    const onboard = await agentmail(['onboard'], { cwd: temporaryFolder() })
    expect(onboard).toMatchObject({ stderr: '', exitCode: 0 })
    expect(onboard.stdout).toContain('agentmail receive')
  })

  it('shows each setting with its source', async () => {
    const env = { AGENTMAIL_AGENT: 'me', AGENTMAIL_DELIVERED_HOURS: '5' }
    const { stdout } = await agentmail(['config', '--json', '--stale-hours', '7'], { env })
    const settings = JSON.parse(stdout).settings
    const of = (name: string) => settings.find((setting: { name: string }) => setting.name === name)
    expect(of('agent')).toMatchObject({ value: 'me', source: 'environment' })
    expect(of('staleHours')).toMatchObject({ value: 7, source: 'flag' })
    expect(of('deliveredHours')).toMatchObject({ value: 5, source: 'environment' })
    expect(of('nudgeSeconds')).toMatchObject({ value: 60, source: 'default' })
  })
})
