/** Copilot CLI: servers in mcp-config.json or .mcp.json, hooks in a file of our own. */
import { join } from 'node:path'
import { claudeClient } from './claude.ts'
import {
  type Entry,
  type HooksByEvent,
  namedFolder,
  type Places,
  placeIn,
  pluginName,
  type SetupClient,
  serverFor,
  usualEntry,
} from './client.ts'
import { commandSeconds, hookCommand } from './hook-forms.ts'

const folderOf = (places: Places): string => namedFolder(places, 'COPILOT_HOME', '.copilot')

const tools = 'create|edit|bash|agentmail-register'

export const copilotClient: SetupClient = {
  name: 'copilot',
  title: 'Copilot CLI',
  programs: ['copilot'],
  folders: (places) => [folderOf(places)],

  servers: (places, scope) => ({
    path: placeIn(places, scope, {
      user: join(folderOf(places), 'mcp-config.json'),
      project: '.mcp.json',
    }),
    at: ['mcpServers'],
  }),
  /** In a project it reads the file of Claude Code, in that one's form. */
  mcpEntryOf(toolset, wanted) {
    if (wanted.scope === 'project') return claudeClient.mcpEntryOf(toolset, wanted)
    return {
      type: serverFor(toolset, wanted) ? 'http' : 'local',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Copilot CLI puts the variable in.
      ...usualEntry(toolset, wanted, '${AGENTMAIL_TOKEN}'),
      tools: ['*'],
    }
  },

  hooks: (places, scope) => ({
    path: placeIn(places, scope, {
      user: join(folderOf(places), 'hooks/agentmail.json'),
      project: '.github/hooks/agentmail.json',
    }),
    at: ['hooks'],
  }),
  hooksFile: { version: 1 },
  /** Any exit code but 0, even for a program that is not there, would refuse every edit. */
  hooksOf(wanted) {
    const hook = (event: string, matcher?: string): Entry => ({
      type: 'command',
      ...(matcher === undefined ? {} : { matcher }),
      bash: `${hookCommand('copilot', wanted)} ${event} || true`,
      timeoutSec: commandSeconds,
    })
    const always = ['sessionStart', 'userPromptSubmitted', 'agentStop', 'sessionEnd']
    const hooks: HooksByEvent = {}
    for (const event of [...always, 'permissionRequest']) hooks[event] = [hook(event)]
    for (const event of ['preToolUse', 'postToolUse']) hooks[event] = [hook(event, tools)]
    return hooks
  },
  plugin: (places) => ({
    path: join(folderOf(places), 'settings.json'),
    at: ['enabledPlugins', pluginName],
  }),
  permission: 'gives permission when it is started, or asks you',
  steps: ({ scope }) => [
    'Copilot CLI asks before each tool: start it with `copilot --allow-tool=agentmail`, or choose to allow it when asked.',
    ...(scope === 'project' ? ['Copilot CLI runs hooks only in folders that you trust.'] : []),
  ],
}
