/** Through a running server: the tools, and the questions beyond them. Every request has a time-out. */
import type { AgentEntry, AgentName, AgentsRequest } from '../../coordination/agents.ts'
import type { Difference, DifferenceRequest } from '../../coordination/difference.ts'
import type { HistoryEntry, HistoryRequest } from '../../coordination/history.ts'
import type { AnsweredMessage } from '../../coordination/inbox/answered.ts'
import type { InboxPage, InboxRequest } from '../../coordination/inbox/inbox.ts'
import type { NotifiedWay } from '../../coordination/inbox/receipts.ts'
import type { SentEntry, SentRequest } from '../../coordination/inbox/sent.ts'
import type { AgentStanding } from '../../coordination/inbox/standing.ts'
import type { WaitingEntry, WaitingRequest } from '../../coordination/inbox/waiting.ts'
import type { MessageEntry, MessagesRequest } from '../../coordination/messages.ts'
import type { ProjectEntry } from '../../coordination/projects/projects.ts'
import type { FoundEntry, SearchPage, SearchRequest } from '../../coordination/search/search.ts'
import type { SessionName } from '../../coordination/sessions/session-rows.ts'
import type { SessionSearch } from '../../coordination/sessions/sessions.ts'
import type { Untold, WakingView } from '../../coordination/sessions/waking.ts'
import { keptMeta, passedOnAs } from '../../sessions/moment.ts'
import { isRecord } from '../../system/text.ts'
import type { ToolResult } from '../../tools/define-tool.ts'
import { type Connection, type Guest, overPages, type ToldOf } from '../connection.ts'
import type { Here } from '../here.ts'
import { ProjectLine } from './project-line.ts'
import { unreachable } from './remote-errors.ts'
import { type Question, type ServerAddress, ServerLine } from './server-line.ts'
import { isToolResult, nothingNew, toolCall, toolResult } from './tool-call.ts'

const answerMs = 20_000
const helloMs = 2_000
/** A search may go through all that was ever said. */
const searchMs = 300_000

/** Where a process stands that asks. */
interface Standpoint {
  /** That of the folder in which the server was started, where nothing is said. */
  here?: Here
  /** Where this process stands. */
  place?: string
}

interface Called {
  tool: string
  args: object
  session: SessionSearch | undefined
  /** Whether it only keeps an agent alive. */
  isKept?: boolean
}

export class RemoteConnection implements Connection {
  readonly through: string
  readonly canBeLost = true
  readonly #place: string | undefined
  readonly #line: ProjectLine
  readonly #kept = new Set<string>()
  /** The calls that wait for messages. */
  readonly #waiting = new Set<AbortController>()
  #timer: NodeJS.Timeout | undefined
  #lastId = 0

  /** Nothing is asked yet: the first question shows whether there is a server. */
  constructor(server: ServerLine, { here, place }: Standpoint = {}) {
    this.#line = new ProjectLine(server, here)
    this.#place = place
    this.through = `the server at ${this.#line.server.url}`
  }

  /** Throws where nobody answers as AgentMail, or a token is wrong. */
  static async open(
    address: ServerAddress,
    standpoint: Standpoint = {},
  ): Promise<RemoteConnection> {
    const connection = new RemoteConnection(new ServerLine(address), standpoint)
    try {
      await connection.#line.enter()
      return connection
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  /** Known once a question was answered. */
  get project(): string {
    return this.#line.project
  }

  get unknownProject(): string | undefined {
    return this.#line.unknown
  }

  /** Whether any question was answered; before that nothing was done. */
  get isEntered(): boolean {
    return this.#line.isEntered
  }

  async call(
    tool: string,
    args: object = {},
    signal?: AbortSignal,
    session?: SessionSearch,
  ): Promise<ToolResult> {
    const called = { tool, args, session }
    const waitMs =
      isRecord(args) && typeof args.wait_seconds === 'number' ? args.wait_seconds * 1000 : 0
    if (waitMs === 0) return this.#call(called, waitMs, [signal])
    const waiting = new AbortController()
    this.#waiting.add(waiting)
    return this.#call(called, waitMs, [signal, waiting.signal])
      .catch((error) => {
        if (waiting.signal.aborted) return nothingNew
        throw error
      })
      .finally(() => this.#waiting.delete(waiting))
  }

  async #call(
    called: Called,
    waitMs: number,
    outer: (AbortSignal | undefined)[],
  ): Promise<ToolResult> {
    const answer = await this.#answered(called, { limit: answerMs + waitMs, outer })
    if (isToolResult(answer)) return toolResult(answer)
    throw unreachable(this.#line.server.url, 'it gave an answer that is no result')
  }

  async #answered({ tool, args, session, isKept }: Called, bounds: Question): Promise<unknown> {
    const meta = isKept ? keptMeta : session && { [passedOnAs]: session }
    const call = { tool, arguments: args, meta }
    const isHarmless = tool.startsWith('get_') && bounds.limit === answerMs
    const body = JSON.stringify(call)
    const carried = isHarmless && (await this.#line.carried('/api/call', { ...bounds, body }))
    if (carried) return carried.answer
    await this.#line.enter()
    if (this.#line.server.takesCalls) return this.#line.post('/api/call', call, bounds)
    const path = `/mcp${this.project ? `/${encodeURIComponent(this.project)}` : ''}`
    const asked = { ...bounds, ...toolCall(++this.#lastId, tool, args) }
    const answer = await this.#line.ask(path, asked)
    return isRecord(answer) ? answer.result : undefined
  }

  agents(request: Omit<AgentsRequest, 'after'> = {}): AsyncIterable<AgentEntry> {
    return overPages((after) => this.#line.get('/api/agents', { ...request, after }))
  }

  standings(request: Omit<AgentsRequest, 'after'> = {}): AsyncIterable<AgentStanding> {
    return overPages((after) => this.#line.get('/api/standings', { ...request, after }))
  }

  async messages(
    request: MessagesRequest,
  ): Promise<{ messages: MessageEntry[]; has_more: boolean }> {
    const { wait_seconds: wait } = request
    if (wait === undefined) return this.#line.get('/api/messages', request)
    return this.#line.getThere('/api/messages', request, { limit: answerMs + wait * 1000 })
  }

  sent(request: SentRequest): Promise<{ sent: SentEntry[] }> {
    return this.#line.get('/api/sent', { ...request })
  }

  inbox(request: InboxRequest): Promise<InboxPage> {
    return this.#line.get('/api/inbox', { ...request })
  }

  answered(answer: AnsweredMessage): Promise<void> {
    return this.#line.post('/api/answered', answer)
  }

  silence(name: string): Promise<{ warning?: string }> {
    return this.#line.get('/api/silence', { name })
  }

  async waitingFor(
    request: WaitingRequest,
    signal?: AbortSignal,
  ): Promise<{ waiting: WaitingEntry[] }> {
    const limit = answerMs + (request.wait_seconds ?? 0) * 1000
    return this.#line.post('/api/waiting', request, { limit, outer: [signal] })
  }

  notified(told: ToldOf): Promise<void> {
    return this.#line.post('/api/notified', told)
  }

  async session(name: SessionName): Promise<WakingView | undefined> {
    const { session } = await this.#line.get<{ session?: WakingView }>('/api/session', { ...name })
    return session
  }

  announce(name: SessionName, by: NotifiedWay): Promise<Untold> {
    return this.#line.post('/api/announce', { ...name, by })
  }

  history(request: HistoryRequest): AsyncGenerator<HistoryEntry> {
    return this.#line.lines('/api/history', { ...request })
  }

  difference(request: DifferenceRequest): AsyncGenerator<Difference> {
    return this.#line.lines('/api/difference', { ...request })
  }

  prunedBefore(request: HistoryRequest): Promise<{ pruned_before: string | null }> {
    return this.#line.get('/api/horizon', { ...request })
  }

  search(request: SearchRequest): Promise<SearchPage<FoundEntry>> {
    return this.#line.getThere('/api/search', request, { limit: searchMs })
  }

  projects(): Promise<{ projects: ProjectEntry[] }> {
    return this.#line.get('/api/projects', {})
  }

  async renameProject(from: string, to: string): Promise<void> {
    await this.#line.post('/api/projects/rename', { from, to })
  }

  async visit(guest: Guest): Promise<{ agent_id: string }> {
    const { agent_id } = Object(await this.#line.post('/api/visit', guest))
    return { agent_id: String(agent_id) }
  }

  async standHere(agentId: string): Promise<void> {
    const json = { agent_id: agentId, place: this.#place }
    await this.#line.post('/api/place', json, { limit: helloMs }).catch(() => {})
  }

  async sessionAgent(search: SessionSearch, hasMailbox = false): Promise<AgentName | undefined> {
    const asked = { ...search, has_mailbox: hasMailbox }
    const { agent } = await this.#line.post<{ agent?: AgentName }>('/api/session/agent', asked)
    return agent
  }

  async leave(agentId: string): Promise<void> {
    await this.#line.post('/api/leave', { agent_id: agentId })
  }

  keepAlive(agentId: string): void {
    this.#kept.add(agentId)
    this.#timer ??= setInterval(
      () => this.#heartbeats(),
      Math.min(30_000, this.#line.server.staleSeconds * 250),
    )
  }

  stopWaiting(): void {
    for (const waiting of this.#waiting) waiting.abort()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#line.server.close()
  }

  async #heartbeats(): Promise<void> {
    for (const agent_id of this.#kept) {
      const called = { tool: 'heartbeat', args: { agent_id }, session: undefined, isKept: true }
      const result = await this.#call(called, 0, []).catch(() => undefined)
      if (result?.isError) this.#kept.delete(agent_id) // it has to register again, which only it can do
    }
  }
}
