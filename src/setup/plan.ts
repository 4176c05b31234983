/** What setup would change, file by file; nothing is written yet. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AgentMailError } from '../errors.ts'
import type {
  ClientName,
  FileSpot,
  Places,
  Scope,
  SetupClient,
  SetupToolset,
  Wanted,
} from './clients/client.ts'
import { setupClients } from './clients/clients.ts'
import { type ConfigFile, configText, readConfigFile } from './config-file.ts'
import { ownHooksIn, withEntries, withoutEntries } from './entries.ts'
import { isInstalled } from './found.ts'
import { importsAgents, withoutParagraph, withParagraph } from './paragraph.ts'
import { type FileParts, partsOf } from './parts.ts'
import { hasPlugin } from './plugin.ts'

export interface SetupRequest {
  /** Those that are named; of the rest, those that are installed. */
  clients: ClientName[]
  wanted: Wanted
  toolsets: SetupToolset[]
  hasHooks: boolean
  /** The paragraph in AGENTS.md or CLAUDE.md. */
  hasParagraph: boolean
}

export interface PlannedFile {
  file: ConfigFile
  scope: Scope
  clients: ClientName[]
  /** Nothing: it is removed. */
  after: string | undefined
  /** The same without a permission, for where another file of the client is refused while all are written. */
  unpermitted: string | undefined
  /** Takes out what is ours, from this file as it may have become. */
  strip: (text: string, before?: string) => string
}

interface PlannedClient {
  client: SetupClient
  isFound: boolean
  /** Not where they stand in the files of the other scope already: they would run twice. */
  hasHooks: boolean
  hooksElsewhere?: string
  /** Our plugin is installed in it, and brings server and hooks. */
  hasPlugin: boolean
}

export interface RefusedFile {
  path: string
  clients: ClientName[]
  error: AgentMailError
}

export interface SetupPlan {
  clients: PlannedClient[]
  files: PlannedFile[]
  refused: RefusedFile[]
  /** By file, what would be undone if setup had written it. */
  left: Map<string, string[]>
}

export const emptyPlan = (): SetupPlan => ({
  clients: [],
  files: [],
  refused: [],
  left: new Map(),
})

export function planSetup(request: SetupRequest, places: Places): SetupPlan {
  const plan = emptyPlan()
  for (const client of chosen(request.clients, places)) {
    const planned = plannedClient(client, request, places)
    plan.clients.push(planned)
    for (const parts of partsOf(client, places, request.wanted, { ...request, ...planned })) {
      if (planned.hooksElsewhere !== undefined) delete parts.hooks
      if (isRefused(plan, [client.name])) delete parts.allowed
      addParts(plan, parts, request.wanted.scope, places)
    }
  }
  if (request.hasParagraph) addParagraph(plan, places)
  return plan
}

/** Who may have no server of ours is given no permission: that would be for whoever's server has the name. */
export const isRefused = ({ refused }: SetupPlan, names: ClientName[]): boolean =>
  refused.some(({ clients }) => clients.some((client) => names.includes(client)))

export const chosen = (named: ClientName[], places: Places): SetupClient[] =>
  Object.values(setupClients).filter((client) =>
    named.length > 0 ? named.includes(client.name) : isInstalled(client, places),
  )

function plannedClient(client: SetupClient, request: SetupRequest, places: Places): PlannedClient {
  const isPlugin = hasPlugin(client, places)
  const hasHooks = request.hasHooks && client.hooksOf !== undefined && !isPlugin
  const planned = { client, isFound: isInstalled(client, places), hasHooks, hasPlugin: isPlugin }
  const [user, project] = [client.hooks?.(places, 'user'), client.hooks?.(places, 'project')]
  if (!hasHooks || !user || !project || user.path === project.path) return planned
  const isUser = request.wanted.scope === 'user'
  const elsewhere = isUser ? project : user
  const isThere = isUser
    ? // What the user has is kept up to date, whatever a repository says.
      !hasOwnHooks(user) && hasOwnHooks(project, places.repository)
    : hasOwnHooks(user)
  return isThere ? { ...planned, hasHooks: false, hooksElsewhere: elsewhere.path } : planned
}

const hasOwnHooks = (spot: FileSpot, repository?: string): boolean =>
  readable(() => ownHooksIn(configText(readConfigFile(spot.path, repository)), spot).length > 0)

function readable(look: () => boolean): boolean {
  try {
    return look()
  } catch {
    return false
  }
}

/** Two clients may share a file. */
function addParts(plan: SetupPlan, parts: FileParts, scope: Scope, places: Places): void {
  const { name } = parts.client
  const strip = (text: string, before?: string) => withoutEntries(text, parts, before)
  const { allowed, ...unpermitted } = parts
  change(plan, { path: parts.path, clients: [name], scope, strip }, places, (text, _, permitted) =>
    withEntries(text, permitted ? parts : unpermitted),
  )
}

type Target = Pick<PlannedFile, 'clients' | 'scope' | 'strip'> & { path: string }

export function change(
  plan: SetupPlan,
  { path, clients, scope, strip }: Target,
  places: Places,
  edit: (text: string, file: ConfigFile, isPermitted: boolean) => string | undefined,
): void {
  try {
    const file = readConfigFile(path, scope === 'project' ? places.repository : undefined)
    const there = plan.files.find((planned) => planned.file.target === file.target)
    if (there) {
      const { after, unpermitted } = there
      if (after !== undefined) there.after = edit(after, file, true)
      if (unpermitted !== undefined) there.unpermitted = edit(unpermitted, file, false)
      there.clients.push(...clients)
      const { strip: first } = there
      there.strip = (text, before) => strip(first(text, before), before)
    } else {
      const text = configText(file)
      const [after, unpermitted] = [edit(text, file, true), edit(text, file, false)]
      plan.files.push({ file, scope, clients: [...clients], after, unpermitted, strip })
    }
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    plan.refused.push({ path, clients, error })
  }
}

/** Whether anything in the file would be another; one that is not there is not made to hold nothing. */
export const isChange = ({ file, after }: PlannedFile): boolean =>
  after === undefined ? file.bytes !== undefined : (file.bytes?.toString('utf8') ?? '') !== after

function addParagraph(plan: SetupPlan, places: Places): void {
  const clients = plan.clients.map(({ client }) => client.name)
  for (const path of instructionFiles(places, clients)) {
    const target: Target = { path, clients: [], scope: 'project', strip: withoutParagraph }
    change(plan, target, places, withParagraph)
  }
}

/** Claude Code reads CLAUDE.md, which may lead to AGENTS.md; all others read that one. */
function instructionFiles(places: Places, clients: ClientName[]): string[] {
  const [forAll, forClaude] = allInstructionFiles(places)
  const isClaude = clients.includes('claude')
  const hasOthers = clients.some((client) => client !== 'claude')
  const isImport = readable(() =>
    importsAgents(configText(readConfigFile(forClaude, places.repository))),
  )
  const isForAll = hasOthers || (isClaude && isImport)
  const isForClaude = isClaude && !isImport && (!hasOthers || existsSync(forClaude))
  return [...(isForAll ? [forAll] : []), ...(isForClaude ? [forClaude] : [])]
}

/** Where the paragraph may be. */
export function allInstructionFiles({ repository }: Places): [string, string] {
  if (repository !== undefined)
    return [join(repository, 'AGENTS.md'), join(repository, 'CLAUDE.md')]
  throw new AgentMailError(
    'not_in_repository',
    'AGENTS.md belongs to a repository, and this is none',
    'Run this in the repository.',
  )
}
