/** What undo puts back, takes out and leaves. */
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { clientNames, setupToolsets } from '../../src/setup/clients/client.ts'
import { type Asked, SetupHome } from '../support/setup/home.ts'

const claude = ['claude' as const]

describe('undo', () => {
  it('takes out its own entries where nothing is remembered, and leaves other files alone', () => {
    const home = new SetupHome()
    home.put('.gemini/settings.json', '{"mcpServers": {}}')
    home.setUp({ clients: ['claude', 'copilot'] })
    writeFileSync(
      home.at('.claude.json'),
      (home.read('.claude.json') ?? '').replace('{', '{"mine": 1,'),
    )
    for (const name of readdirSync(home.at('state/agentmail/setup'))) {
      writeFileSync(home.at(`state/agentmail/setup/${name}`), 'damaged')
    }
    home.undo()
    expect(home.json('.claude.json')).toEqual({ mine: 1 })
    expect(home.json('.claude/settings.json')).toEqual({})
    expect(home.read('.copilot/hooks/agentmail.json')).toBeUndefined()
    expect(home.read('.gemini/settings.json')).toBe('{"mcpServers": {}}')
  })

  it('leaves what setup never wrote, and names it', () => {
    const home = new SetupHome()
    const own = {
      command: 'agentmail',
      args: ['mcp', 'coordination'],
      env: { AGENTMAIL_AGENT: 'bob' },
    }
    const servers = JSON.stringify({ mcpServers: { agentmail: own } })
    home.put('.cursor/mcp.json', servers)
    const group = {
      matcher: 'Edit',
      hooks: [{ type: 'command', command: 'agentmail hook claude' }],
    }
    const settings = JSON.stringify({
      hooks: { Stop: [group] },
      permissions: { allow: ['mcp__agentmail__*'] },
    })
    home.put('.claude/settings.json', settings)
    const toml = '[mcp_servers.agentmail]\ncommand = "agentmail"\nargs = ["mcp"]\n'
    home.put('.codex/config.toml', toml)
    expect(home.setUp({ clients: ['cursor'] })).toEqual([])
    const { left } = home.undo()
    expect([...left]).toEqual([
      [home.at('.claude/settings.json'), ['hooks.Stop', 'mcp__agentmail__*']],
      [home.at('.codex/config.toml'), ['mcp_servers.agentmail']],
      [home.at('.cursor/mcp.json'), ['mcpServers.agentmail']],
    ])
    expect(home.read('.cursor/mcp.json')).toBe(servers)
    expect(home.read('.claude/settings.json')).toBe(settings)
    expect(home.read('.codex/config.toml')).toBe(toml)
  })

  it.each<[string, Asked]>([
    ['user', {}],
    ['project', { wanted: { scope: 'project' } }],
    ['all toolsets', { toolsets: [...setupToolsets] }],
    ['a vault', { toolsets: [...setupToolsets], wanted: { vault: '/my notes' } }],
    ['a program that is not on PATH', { wanted: { program: "/it's here/agentmail.cjs" } }],
    ['another port and a closed guard', { wanted: { port: 4711, isGuardClosed: true } }],
    [
      'a server elsewhere',
      { wanted: { server: { url: 'https://mail.example/mcp', hasToken: true } } },
    ],
    [
      'one without a token',
      { wanted: { server: { url: 'http://127.0.0.1:1/mcp/x', hasToken: false } } },
    ],
  ])('takes out all that setup writes where nothing is remembered: %s', (_, asked) => {
    const home = new SetupHome()
    home.setUp({ clients: [...clientNames], ...asked })
    rmSync(home.at('state'), { recursive: true })
    const { left, refused } = home.undo([], asked.wanted?.scope ?? 'user')
    expect({ left: [...left], refused }).toEqual({ left: [], refused: [] })
    for (const { files } of clientNames.map((client) => home.status(client, asked.wanted))) {
      for (const path of files) {
        expect(home.read(path.slice(home.home.length + 1)) ?? '').not.toContain('agentmail')
      }
    }
  })

  it.each([
    ['.gemini', 'gemini', 'dot/there'],
    ['.qwen', 'qwen', '/there'],
    ['.claude', 'claude', 'dot/there'],
    ['.cursor', 'cursor', 'dot/not/yet'],
  ] as const)(
    'removes what it made behind the link that is the folder of a client: %s',
    (name, client, to) => {
      const home = new SetupHome()
      mkdirSync(home.at('dot/there'), { recursive: true })
      symlinkSync(to.startsWith('/') ? home.at(`dot${to}`) : to, home.at(name))
      const before = readdirSync(home.home, { recursive: true })
      home.setUp({ clients: [client] })
      expect(readdirSync(home.at(name))).not.toEqual([])
      home.undo()
      const isOfState = (path: string | Buffer) => String(path).startsWith('state')
      expect(
        readdirSync(home.home, { recursive: true }).filter((path) => !isOfState(path)),
      ).toEqual(before)
    },
  )

  it('removes what it made where the home itself is reached through a link', () => {
    const home = new SetupHome()
    mkdirSync(home.at('far'))
    symlinkSync(home.at('far'), home.at('near'))
    home.places.home = home.at('near')
    home.setUp({ clients: [...clientNames] })
    home.undo()
    expect(readdirSync(home.at('far'))).toEqual([])
  })

  it('goes back to the beginning after several setups, with what others changed in between', () => {
    const home = new SetupHome()
    home.put('.claude.json', '{\n  "a": 1\n}\n')
    home.setUp({ clients: claude })
    home.setUp({ clients: claude, toolsets: ['mailbox'] })
    home.undo()
    expect(home.read('.claude.json')).toBe('{\n  "a": 1\n}\n')
    home.setUp({ clients: claude })
    home.put('.claude.json', (home.read('.claude.json') ?? '').replace('"a": 1', '"a": 2'))
    home.setUp({ clients: claude, toolsets: ['mailbox'] })
    home.undo()
    expect(home.read('.claude.json')).toBe('{\n  "a": 2\n}\n')
  })
})
