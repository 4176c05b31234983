/** Setup beside the plugin: what that brings is written by nobody else. */
import { describe, expect, it } from 'vitest'
import type { ClientName } from '../../src/setup/clients/client.ts'
import { SetupHome } from '../support/setup/home.ts'

const enabled = { enabledPlugins: { 'agentmail@agentmail': true } }

/** How each client notes that it has the plugin, and where it has servers and hooks. */
const noted: { client: ClientName; path: string; on: string; off: string; files: string[] }[] = [
  {
    client: 'claude',
    path: '.claude/settings.json',
    on: JSON.stringify(enabled),
    off: JSON.stringify({ enabledPlugins: { 'agentmail@agentmail': false } }),
    files: ['.claude.json', '.claude/settings.json'],
  },
  {
    client: 'codex',
    path: '.codex/config.toml',
    on: '[plugins."agentmail@agentmail"]\nenabled = true\n',
    off: '[plugins."agentmail@agentmail"]\nenabled = false\n',
    files: ['.codex/config.toml', '.codex/hooks.json'],
  },
  {
    client: 'copilot',
    path: '.copilot/settings.json',
    on: JSON.stringify(enabled),
    off: '{"enabledPlugins": {"other@agentmail": true}}',
    files: ['.copilot/mcp-config.json', '.copilot/hooks/agentmail.json'],
  },
  {
    client: 'gemini',
    path: '.gemini/extensions/extension-enablement.json',
    on: '{"agentmail": {"overrides": ["/home/*"]}}',
    off: '{"agentmail": {"overrides": ["!/home/*"]}}',
    files: ['.gemini/settings.json'],
  },
]

const textOf = (home: SetupHome, files: string[]) =>
  files.map((file) => home.read(file) ?? '').join('')

describe('setup, where the plugin is installed', () => {
  it.each(noted)('writes neither its server nor hooks: $client', ({ client, path, on, files }) => {
    const home = new SetupHome()
    home.put(path, on)
    home.setUp({ clients: [client] })
    expect(textOf(home, files)).not.toMatch(/"agentmail"\s*[:=]|mcp_servers|agentmail hook/)
    expect(home.status(client)).toMatchObject({ hasPlugin: true, server: 'current' })
    expect(home.status(client).next).toBeUndefined()
  })

  it.each(noted)('takes out what it wrote before: $client', ({ client, path, on, files }) => {
    const home = new SetupHome()
    home.setUp({ clients: [client], toolsets: ['coordination', 'mailbox'] })
    expect(textOf(home, files)).toMatch(/agentmail hook/)
    const note = path.endsWith('.toml') ? `${home.read(path)}\n${on}` : on
    const there = path.endsWith('.json') ? JSON.parse(home.read(path) ?? '{}') : undefined
    home.put(path, there ? JSON.stringify({ ...there, ...JSON.parse(on) }) : note)
    const before = home.status(client)
    expect([before.server, before.hooks]).toEqual(['old', 'old'])
    expect(before.next).toBe(`agentmail setup ${client}`)
    home.setUp({ clients: [client], toolsets: ['coordination', 'mailbox'] })
    const left = textOf(home, files)
    expect(left).not.toMatch(/agentmail hook|"coordination"/)
    expect(left).toContain('agentmail-mailbox')
    expect(home.status(client).next).toBeUndefined()
  })

  it.each(noted)('does all as ever where it is not on: $client', ({ client, path, off, files }) => {
    const home = new SetupHome()
    home.put(path, off)
    home.setUp({ clients: [client] })
    expect(textOf(home, files)).toMatch(/agentmail hook/)
    expect(home.status(client)).toMatchObject({ hasPlugin: false, server: 'current' })
  })

  it('lets the tools of the plugin run in Claude Code, and takes that back', () => {
    const home = new SetupHome()
    home.put('.claude/settings.json', JSON.stringify(enabled))
    home.setUp({ clients: ['claude'] })
    expect(home.json('.claude/settings.json')).toEqual({
      ...enabled,
      permissions: { allow: ['mcp__plugin_agentmail_agentmail'] },
    })
    home.undo(['claude'])
    expect(home.json('.claude/settings.json')).toEqual(enabled)
  })
})
