/** A way to the coordination of a project: the same questions, whether a server answers or the database itself. */
import type { AddressBook } from '../addresses/address-book.ts'
import type { AgentEntry, AgentsRequest } from '../coordination/agents.ts'
import type { Coordination, Project } from '../coordination/coordination.ts'
import type { Difference, DifferenceRequest } from '../coordination/difference.ts'
import type { HistoryEntry, HistoryRequest } from '../coordination/history.ts'
import type { InboxPage, InboxRequest } from '../coordination/inbox/inbox.ts'
import type { SentEntry, SentRequest } from '../coordination/inbox/sent.ts'
import type { AgentStanding } from '../coordination/inbox/standing.ts'
import type { WaitingEntry, WaitingRequest } from '../coordination/inbox/waiting.ts'
import type { MessageEntry, MessagesRequest } from '../coordination/messages.ts'
import type { ProjectEntry } from '../coordination/projects/projects.ts'
import type { FoundEntry, SearchPage, SearchRequest } from '../coordination/search/search.ts'
import { AgentMailError } from '../errors.ts'
import { tools } from '../tools/coordination/index.ts'
import type { ToolResult } from '../tools/define-tool.ts'
import type { OwnProject } from './open-coordination.ts'
import {
  agentsQuery,
  checked,
  inboxQuery,
  messagesQuery,
  notifiedQuery,
  searchQuery,
  sentQuery,
  visitQuery,
  waitingQuery,
} from './queries.ts'

export interface Guest {
  name: string
  role: string
  /** What it was known by. */
  agent_id?: string | undefined
}

export interface ToldOf {
  name: string
  up_to: number
}

export interface Connection {
  /** What answers, for people. */
  readonly through: string
  /** The name of the project. */
  readonly project: string
  /** Whether a call may have been done without its answer arriving. */
  readonly canBeLost: boolean
  call(tool: string, args: object | undefined, signal?: AbortSignal): Promise<ToolResult>
  /** Page by page, for as long as somebody asks for more; in the order of their ids. */
  agents(request?: Omit<AgentsRequest, 'after'>): AsyncIterable<AgentEntry>
  /** The same, with where they stand and how much waits for each. */
  standings(request?: Omit<AgentsRequest, 'after'>): AsyncIterable<AgentStanding>
  messages(request: MessagesRequest): Promise<{ messages: MessageEntry[]; has_more: boolean }>
  /** Direct messages under a name, newest first. */
  sent(request: SentRequest): Promise<{ sent: SentEntry[] }>
  /** The messages to a name, the oldest first; nothing is marked. */
  inbox(request: InboxRequest): Promise<InboxPage>
  /** Why one of this name may not read soon what is written to it, in words. */
  silence(name: string): Promise<{ warning?: string }>
  /** Who of these names has messages to it that were not read. */
  waitingFor(request: WaitingRequest, signal?: AbortSignal): Promise<{ waiting: WaitingEntry[] }>
  /** Whoever has this name was told of the messages to it, up to this one. */
  notified(told: ToldOf): Promise<void>
  history(request: HistoryRequest): AsyncIterable<HistoryEntry>
  difference(request: DifferenceRequest): AsyncIterable<Difference>
  prunedBefore(request: HistoryRequest): Promise<{ pruned_before: string | null }>
  search(request: SearchRequest): Promise<SearchPage<FoundEntry>>
  /** All that the database has. */
  projects(): Promise<{ projects: ProjectEntry[] }>
  renameProject(from: string, to: string): Promise<void>
  /** Registers one who comes for one thing and leaves. */
  visit(guest: Guest): Promise<{ agent_id: string }>
  /** Tells that an agent was registered from the place of this process. Never fails: it is told for others' sake. */
  standHere(agentId: string): Promise<void>
  leave(agentId: string): Promise<void>
  /** Keeps an agent alive while the connection is open. */
  keepAlive(agentId: string): void
  /** Answers whoever waits through this connection. */
  stopWaiting(): void
  close(): Promise<void>
}

/** All agents of a list that is read in pages. */
export async function* overPages<Entry extends AgentEntry>(
  read: (after: string | undefined) => Promise<{ agents: Entry[]; has_more: boolean }>,
): AsyncGenerator<Entry> {
  for (let after: string | undefined; ; ) {
    const { agents, has_more } = await read(after)
    yield* agents
    after = agents.at(-1)?.agent_id
    if (!has_more || after === undefined) return
  }
}

/** On the database itself. */
export class LocalConnection implements Connection {
  readonly through: string
  readonly project: string
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
    this.#coordination = coordination
    this.#project = coordination.project(options.own.key)
  }

  async call(name: string, args: object | undefined, signal?: AbortSignal): Promise<ToolResult> {
    const tool = tools.find((one) => one.name === name)
    if (!tool) throw new AgentMailError('internal', `there is no tool ${name}`)
    return tool.call(async () => ({ project: this.#project, book: this.#book, signal }), args)
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
    const { name, up_to } = checked(notifiedQuery, told)
    await this.#project.receipts.notified(name, up_to)
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
