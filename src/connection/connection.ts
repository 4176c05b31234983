/** A way to the coordination of a project: the same questions, whether a server answers or the database itself. */
import type { AgentEntry, AgentName, AgentsRequest } from '../coordination/agents.ts'
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
import type { ToolResult } from '../tools/define-tool.ts'

export interface Guest {
  name: string
  role: string
  /** What it was known by. */
  agent_id?: string | undefined
}

export interface ToldOf {
  name: string
  up_to: number
  by?: NotifiedWay | undefined
}

export interface Connection {
  /** What answers, for people. */
  readonly through: string
  /** The name of the project. */
  readonly project: string
  /** That nobody has used the project which was named, in words; known once a question was answered. */
  readonly unknownProject: string | undefined
  /** Whether a call may have been done without its answer arriving. */
  readonly canBeLost: boolean
  /** @param session in which it is called, where that is known. */
  call(
    tool: string,
    args: object | undefined,
    signal?: AbortSignal,
    session?: SessionSearch,
  ): Promise<ToolResult>
  /** Page by page, for as long as somebody asks for more; in the order of their ids. */
  agents(request?: Omit<AgentsRequest, 'after'>): AsyncIterable<AgentEntry>
  /** The same, with where they stand and how much waits for each. */
  standings(request?: Omit<AgentsRequest, 'after'>): AsyncIterable<AgentStanding>
  messages(request: MessagesRequest): Promise<{ messages: MessageEntry[]; has_more: boolean }>
  /** Direct messages under a name, newest first. */
  sent(request: SentRequest): Promise<{ sent: SentEntry[] }>
  /** The messages to a name, the oldest first; nothing is marked. */
  inbox(request: InboxRequest): Promise<InboxPage>
  /** Whoever has this name has answered a message to it, which is read by that. */
  answered(answer: AnsweredMessage): Promise<void>
  /** Why one of this name may not read soon what is written to it, in words. */
  silence(name: string): Promise<{ warning?: string }>
  /** Who of these names has messages to it that were not read. */
  waitingFor(request: WaitingRequest, signal?: AbortSignal): Promise<{ waiting: WaitingEntry[] }>
  /** Whoever has this name was told of the messages to it, up to this one. */
  notified(told: ToldOf): Promise<void>
  /** What a session of a coding client could be woken for; nothing where nobody knows it. */
  session(name: SessionName): Promise<WakingView | undefined>
  /** Notes that an idle session is told of what waits for it; an answer without any: it is not to be told. */
  announce(name: SessionName, by: NotifiedWay): Promise<Untold>
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
  /** Who a session of a coding client is, if it is known. @param hasMailbox it reads a mailbox under its name from now on. */
  sessionAgent(search: SessionSearch, hasMailbox?: boolean): Promise<AgentName | undefined>
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
