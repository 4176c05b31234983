/** Claude Code: servers in ~/.claude.json or .mcp.json, hooks and permissions in settings.json. */
import { join } from 'node:path'
import {
  type Entry,
  namedFolder,
  type Places,
  placeIn,
  pluginName,
  type Scope,
  type SetupClient,
  serverFor,
  usualEntry,
  type Wanted,
} from './client.ts'
import { commandHook, eachBy, group, hookCommand, httpHook } from './hook-forms.ts'

const edits = 'Edit|Write|MultiEdit|NotebookEdit'

const hasOwnFolder = ({ env }: Places) => Boolean(env.CLAUDE_CONFIG_DIR)

/** In a project not the file that is shared by git: what runs on a machine is its owner's to say. */
const settingsFile = (places: Places, scope: Scope): string =>
  placeIn(places, scope, {
    user: join(namedFolder(places, 'CLAUDE_CONFIG_DIR', '.claude'), 'settings.json'),
    project: '.claude/settings.local.json',
  })

/** Copilot, too, reads the settings of a project, and has hooks of its own. */
const unlessCopilot = (command: string, { scope }: Wanted): string =>
  scope === 'project' ? `[ -n "$COPILOT_CLI" ] || ${command}` : command

/** Waits in the background, and wakes the session when mail comes. A session whose hooks call the server looks after it. */
const waker = (wanted: Wanted): Entry => ({
  type: 'command',
  command: unlessCopilot(
    hookCommand('claude', wanted).replace(' hook ', ' wake ') + (wanted.server ? '' : ' --up'),
    wanted,
  ),
  asyncRewake: true,
  timeout: 86_400,
})

export const claudeClient: SetupClient = {
  name: 'claude',
  title: 'Claude Code',
  programs: ['claude'],
  folders: (places) => [namedFolder(places, 'CLAUDE_CONFIG_DIR', '.claude')],

  servers: (places, scope) => ({
    path: placeIn(places, scope, {
      user: hasOwnFolder(places)
        ? join(namedFolder(places, 'CLAUDE_CONFIG_DIR', '.claude'), '.claude.json')
        : '.claude.json',
      project: '.mcp.json',
    }),
    at: ['mcpServers'],
  }),
  mcpEntryOf: (toolset, wanted) => ({
    type: serverFor(toolset, wanted) ? 'http' : 'stdio',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code puts the variable in.
    ...usualEntry(toolset, wanted, '${AGENTMAIL_TOKEN}'),
  }),

  hooks: (places, scope) => ({ path: settingsFile(places, scope), at: ['hooks'] }),
  /** A server elsewhere sees no files of this machine, and a plugin does not know of any, so that their hooks are commands. */
  hooksOf(wanted) {
    const command = commandHook(unlessCopilot(hookCommand('claude', wanted), wanted))
    const isCommand = wanted.server !== undefined || wanted.isPlugin === true
    const call = isCommand ? command : httpHook('claude', wanted)
    const register = `mcp__${wanted.isPlugin ? 'plugin_agentmail_' : ''}agentmail__register`
    // A request costs little, so that any tool is a sign of life; what it gave is nobody's business.
    const tools = `${edits}|Bash|${register}`
    const guard = group([{ ...call, onFailure: 'block' }], edits)
    return {
      SessionStart: [group([command, waker(wanted)])],
      ...eachBy(['UserPromptSubmit'], [call]),
      PreToolUse: wanted.isGuardClosed
        ? [guard, group([call], `Bash|${register}`)]
        : [group([call], isCommand ? tools : undefined)],
      ...eachBy(['PostToolUse', 'PostToolUseFailure'], [call], tools),
      ...eachBy(['Notification'], [call], 'permission_prompt|idle_prompt'),
      Stop: [group([call, waker(wanted)])],
      ...eachBy(['SessionEnd'], [command]), // told also where no server runs any more
    }
  },

  allowed: (places, scope) => ({
    path: settingsFile(places, scope),
    at: ['permissions', 'allow'],
  }),
  plugin: (places) => ({
    path: settingsFile(places, 'user'),
    at: ['enabledPlugins', pluginName],
  }),
  permission: 'permissions.allow lets the tools of agentmail run without a question',
  steps: ({ scope }) =>
    scope === 'project'
      ? [
          'Claude Code asks once whether the server of .mcp.json may be used: start it here, and say yes.',
          '.claude/settings.local.json is yours alone: keep it out of git.',
        ]
      : [],
}
