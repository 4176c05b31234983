/** What is known of a coding client that can be set up: where its files are, and how entries are written in them. */
import { isAbsolute, join } from 'node:path'

export const clientNames = [
  ...(['claude', 'codex', 'gemini', 'qwen', 'copilot'] as const),
  ...(['opencode', 'cursor', 'vscode'] as const),
] as const
export type ClientName = (typeof clientNames)[number]

export const setupToolsets = [
  ...(['coordination', 'mailbox'] as const),
  ...(['obsidian', 'gmail', 'postmark'] as const),
] as const
export type SetupToolset = (typeof setupToolsets)[number]

/** `user`: wherever the client is started. `project`: in this repository. */
export const scopes = ['user', 'project'] as const
export type Scope = (typeof scopes)[number]

/** Where the files of clients are looked for. */
export interface Places {
  home: string
  /** The root of the worktree; nothing outside a repository. */
  repository: string | undefined
  env: Readonly<Record<string, string | undefined>>
}

/** What the entries are to say. */
export interface Wanted {
  /** The program: `agentmail`, or its path where it is not on PATH. */
  program: string
  scope: Scope
  /** Of the server on this machine that hooks call. */
  port: number
  /** A server that is called over HTTP instead of a program that is started. */
  server?: { url: string; hasToken: boolean } | undefined
  /** An edit is refused where nobody can say whether the file is held. */
  isGuardClosed: boolean
  vault?: string | undefined
  /** The entries stand in the files of our plugin, which know neither this machine nor its server. */
  isPlugin?: boolean
}

export type Entry = Record<string, unknown>
/** By event. */
export type HooksByEvent = Record<string, Entry[]>

/** Where in a file something stands. */
export interface FileSpot {
  path: string
  at: string[]
}

export interface SetupClient {
  name: ClientName
  title: string
  /** Any of them on PATH, or any of these folders, says that it is installed. */
  programs: string[]
  folders(places: Places): string[]
  servers(places: Places, scope: Scope): FileSpot
  mcpEntryOf(toolset: SetupToolset, wanted: Wanted): Entry
  hooks?(places: Places, scope: Scope): FileSpot
  hooksOf?(wanted: Wanted): HooksByEvent
  /** What else the file of hooks must say. */
  hooksFile?: Entry
  /** A list of what may run without a question. */
  allowed?(places: Places, scope: Scope): FileSpot
  /** Where the client notes that our plugin is installed. */
  plugin?(places: Places): FileSpot
  /** Why its tools may run, or what a person has to say to it. */
  permission: string
  /** What is left for a person to do. */
  steps(wanted: Wanted, has: { hooks: boolean }): string[]
}

/** As `agentmail plugin` has clients install it, and they note it. */
export const pluginName = 'agentmail@agentmail'

export const serverNameOf = (toolset: SetupToolset): string =>
  toolset === 'coordination' ? 'agentmail' : `agentmail-${toolset}`

/** Those whose tools touch nothing but the post office; a person is asked about the rest. */
export const isTrusted = (toolset: SetupToolset): boolean =>
  toolset === 'coordination' || toolset === 'mailbox'

/** Only coordination is served over HTTP. */
export const serverFor = (toolset: SetupToolset, { server }: Wanted) =>
  toolset === 'coordination' ? server : undefined

export const argumentsOf = (toolset: SetupToolset): string[] => ['mcp', toolset]

/** What a toolset is started with. E-mail is approved by a person before it leaves. */
export function environmentOf(toolset: SetupToolset, { vault }: Wanted): Record<string, string> {
  if (isTrusted(toolset)) return {}
  return {
    ...(toolset === 'obsidian' ? {} : { AGENTMAIL_SEND_POLICY: 'approve' }),
    ...(vault === undefined ? {} : { VAULT_PATH: vault }),
  }
}

/** `{command, args, env}` or `{url, headers}`, as most clients write it. @param token how the client writes a variable of the environment. */
export function usualEntry(toolset: SetupToolset, wanted: Wanted, token: string): Entry {
  const server = serverFor(toolset, wanted)
  if (server) {
    return {
      url: server.url,
      ...(server.hasToken ? { headers: { Authorization: `Bearer ${token}` } } : {}),
    }
  }
  const env = environmentOf(toolset, wanted)
  return {
    command: wanted.program,
    args: argumentsOf(toolset),
    ...(Object.keys(env).length > 0 ? { env } : {}),
  }
}

/** In the repository, or in the user's home. */
export function placeIn(
  { home, repository }: Places,
  scope: Scope,
  paths: Record<Scope, string>,
): string {
  const path = paths[scope]
  if (isAbsolute(path)) return path
  return join(scope === 'project' && repository !== undefined ? repository : home, path)
}

/** A folder that a variable may name. */
export const namedFolder = ({ home, env }: Places, variable: string, usual: string): string => {
  const named = env[variable]
  return named !== undefined && isAbsolute(named) ? named : join(home, usual)
}
