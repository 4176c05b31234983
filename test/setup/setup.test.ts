/** What setup writes, what it leaves alone, and what it refuses. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applySetup } from '../../src/setup/apply.ts'
import { clientNames } from '../../src/setup/clients/client.ts'
import { SetupHome } from '../support/setup/home.ts'

const claude = ['claude' as const]

describe('setup', () => {
  it('sets up what is installed, and nothing else', () => {
    const home = new SetupHome()
    mkdirSync(home.at('.gemini'))
    expect(home.plan().clients.map(({ client }) => client.name)).toEqual(['gemini'])
    home.setUp()
    expect(readdirSync(home.home).sort()).toEqual(['.gemini', 'repository', 'state'])
  })

  it('sets up every client that is named, and says which are not found', () => {
    const home = new SetupHome()
    const plan = home.plan({ clients: [...clientNames] })
    expect(plan.clients.map(({ isFound }) => isFound)).toEqual(clientNames.map(() => false))
    expect(plan.refused).toEqual([])
    home.setUp({ clients: [...clientNames] })
    for (const client of clientNames) {
      const { next, server } = home.status(client)
      expect({ client, next, server }).toEqual({ client, next: undefined, server: 'current' })
    }
  })

  it('removes with undo what it made, folders too', () => {
    const home = new SetupHome()
    home.setUp({ clients: [...clientNames] })
    home.undo()
    expect(readdirSync(home.home).sort()).toEqual(['repository', 'state'])
  })

  it('replaces old entries of its own, and hooks that were pasted, and nothing of others', () => {
    const home = new SetupHome()
    home.put(
      '.claude.json',
      '{"mcpServers": {"agentmail": {"type": "http", "url": "http://127.0.0.1:9/mcp/x"}}}',
    )
    const group = (command: string) => ({ hooks: [{ type: 'command', command }] })
    const hooks = {
      Stop: [
        group('agentmail receive --hook && agentmail status ready'),
        {
          hooks: [
            { type: 'command', command: 'say hi' },
            { type: 'command', command: '/old/agentmail.cjs hook claude' },
          ],
        },
      ],
      PreCompact: [group('agentmail hook claude')],
      Setup: [group('my-agentmail hook claude')],
    }
    home.put('.claude/settings.json', JSON.stringify({ hooks }))
    expect(home.status('claude')).toMatchObject({ hooks: 'old', server: 'current' })
    home.setUp({ clients: claude })
    expect(home.json('.claude.json')).toMatchObject({
      mcpServers: {
        agentmail: { type: 'stdio', command: 'agentmail', args: ['mcp', 'coordination'] },
      },
    })
    expect(home.json('.claude.json')).not.toHaveProperty('mcpServers.agentmail.url')
    const text = home.read('.claude/settings.json') ?? ''
    expect(text).not.toMatch(/receive --hook|\/old\//)
    const after = JSON.parse(text)
    expect(after.hooks.PreCompact).toBeUndefined()
    expect(after.hooks.Setup).toEqual(hooks.Setup)
    expect(after.hooks.Stop).toContainEqual({ hooks: [{ type: 'command', command: 'say hi' }] })
    expect(after.hooks.Stop).toHaveLength(2)
  })

  it('keeps what a person has added to an entry of ours', () => {
    const home = new SetupHome()
    const entry = {
      command: 'agentmail',
      args: ['mcp'],
      env: { AGENTMAIL_AGENT: 'bob' },
      trust: false,
      timeout: 9,
    }
    home.put('.gemini/settings.json', JSON.stringify({ mcpServers: { agentmail: entry } }))
    home.setUp({ clients: ['gemini'] })
    expect(home.json('.gemini/settings.json')).toMatchObject({
      mcpServers: { agentmail: { ...entry, args: ['mcp', 'coordination'] } },
    })
    home.put(
      '.codex/config.toml',
      '[mcp_servers.agentmail]\n# mine\ncommand = "agentmail" # here\nargs = ["mcp"]\nstartup_timeout_sec = 20\n',
    )
    home.setUp({ clients: ['codex'] })
    expect(home.read('.codex/config.toml')).toMatch(
      /^\[mcp_servers.agentmail\]\n# mine\ncommand = "agentmail" # here\nargs = \[ "mcp", "coordination" \]\nstartup_timeout_sec = 20\nenv_vars = \[.*\]\n$/,
    )
  })

  it('adds toolsets, e-mail by approval alone, and keeps those that are there', () => {
    const home = new SetupHome()
    home.setUp({ clients: claude, toolsets: ['mailbox', 'gmail'], wanted: { vault: '/notes' } })
    home.setUp({ clients: claude })
    const { mcpServers } = JSON.parse(home.read('.claude.json') ?? '')
    expect(Object.keys(mcpServers)).toEqual(['agentmail-mailbox', 'agentmail-gmail', 'agentmail'])
    expect(mcpServers['agentmail-gmail'].env).toEqual({
      AGENTMAIL_SEND_POLICY: 'approve',
      VAULT_PATH: '/notes',
    })
    const { permissions } = JSON.parse(home.read('.claude/settings.json') ?? '')
    expect(permissions.allow).toEqual(['mcp__agentmail-mailbox', 'mcp__agentmail'])
  })

  it('takes its hooks out where none are wanted', () => {
    const home = new SetupHome()
    home.setUp({ clients: ['claude', 'copilot'] })
    home.setUp({ clients: ['claude', 'copilot'], hasHooks: false })
    expect(home.json('.claude/settings.json')).toEqual({
      permissions: { allow: ['mcp__agentmail'] },
    })
    expect(home.read('.copilot/hooks/agentmail.json')).not.toContain('agentmail hook')
  })

  it('makes no file that would hold nothing', () => {
    const home = new SetupHome()
    home.setUp({ clients: [...clientNames], hasHooks: false })
    const files = clientNames.flatMap((client) => home.status(client).files)
    const texts = files.map((path) => home.read(path.slice(home.home.length + 1)))
    expect(texts).toContain(undefined)
    for (const text of texts) expect(text).not.toBe('')
  })

  it('writes the name of the token for a server elsewhere, never the token, and hooks as commands', () => {
    const home = new SetupHome()
    const server = { url: 'https://mail.example/mcp', hasToken: true }
    home.setUp({ clients: [...clientNames], wanted: { server } })
    const files = clientNames.flatMap((client) => home.status(client).files)
    const all = files.map((path) => home.read(path.slice(home.home.length + 1)) ?? '').join('\n')
    expect(all.match(/https:\/\/mail\.example\/mcp"/g)).toHaveLength(clientNames.length)
    expect(all.match(/AGENTMAIL_TOKEN/g)).toHaveLength(clientNames.length)
    expect(all).not.toContain('127.0.0.1')
    expect(all).toContain('agentmail hook claude')
    for (const client of clientNames) expect(home.status(client).next).toBeUndefined()
  })

  it('refuses a broken file by its line, and sets up the others', () => {
    const home = new SetupHome()
    home.put('.claude.json', '{\n  "a": 1\n  "b": 2\n}\n')
    home.put('.codex/config.toml', 'a = 1\nb = \n')
    home.put('.gemini/settings.json', Buffer.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]))
    home.put('.qwen/settings.json', '{"hooks": [], "mcpServers": null}')
    const plan = home.plan({ clients: ['claude', 'codex', 'gemini', 'qwen'] })
    const words = plan.refused.map(
      ({ path, error }) => `${path.slice(home.home.length)}: ${error.message}`,
    )
    expect(words).toEqual([
      expect.stringMatching(/^\/\.claude\.json: .*line 3, column 3/),
      expect.stringMatching(/^\/\.codex\/config\.toml: it is no TOML: .* line 2/),
      expect.stringMatching(/^\/\.gemini\/settings\.json: .*UTF-8/),
      expect.stringMatching(/^\/\.qwen\/settings\.json: "mcpServers" in it is not an object/),
    ])
    expect(applySetup(home.config, plan)).toHaveLength(2)
    expect(home.read('.claude.json')).toBe('{\n  "a": 1\n  "b": 2\n}\n')
  })

  it('says what to write by hand where TOML is written in a way of its own', () => {
    const home = new SetupHome()
    for (const text of [
      'mcp_servers = { a = { command = "x" } }\n',
      'mcp_servers.agentmail = { command = "agentmail", args = ["mcp"] }\n',
    ]) {
      home.put('.codex/config.toml', text)
      const [refusal] = home.plan({ clients: ['codex'] }).refused
      expect(refusal?.error.next).toMatch(
        /^Write there by hand:\n\[mcp_servers.agentmail\]\ncommand = "agentmail"/,
      )
    }
  })
})

describe('the files of a person', () => {
  it('are reached through links, which stay', () => {
    const home = new SetupHome()
    home.put('dotfiles/claude.json', '{}\n')
    symlinkSync('dotfiles/claude.json', home.at('.claude.json'))
    mkdirSync(home.at('dotfiles/gemini'))
    symlinkSync('dotfiles/gemini', home.at('.gemini'))
    symlinkSync('dotfiles/not-yet.json', home.at('dotfiles/dangling'))
    mkdirSync(home.at('.cursor'))
    symlinkSync('../dotfiles/cursor.json', home.at('.cursor/mcp.json'))
    home.setUp({ clients: ['claude', 'gemini', 'cursor'] })
    expect(lstatSync(home.at('.claude.json')).isSymbolicLink()).toBe(true)
    expect(home.read('dotfiles/claude.json')).toContain('agentmail')
    expect(home.read('dotfiles/gemini/settings.json')).toContain('agentmail')
    expect(home.read('dotfiles/cursor.json')).toContain('agentmail')
    home.undo()
    expect(home.read('dotfiles/claude.json')).toBe('{}\n')
    expect(lstatSync(home.at('.cursor/mcp.json')).isSymbolicLink()).toBe(true)
    expect(existsSync(home.at('dotfiles/cursor.json'))).toBe(false)
  })

  it('keep their mode, and what is remembered of them is for their owner alone', () => {
    const home = new SetupHome()
    chmodSync(home.put('.claude.json', '{"key": "secret"}'), 0o640)
    home.setUp({ clients: claude })
    expect(statSync(home.at('.claude.json')).mode & 0o777).toBe(0o640)
    const folder = home.at('state/agentmail/setup')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    }
    home.undo()
    expect(statSync(home.at('.claude.json')).mode & 0o777).toBe(0o640)
  })

  it('are refused where they are read-only, or no files', () => {
    const home = new SetupHome()
    chmodSync(home.put('.claude.json', '{}'), 0o444)
    mkdirSync(home.at('.cursor/mcp.json'), { recursive: true })
    home.put('.copilot', 'a file')
    const plan = home.plan({ clients: ['claude', 'cursor', 'copilot'] })
    applySetup(home.config, plan)
    const words = plan.refused.map(({ error }) => error.message)
    expect(words.join('\n')).toMatch(/read-only/)
    expect(words.join('\n')).toMatch(/is a folder|no regular file/)
    expect(words.join('\n')).toMatch(/a file stands where its folder should be/)
    expect(home.read('.claude.json')).toBe('{}')
  })

  it('are left alone where they were changed after they were looked at', () => {
    const home = new SetupHome()
    home.put('.claude.json', '{}')
    const plan = home.plan({ clients: claude })
    home.put('.claude.json', '{"new": 1}')
    applySetup(home.config, plan)
    expect(plan.refused.map(({ error }) => error.code)).toEqual(['conflict'])
    expect(home.read('.claude.json')).toBe('{"new": 1}')
    expect(readdirSync(home.home).filter((name) => /^\.\.claude/.test(name))).toEqual([])
  })
})
