/** Servers of our name that are somebody else's: nothing of theirs is changed, and nothing permits them. */
import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { applySetup } from '../../src/setup/apply.ts'
import type { ClientName } from '../../src/setup/clients/client.ts'
import { setupClients } from '../../src/setup/clients/clients.ts'
import { SetupHome } from '../support/setup/home.ts'

const claude = ['claude' as const]

/** A file of a client with a server called agentmail that is another program. */
function otherServer(client: ClientName) {
  const home = new SetupHome()
  const { path, at } = setupClients[client].servers(home.places, 'user')
  const json = JSON.stringify({ [at[0] ?? '']: { agentmail: { command: 'mutt' } } })
  const servers = path.endsWith('.toml') ? '[mcp_servers.agentmail]\ncommand = "mutt"\n' : json
  return { path: path.slice(home.home.length + 1), servers }
}

describe('setup', () => {
  it('refuses a server of its name that is somebody else’s, and sets up the rest', () => {
    const home = new SetupHome()
    home.put('.claude.json', '{"mcpServers": {"agentmail": {"command": "mutt"}}}')
    const plan = home.plan({ clients: claude })
    expect(plan.refused.map(({ error }) => error.text).join()).toContain('called agentmail')
    expect(applySetup(home.config, plan)).toHaveLength(1)
    expect(home.read('.claude.json')).toContain('mutt')
  })

  it.each([
    [
      'user',
      '.claude.json',
      '.claude/settings.json',
      '{"mcpServers": {"agentmail": {"command": "mutt"}}}',
    ],
    ['user', '.claude.json', '.claude/settings.json', '{"mcpServers": {"agentmail": '],
    [
      'project',
      'repository/.mcp.json',
      'repository/.claude/settings.local.json',
      '{"mcpServers": {"agentmail": {"url": "http://mutt"}}}',
    ],
  ] as const)(
    'gives no permission where the server is refused, and leaves one that is there: %s, %s',
    (scope, servers, settings, text) => {
      const home = new SetupHome()
      home.put(servers, text)
      const clients = ['claude' as const, 'copilot' as const]
      applySetup(home.config, home.plan({ clients, wanted: { scope } }))
      expect(home.read(servers)).toBe(text)
      expect(home.read(settings)).toContain('agentmail hook claude')
      expect(home.read(settings)).not.toContain('mcp__agentmail"')
      home.put(settings, '{"permissions": {"allow": ["mcp__agentmail"]}}')
      applySetup(home.config, home.plan({ clients, wanted: { scope } }))
      expect(home.json(settings)).toMatchObject({ permissions: { allow: ['mcp__agentmail'] } })
    },
  )

  it('gives no permission where the server turns out to be refused while all is written', () => {
    const home = new SetupHome()
    chmodSync(home.put('.claude.json', '{}'), 0o444)
    const plan = home.plan({ clients: claude })
    expect(applySetup(home.config, plan)).toHaveLength(1)
    expect(home.read('.claude/settings.json')).toContain('agentmail hook claude')
    expect(home.read('.claude/settings.json')).not.toContain('permissions')
    home.undo()
    expect(home.read('.claude/settings.json')).toBeUndefined()
  })

  it.each(['gemini', 'qwen', 'codex', 'copilot', 'opencode', 'cursor', 'vscode'] as const)(
    'trusts no server of its name that is somebody else’s: %s',
    (client) => {
      const home = new SetupHome()
      const { servers, path } = otherServer(client)
      home.put(path, servers)
      applySetup(home.config, home.plan({ clients: [client] }))
      expect(home.read(path)).toBe(servers)
    },
  )
})
