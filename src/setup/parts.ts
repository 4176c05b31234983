/** What AgentMail has in a file of a client: which entries, and where they stand. */
import {
  type Entry,
  type HooksByEvent,
  isTrusted,
  type Places,
  type SetupClient,
  type SetupToolset,
  serverNameOf,
  type Wanted,
} from './clients/client.ts'

export interface FileParts {
  path: string
  client: SetupClient
  servers?: {
    at: string[]
    toolsets: SetupToolset[]
    /** Those that something else brings: an entry of ours goes. */
    without: SetupToolset[]
    entryOf: (toolset: SetupToolset) => Entry
  }
  hooks?: {
    at: string[]
    /** None at all where they are not wanted. */
    byEvent: HooksByEvent
    /** What else the file must say. */
    beside: Entry
  }
  allowed?: { at: string[]; values: string[] }
}

/** What our plugin brings, beside hooks. */
const pluginToolsets: SetupToolset[] = ['coordination']

/** One for each file, in the order in which they are shown. */
export function partsOf(
  client: SetupClient,
  places: Places,
  wanted: Wanted,
  {
    toolsets,
    hasHooks,
    hasPlugin = false,
  }: { toolsets: SetupToolset[]; hasHooks: boolean; hasPlugin?: boolean },
): FileParts[] {
  const files = new Map<string, FileParts>()
  const fileAt = (path: string): FileParts => {
    const file = files.get(path) ?? { path, client }
    files.set(path, file)
    return file
  }
  const servers = client.servers(places, wanted.scope)
  const entryOf = (toolset: SetupToolset) => client.mcpEntryOf(toolset, wanted)
  const without = hasPlugin ? pluginToolsets : []
  fileAt(servers.path).servers = {
    at: servers.at,
    toolsets: toolsets.filter((toolset) => !without.includes(toolset)),
    without,
    entryOf,
  }
  const allowed = client.allowed?.(places, wanted.scope)
  if (allowed) {
    const nameOf = (toolset: SetupToolset) =>
      `${without.includes(toolset) ? 'plugin_agentmail_' : ''}${serverNameOf(toolset)}`
    const values = toolsets.filter(isTrusted).map((toolset) => `mcp__${nameOf(toolset)}`)
    fileAt(allowed.path).allowed = { at: allowed.at, values }
  }
  const hooks = client.hooks?.(places, wanted.scope)
  if (hooks) {
    fileAt(hooks.path).hooks = {
      at: hooks.at,
      byEvent: hasHooks && !hasPlugin ? (client.hooksOf?.(wanted) ?? {}) : {},
      beside: client.hooksFile ?? {},
    }
  }
  return [...files.values()]
}
