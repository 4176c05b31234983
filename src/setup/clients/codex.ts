/** Codex: servers in config.toml, hooks in hooks.json, which it parses strictly. */
import { join } from 'node:path'
import {
  argumentsOf,
  environmentOf,
  isTrusted,
  namedFolder,
  type Places,
  placeIn,
  pluginName,
  type Scope,
  type SetupClient,
  type SetupToolset,
  serverFor,
} from './client.ts'
import { commandHook, eachBy, hookCommand } from './hook-forms.ts'

/** A server gets none of the environment but what is named. */
const passed = [
  ...['TMUX', 'TMUX_PANE', 'AGENTMAIL_AGENT', 'AGENTMAIL_SERVER', 'AGENTMAIL_TOKEN'],
  ...['AGENTMAIL_DB', 'AGENTMAIL_DIR', 'AGENTMAIL_PROJECT', 'AGENTMAIL_PERSON'],
  ...['XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'],
]

const passedTo: Partial<Record<SetupToolset, string[]>> = {
  gmail: [
    ...['AGENTMAIL_MAIL', 'AGENTMAIL_MAIL_DIR', 'AGENTMAIL_MAIL_FROM', 'AGENTMAIL_MAIL_TOKEN'],
    ...['AGENTMAIL_IMAP_URL', 'AGENTMAIL_SMTP_URL'],
    ...['AGENTMAIL_GMAIL_ACCOUNT', 'GMAIL_CREDENTIALS_PATH', 'GMAIL_TOKEN_PATH'],
  ],
  postmark: ['POSTMARK_SERVER_TOKEN', 'DEFAULT_FROM_ADDRESS', 'DEFAULT_MESSAGE_STREAM'],
}

const fileOf = (places: Places, scope: Scope, name: string): string =>
  placeIn(places, scope, {
    user: join(namedFolder(places, 'CODEX_HOME', '.codex'), name),
    project: `.codex/${name}`,
  })

const tools = 'apply_patch|Bash|mcp__agentmail__register'

export const codexClient: SetupClient = {
  name: 'codex',
  title: 'Codex',
  programs: ['codex'],
  folders: (places) => [namedFolder(places, 'CODEX_HOME', '.codex')],

  servers: (places, scope) => ({
    path: fileOf(places, scope, 'config.toml'),
    at: ['mcp_servers'],
  }),
  mcpEntryOf(toolset, wanted) {
    const server = serverFor(toolset, wanted)
    if (server) {
      const token = server.hasToken ? { bearer_token_env_var: 'AGENTMAIL_TOKEN' } : {}
      return { url: server.url, ...token }
    }
    const env = environmentOf(toolset, wanted)
    const more = isTrusted(toolset) || env.VAULT_PATH !== undefined ? [] : ['VAULT_PATH']
    return {
      command: wanted.program,
      args: argumentsOf(toolset),
      env_vars: [...passed, ...more, ...(passedTo[toolset] ?? [])],
      ...(Object.keys(env).length > 0 ? { env } : {}),
    }
  },

  hooks: (places, scope) => ({ path: fileOf(places, scope, 'hooks.json'), at: ['hooks'] }),
  hooksOf(wanted) {
    const hook = commandHook(hookCommand('codex', wanted))
    return {
      ...eachBy(['SessionStart', 'UserPromptSubmit'], [hook]),
      ...eachBy(['PreToolUse', 'PostToolUse'], [hook], tools),
      ...eachBy(['PermissionRequest', 'Stop'], [hook]),
      ...eachBy(['Interrupt', 'SessionEnd'], [{ ...hook, timeout: 3 }]), // longer is warned about
    }
  },
  plugin: (places) => ({
    path: fileOf(places, 'user', 'config.toml'),
    at: ['plugins', pluginName, 'enabled'],
  }),
  permission: 'needs no permission: the tools of agentmail say that they touch nothing outside',
  steps: ({ scope }, has) => [
    ...(has.hooks
      ? ['Codex runs no hook before you trust it: open Codex, /hooks, and choose "Trust all".']
      : []),
    ...(scope === 'project' ? ['Codex reads .codex/ of a folder only when you trust it.'] : []),
  ],
}
