/** Cursor and VS Code: servers in mcp.json, and no hooks. */
import { join } from 'node:path'
import {
  namedFolder,
  type Places,
  placeIn,
  type SetupClient,
  serverFor,
  usualEntry,
} from './client.ts'

/** Both put it in. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: it is for them.
const token = '${env:AGENTMAIL_TOKEN}'

export const cursorClient: SetupClient = {
  name: 'cursor',
  title: 'Cursor',
  programs: ['cursor', 'cursor-agent'],
  folders: (places) => [placeIn(places, 'user', { user: '.cursor', project: '' })],

  servers: (places, scope) => ({
    path: placeIn(places, scope, { user: '.cursor/mcp.json', project: '.cursor/mcp.json' }),
    at: ['mcpServers'],
  }),
  mcpEntryOf: (toolset, wanted) => usualEntry(toolset, wanted, token),
  permission: 'asks you for permission',
  steps: () => [
    'Cursor asks before each tool, unless you allow the server agentmail in its settings.',
  ],
}

const codeFolder = (places: Places): string =>
  process.platform === 'darwin'
    ? join(places.home, 'Library/Application Support/Code/User')
    : join(namedFolder(places, 'XDG_CONFIG_HOME', '.config'), 'Code/User')

export const vscodeClient: SetupClient = {
  name: 'vscode',
  title: 'VS Code',
  programs: ['code'],
  folders: (places) => [codeFolder(places)],

  servers: (places, scope) => ({
    path: placeIn(places, scope, {
      user: join(codeFolder(places), 'mcp.json'),
      project: '.vscode/mcp.json',
    }),
    at: ['servers'],
  }),
  mcpEntryOf: (toolset, wanted) => ({
    type: serverFor(toolset, wanted) ? 'http' : 'stdio',
    ...usualEntry(toolset, wanted, token),
  }),
  permission: 'asks you for permission',
  steps: () => [
    'VS Code asks before it starts the server, and before each tool until you allow them.',
  ],
}
