/** What agentmail up and ps show: what is up, who is here, what waits for you, what is set up. */
import type { DirectoryEntry } from '../../addresses/directory.ts'
import { personOf } from '../../addresses/person.ts'
import type { Config, Flags } from '../../config.ts'
import { listOf } from '../../connection/acting.ts'
import type { Connection } from '../../connection/connection.ts'
import { type Here, hereOf } from '../../connection/here.ts'
import { withOwnName } from '../../connection/own-name.ts'
import { namedServer } from '../../connection/remote/server-address.ts'
import { projectNameOf } from '../../coordination/projects/origin.ts'
import { AgentMailError } from '../../errors.ts'
import { mailmanLog } from '../../mailbox/mailman/in-background.ts'
import { pidIfRunning } from '../../mailbox/mailman/pid-file.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import { ownPane } from '../../mailbox/tmux.ts'
import { findServers, type RunningServer } from '../../server/background.ts'
import { healthAt } from '../../server/running.ts'
import { serverLog } from '../../server/server-record.ts'
import { databaseOf } from '../../store/database.ts'
import { repositoryAround } from '../../system/git.ts'
import { currentFolder } from '../../system/post-office-folder.ts'
import { shellWord } from '../../system/text.ts'
import { connectedIfThere } from '../coordination.ts'
import { lookInto, openInbox } from '../inbox/own-inbox.ts'
import { printError } from '../output.ts'
import { everybodyOf, recipientsHere } from '../who-is-here.ts'
import { type ClientState, clientStates } from './clients.ts'

/** Of a server that the settings name, elsewhere perhaps, only its address and version are known. */
export interface ServerView {
  url: string
  page: string
  state: RunningServer['state']
  version: string | null
  pid: number | null
  since: string | null
  database: string | null
  log: string | null
}

export interface Overview {
  project: string
  server: ServerView | null
  /** That serve the same database beside it. */
  other_servers: ServerView[]
  mailman: { pid: number; log: string } | null
  agents: DirectoryEntry[]
  /** For the agent that the environment names, else for the person, also in a window of tmux. `complete`: whether everybody could be asked who may have something. */
  waiting: {
    name: string
    inbox: number
    drafts: number
    unknown_sends: number
    complete: boolean
  }
  clients: ClientState[]
  next: string
}

/** Nothing is started or made. */
export async function overviewOf(flags: Flags, config: Config): Promise<Overview> {
  const here = await hereOf(config) // a project that cannot be one is an error, before anybody is asked
  const [server = null, ...other_servers] = await serversOf(config)
  const office = await officeHere(config)
  let isAsked = true
  const found = await connectedIfThere(
    flags,
    (connection) => look(flags, config, here, connection),
    { isQuiet: true }, // a project begins with it
  ).catch((error) => {
    isAsked = false
    return told(error)
  })
  const { project, agents, waiting } = found ?? (await look(flags, config, here))
  waiting.complete &&= isAsked
  const pid = office && pidIfRunning(office.pidFile)
  const overview = {
    project,
    server,
    other_servers,
    mailman: office && pid !== undefined ? { pid, log: mailmanLog(office) } : null,
    agents,
    waiting,
    clients: (await clientStates(config).catch(told)) ?? [],
  }
  const isRepository = 'root' in here || (await repositoryAround(currentFolder())) !== undefined
  return { ...overview, next: nextStep(overview, isRepository, ownPane(config) !== undefined) }
}

/** What cannot be asked is told, and keeps nobody from the rest. */
function told(error: unknown): undefined {
  if (!AgentMailError.is(error)) throw error
  printError(`warning: ${error.text}`)
}

/** None outside a repository, and none that cannot be used. */
export const officeHere = (config: Config): Promise<PostOffice | undefined> =>
  PostOffice.locate(config).catch((error) => {
    if (!AgentMailError.is(error)) throw error
    return undefined
  })

async function serversOf(config: Config): Promise<ServerView[]> {
  const named = namedServer(config)
  if (named) return [await viewOfNamed(named.url)]
  const database = databaseOf(config, { create: false })
  const log = serverLog(config, database)
  const servers = await findServers(config, database)
  return servers.map(({ url, state, version, pid, since, database: name }) => ({
    ...{ url, page: `${url}/`, state, version, pid, since, database: name, log },
  }))
}

export async function viewOfNamed(url: string): Promise<ServerView> {
  const { instance, status, version } = await healthAt(url)
  const known = { pid: null, since: null, database: null, log: null }
  const isOurs = typeof instance === 'string' && typeof version === 'string'
  const state = isOurs ? (status === 'ok' ? 'ok' : 'database_unavailable') : 'silent'
  return { url, page: `${url}/`, state, version: isOurs ? version : null, ...known }
}

async function look(flags: Flags, config: Config, here: Here, connection?: Connection) {
  const standings = connection ? await listOf(connection.standings()) : []
  const recipients = flags.project === undefined ? await recipientsHere(config) : []
  const agents = everybodyOf(config, standings, recipients)
  const project = connection?.project || nameOf(here)
  return { project, agents, waiting: await waitingFor(flags, config, connection) }
}

/** The name that the project of this folder would get. */
const nameOf = (here: Here): string => ('project' in here ? here.project : projectNameOf(here))

async function waitingFor(flags: Flags, config: Config, connection: Connection | undefined) {
  const named = await withOwnName(config)
  const name = named.text('agent') ?? personOf(config)
  const inbox = await openInbox({ ...flags, as: name }, named, connection).catch(told)
  const items = inbox && (await lookInto(inbox, connection, false).catch(told))
  const count = (...kinds: string[]) =>
    (items ?? []).filter(({ kind }) => kinds.includes(kind)).length
  return {
    name,
    inbox: count('mailbox', 'message'),
    drafts: count('draft'),
    unknown_sends: count('unknown_send'),
    complete: items !== undefined,
  }
}

function nextStep(
  { server, agents, waiting, clients }: Omit<Overview, 'next'>,
  isRepository: boolean,
  isInPane: boolean,
): string {
  if (server === null) return 'agentmail up starts the server.'
  if (server.state !== 'ok') {
    return server.pid === null
      ? 'Check AGENTMAIL_SERVER, and whether that server runs.'
      : 'agentmail down stops it; agentmail up starts another.'
  }
  const { inbox, drafts, unknown_sends } = waiting
  // Without it, the inbox in a window is that of the window.
  const as = isInPane ? ` --as ${shellWord(waiting.name)}` : ''
  if (inbox + drafts + unknown_sends > 0) return `agentmail inbox${as} shows what is for you.`
  // A window that has said nothing may be nobody's.
  const isQuiet = agents.every(({ agent_id, state }) => agent_id === null && state === null)
  const isSetUp = clients.some(({ state }) => state.startsWith('set up'))
  const start = `start your agents in ${isRepository ? 'this' : 'a'} repository.`
  if (isQuiet) return isSetUp ? start : `agentmail setup, then ${start}`
  return 'agentmail messages --follow shows what they say.'
}
