/** Coordination on the database itself, where no server answers for it. */
import type { AddressBook } from '../addresses/address-book.ts'
import type { Config } from '../config.ts'
import type { AgentEntry, AgentName, AgentsRequest } from '../coordination/agents.ts'
import type { Coordination, Project } from '../coordination/coordination.ts'
import type { Difference, DifferenceRequest } from '../coordination/difference.ts'
import type { HistoryEntry, HistoryRequest } from '../coordination/history.ts'
import type { AnsweredMessage } from '../coordination/inbox/answered.ts'
import type { InboxPage, InboxRequest } from '../coordination/inbox/inbox.ts'
import type { NotifiedWay } from '../coordination/inbox/receipts.ts'
import type { SentEntry, SentRequest } from '../coordination/inbox/sent.ts'
import type { AgentStanding } from '../coordination/inbox/standing.ts'
import type { WaitingEntry, WaitingRequest } from '../coordination/inbox/waiting.ts'
import type { MessageEntry, MessagesRequest } from '../coordination/messages.ts'
import type { ProjectEntry } from '../coordination/projects/projects.ts'
import type { FoundEntry, SearchPage, SearchRequest } from '../coordination/search/search.ts'
import type { SessionName } from '../coordination/sessions/session-rows.ts'
import type { SessionSearch } from '../coordination/sessions/sessions.ts'
import type { Untold, WakingView } from '../coordination/sessions/waking.ts'
import { AgentMailError } from '../errors.ts'
import { type Database, databaseOf } from '../store/database.ts'
import { tools } from '../tools/coordination/index.ts'
import type { ToolResult } from '../tools/define-tool.ts'
import { type Connection, type Guest, overPages, type ToldOf } from './connection.ts'
import type { Here } from './here.ts'
import { type OwnProject, openProject } from './open-coordination.ts'
import {
  agentsQuery,
  answeredQuery,
  checked,
  inboxQuery,
  messagesQuery,
  notifiedQuery,
  searchQuery,
  sentQuery,
  sessionQuery,
  visitQuery,
  waitingQuery,
} from './queries.ts'

/** Where this process stands. */
interface Standing {
  here: Here
  place: string
}

/** @param options.isStaying stale agents are removed now; with it, from time to time. */
export const onDatabase = (
  config: Config,
  standing: Standing,
  options: { isStaying?: boolean } = {},
): Promise<Connection> => opened(config, standing, databaseOf(config), options)

/** Nothing where there is no database yet: none is made. */
export async function onDatabaseIfThere(
  config: Config,
  standing: Standing,
): Promise<Connection | undefined> {
  const database = databaseOf(config, { create: false })
  const view = await database.view().catch((error) => {
    throw database.explained(error)
  })
  await view?.close()
  // One on a server is made by whoever serves it: a name that leads to none is a mistake, and told.
  const isNone = view === undefined && database.path !== undefined
  return isNone ? undefined : opened(config, standing, database)
}

async function opened(
  config: Config,
  { here, place }: Standing,
  database: Database,
  { isStaying = false } = {},
): Promise<Connection> {
  const ofAll = config.withoutRepository()
  const sweepMs = ofAll.seconds('sweepSeconds') * 1000
  const versionMs = ofAll.seconds('doltCommitSeconds') * 1000
  const { coordination, own, book } = await openProject(config, database, here)
  coordination.startKeepingVersions(versionMs)
  if (isStaying) coordination.startSweeping(sweepMs)
  else if (!(await coordination.isAttended())) await coordination.sweep()
  return new LocalConnection(coordination, { own, book, place, through: database.name })
}

export class LocalConnection implements Connection {
  readonly through: string
  readonly project: string
  readonly unknownProject: string | undefined
  readonly canBeLost = false
  readonly #coordination: Coordination
  readonly #project: Project
  readonly #book: AddressBook
  readonly #place: string
  readonly #kept = new Set<string>()

  constructor(
    coordination: Coordination,
    options: { own: OwnProject; book: AddressBook; through: string; place: string },
  ) {
    this.#book = options.book
    this.#place = options.place
    this.through = options.through
    this.project = options.own.name
    this.unknownProject = options.own.unknown
    this.#coordination = coordination
    this.#project = coordination.project(options.own.key)
  }

  async call(
    name: string,
    args: object | undefined,
    signal?: AbortSignal,
    session?: SessionSearch,
  ): Promise<ToolResult> {
    const tool = tools.find((one) => one.name === name)
    if (!tool) throw new AgentMailError('internal', `there is no tool ${name}`)
    const context = { project: this.#project, book: this.#book, signal, session }
    return tool.call(async () => context, args)
  }

  agents(request: Omit<AgentsRequest, 'after'> = {}): AsyncIterable<AgentEntry> {
    return overPages((after) =>
      this.#project.agents.list(checked(agentsQuery, { ...request, after })),
    )
  }

  standings(request: Omit<AgentsRequest, 'after'> = {}): AsyncIterable<AgentStanding> {
    return overPages((after) =>
      this.#project.standings(checked(agentsQuery, { ...request, after })),
    )
  }

  async messages(
    request: MessagesRequest,
  ): Promise<{ messages: MessageEntry[]; has_more: boolean }> {
    return this.#project.messages.look(checked(messagesQuery, request))
  }

  async sent(request: SentRequest): Promise<{ sent: SentEntry[] }> {
    return this.#project.sent(checked(sentQuery, request))
  }

  async inbox(request: InboxRequest): Promise<InboxPage> {
    return this.#project.inbox(checked(inboxQuery, request))
  }

  async answered(answer: AnsweredMessage): Promise<void> {
    await this.#project.answered(checked(answeredQuery, answer))
  }

  async silence(name: string): Promise<{ warning?: string }> {
    const warning = await this.#project.silence(name)
    return warning === undefined ? {} : { warning }
  }

  async waitingFor(
    request: WaitingRequest,
    signal?: AbortSignal,
  ): Promise<{ waiting: WaitingEntry[] }> {
    return this.#project.waitingFor(checked(waitingQuery, request), signal)
  }

  async notified(told: ToldOf): Promise<void> {
    const { name, up_to, by } = checked(notifiedQuery, told)
    await this.#project.receipts.notified(name, up_to, by)
  }

  async session(name: SessionName): Promise<WakingView | undefined> {
    return this.#project.sessions.view(checked(sessionQuery, name))
  }

  async announce(name: SessionName, by: NotifiedWay): Promise<Untold> {
    return this.#project.sessions.announce(checked(sessionQuery, name), by)
  }

  history(request: HistoryRequest): AsyncIterable<HistoryEntry> {
    return this.#project.history(request)
  }

  difference(request: DifferenceRequest): AsyncIterable<Difference> {
    return this.#project.difference(request)
  }

  prunedBefore(request: HistoryRequest): Promise<{ pruned_before: string | null }> {
    return this.#project.prunedBefore(request)
  }

  async search(request: SearchRequest): Promise<SearchPage<FoundEntry>> {
    return this.#project.search(checked(searchQuery, request))
  }

  async projects(): Promise<{ projects: ProjectEntry[] }> {
    return { projects: await this.#coordination.projects.list() }
  }

  renameProject(from: string, to: string): Promise<void> {
    return this.#coordination.projects.rename(from, to)
  }

  async visit(guest: Guest): Promise<{ agent_id: string }> {
    return this.#project.agents.register({ ...checked(visitQuery, guest), isGuest: true })
  }

  async standHere(agentId: string): Promise<void> {
    await this.#project.standAt(agentId, this.#place).catch(() => {})
  }

  sessionAgent(search: SessionSearch, hasMailbox?: boolean): Promise<AgentName | undefined> {
    return this.#project.sessions.agentOf(search, hasMailbox)
  }

  leave(agentId: string): Promise<void> {
    return this.#project.agents.leave(agentId)
  }

  keepAlive(agentId: string): void {
    if (this.#kept.has(agentId)) return
    this.#kept.add(agentId)
    this.#project.hold(agentId)
  }

  stopWaiting(): void {
    this.#coordination.stopWaiting()
  }

  close(): Promise<void> {
    return this.#coordination.close()
  }
}
