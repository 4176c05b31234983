/** The command line itself: help, version, settings. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settings } from '../../src/settings.ts'
import { agentmail, root } from '../support/agentmail.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('the command line itself', () => {
  it('loads the MCP library in none of its commands but those that serve', () => {
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
      'orchestrator-run-orchestrator.cjs',
      'server-serve.cjs',
    ])
  })

  it('prints help on stderr and exits 1 without a command or with an unknown one', async () => {
    for (const args of [[], ['frobnicate']]) {
      const { stdout, stderr, exitCode } = await agentmail(args)
      expect([stdout, exitCode]).toEqual(['', 1])
      expect(stderr).toContain('Usage: agentmail <command>')
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
