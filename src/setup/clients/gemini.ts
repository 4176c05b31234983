/** Gemini CLI: everything in settings.json. */
import {
  isTrusted,
  type Places,
  placeIn,
  type Scope,
  type SetupClient,
  serverFor,
  usualEntry,
} from './client.ts'
import { commandHook, eachBy, hookCommand } from './hook-forms.ts'

const settingsFile = (places: Places, scope: Scope): string =>
  placeIn(places, scope, { user: '.gemini/settings.json', project: '.gemini/settings.json' })

const tools = 'write_file|replace|run_shell_command|mcp_agentmail_register'

export const geminiClient: SetupClient = {
  name: 'gemini',
  title: 'Gemini CLI',
  programs: ['gemini'],
  folders: (places) => [placeIn(places, 'user', { user: '.gemini', project: '' })],

  servers: (places, scope) => ({ path: settingsFile(places, scope), at: ['mcpServers'] }),
  /** Without trust the tools are not even offered where nobody can be asked; an extension cannot give it. */
  mcpEntryOf: (toolset, wanted) => ({
    ...(serverFor(toolset, wanted) ? { type: 'http' } : {}),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Gemini CLI puts the variable in.
    ...usualEntry(toolset, wanted, '${AGENTMAIL_TOKEN}'),
    ...(isTrusted(toolset) && !wanted.isPlugin ? { trust: true } : {}),
  }),

  hooks: (places, scope) => ({ path: settingsFile(places, scope), at: ['hooks'] }),
  hooksOf(wanted) {
    const hooks = [commandHook(hookCommand('gemini', wanted), 1000)]
    return {
      ...eachBy(['SessionStart', 'BeforeAgent'], hooks),
      ...eachBy(['BeforeTool', 'AfterTool'], hooks, tools),
      ...eachBy(['Notification'], hooks, 'ToolPermission'),
      ...eachBy(['AfterAgent', 'SessionEnd'], hooks),
    }
  },
  plugin: (places) => ({
    path: placeIn(places, 'user', {
      user: '.gemini/extensions/extension-enablement.json',
      project: '',
    }),
    at: ['agentmail', 'overrides'],
  }),
  permission: 'trust lets the tools of agentmail run without a question',
  steps: () => ['Gemini CLI runs servers and hooks only in folders that you trust.'],
}
