/** Qwen Code: everything in settings.json; its hooks can be requests. */
import {
  type Entry,
  isTrusted,
  type Places,
  placeIn,
  type Scope,
  type SetupClient,
  serverFor,
  usualEntry,
  type Wanted,
} from './client.ts'
import { commandHook, eachBy, hookCommand, httpHook } from './hook-forms.ts'

const settingsFile = (places: Places, scope: Scope): string =>
  placeIn(places, scope, { user: '.qwen/settings.json', project: '.qwen/settings.json' })

const tools = 'write_file|edit|run_shell_command|mcp__agentmail__register'

/** A session whose hooks call the server starts it. */
const bringsUp = (wanted: Wanted): Entry =>
  commandHook(`${hookCommand('qwen', wanted).replace(' hook ', ' wake ')} --up`)

export const qwenClient: SetupClient = {
  name: 'qwen',
  title: 'Qwen Code',
  programs: ['qwen'],
  folders: (places) => [placeIn(places, 'user', { user: '.qwen', project: '' })],

  servers: (places, scope) => ({ path: settingsFile(places, scope), at: ['mcpServers'] }),
  mcpEntryOf(toolset, wanted) {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Qwen Code puts the variable in.
    const { url, ...entry } = usualEntry(toolset, wanted, '${AGENTMAIL_TOKEN}')
    return {
      ...(serverFor(toolset, wanted) ? { httpUrl: url } : {}),
      ...entry,
      ...(isTrusted(toolset) ? { trust: true } : {}),
    }
  },

  hooks: (places, scope) => ({ path: settingsFile(places, scope), at: ['hooks'] }),
  hooksOf(wanted) {
    const command = commandHook(hookCommand('qwen', wanted))
    const call = wanted.server ? command : httpHook('qwen', wanted)
    return {
      ...eachBy(['SessionStart'], wanted.server ? [command] : [command, bringsUp(wanted)]),
      ...eachBy(['UserPromptSubmit'], [call]),
      ...eachBy(['PreToolUse'], [call], wanted.server ? tools : undefined),
      ...eachBy(['PostToolUse'], [call], tools),
      ...eachBy(['Notification'], [call], 'permission_prompt'),
      ...eachBy(['Stop'], [call]),
      ...eachBy(['SessionEnd'], [command]),
    }
  },
  permission: 'trust lets the tools of agentmail run without a question',
  steps: () => ['Qwen Code runs hooks only in folders that you trust.'],
}
