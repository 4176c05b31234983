/** How a client is set up, for those who look and change nothing. */
import { AgentMailError } from '../errors.ts'
import type { ClientName, Places, Wanted } from './clients/client.ts'
import { setupClients } from './clients/clients.ts'
import { configText, readConfigFile } from './config-file.ts'
import { withEntries, withoutEntries } from './entries.ts'
import { isInstalled } from './found.ts'
import { type FileParts, partsOf } from './parts.ts'

import { hasPlugin } from './plugin.ts'
import { ownServerEntry, urlOf } from './reached.ts'

/** `old`: ours, and not as this version writes it. */
type PartStatus = 'missing' | 'old' | 'current'

export interface ClientStatus {
  client: ClientName
  title: string
  isFound: boolean
  files: string[]
  /** Our plugin is installed in it: server and hooks are current where there are none beside. */
  hasPlugin: boolean
  server: PartStatus
  /** Nothing for a client that has none. */
  hooks?: PartStatus
  /** Nothing where no file says it. */
  permission?: PartStatus
  /** What is wrong with a file, or in it. */
  problems: { path: string; problem: string; advice: string }[]
  /** The command that sets up what is missing or old. */
  next?: string
}

/** In the scope that is wanted. A server that is reached over HTTP is as current as one that is started. */
export function setupStatusOf(name: ClientName, places: Places, wanted: Wanted): ClientStatus {
  const client = setupClients[name]
  const isPlugin = hasPlugin(client, places)
  const asked = { toolsets: ['coordination' as const], hasHooks: true, hasPlugin: isPlugin }
  const files = partsOf(client, places, wanted, asked).map(({ path }) => path)
  const isFound = isInstalled(client, places)
  const { title } = client
  const status: ClientStatus = {
    client: name,
    title,
    isFound,
    files,
    hasPlugin: isPlugin,
    server: 'missing',
    problems: [],
  }
  const meant = { ...wanted, server: wanted.server ?? serverNamed(name, places, wanted) }
  for (const { path, servers, hooks, allowed } of partsOf(client, places, meant, asked)) {
    const look = (parts: Partial<FileParts>) => partStatus(status, { path, client, ...parts })
    if (servers) status.server = look({ servers })
    if (hooks) status.hooks = look({ hooks })
    if (allowed) status.permission = look({ allowed })
  }
  const isSetUp = [status.server, status.hooks, status.permission].every(
    (part) => part === undefined || part === 'current',
  )
  const scope = wanted.scope === 'project' ? ' --scope project' : ''
  return isSetUp ? status : { ...status, next: `agentmail setup ${name}${scope}` }
}

function partStatus(status: ClientStatus, parts: FileParts): PartStatus {
  try {
    const text = configText(readConfigFile(parts.path))
    if (withEntries(text, parts) === text) return 'current'
    return withoutEntries(text, parts) === text ? 'missing' : 'old'
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    const { message: problem, next: advice = '' } = error
    const isKnown = status.problems.some(
      (one) => one.path === parts.path && one.problem === problem,
    )
    if (!isKnown) status.problems.push({ path: parts.path, problem, advice })
    return 'missing'
  }
}

/** The server that an entry of ours names. */
function serverNamed(name: ClientName, places: Places, wanted: Wanted): Wanted['server'] {
  const entry = ownServerEntry(name, places, wanted.scope)
  const url = entry && urlOf(entry)
  if (url === undefined) return undefined
  const hasToken = entry?.headers !== undefined || entry?.bearer_token_env_var !== undefined
  return { url, hasToken }
}
