/** opencode: servers in opencode.jsonc or opencode.json; it has no hooks of this kind. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  argumentsOf,
  environmentOf,
  namedFolder,
  type Places,
  placeIn,
  type SetupClient,
  serverFor,
} from './client.ts'

const folderOf = (places: Places): string =>
  join(namedFolder(places, 'XDG_CONFIG_HOME', '.config'), 'opencode')

/** The one that is there. */
const fileIn = (folder: string): string => {
  const names = ['opencode.jsonc', 'opencode.json']
  return join(folder, names.find((name) => existsSync(join(folder, name))) ?? 'opencode.json')
}

export const opencodeClient: SetupClient = {
  name: 'opencode',
  title: 'opencode',
  programs: ['opencode'],
  folders: (places) => [folderOf(places)],

  servers: (places, scope) => ({
    path: placeIn(places, scope, {
      user: fileIn(folderOf(places)),
      project: fileIn(places.repository ?? ''),
    }),
    at: ['mcp'],
  }),
  mcpEntryOf(toolset, wanted) {
    const server = serverFor(toolset, wanted)
    if (server) {
      const headers = { Authorization: 'Bearer {env:AGENTMAIL_TOKEN}' }
      return {
        type: 'remote',
        url: server.url,
        ...(server.hasToken ? { headers } : {}),
        enabled: true,
      }
    }
    const environment = environmentOf(toolset, wanted)
    return {
      type: 'local',
      command: [wanted.program, ...argumentsOf(toolset)],
      ...(Object.keys(environment).length > 0 ? { environment } : {}),
      enabled: true,
    }
  },
  permission: 'needs no permission',
  steps: () => ['opencode has no hooks: its agents claim files by the tool claim_files.'],
}
