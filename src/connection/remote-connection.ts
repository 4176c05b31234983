/** Through a running server: the tools at /mcp, the rest at /api. Every request has a time-out. */
import { setMaxListeners } from 'node:events'
import type { AgentEntry, AgentsRequest } from '../coordination/agents.ts'
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
import {
  exchange,
  type HttpRequest,
  NoReply,
  openReply,
  wholeReply,
} from '../system/http-request.ts'
import { isRecord, jsonOf } from '../system/text.ts'
import type { ToolResult } from '../tools/define-tool.ts'
import { type Connection, type Guest, overPages, type ToldOf } from './connection.ts'
import type { Here } from './here.ts'
import { reasonOf, refusal, unreachable } from './remote-errors.ts'
import { nothingNew, toolCall, toolResult } from './tool-call.ts'

const answerMs = 20_000
const helloMs = 2_000
const linesMs = 300_000
/** More than any answer of a server of ours that is not read while it comes. */
const maxAnswerBytes = 64 << 20

type Asked = Omit<HttpRequest, 'url'>

export interface RemoteOptions {
  url: string
  token: string | undefined
  /** That of the folder in which the server was started, where nothing is said. */
  here?: Here
  /** Where this process stands. */
  place?: string
}

export class RemoteConnection implements Connection {
  readonly through: string
  readonly canBeLost = true
  project = ''
  readonly #options: RemoteOptions
  readonly #kept = new Set<string>()
  readonly #closing = new AbortController()
  /** The calls that wait for messages. */
  readonly #waiting = new Set<AbortController>()
  #staleMs = 120_000
  #timer: NodeJS.Timeout | undefined
  #lastId = 0

  private constructor(options: RemoteOptions) {
    this.#options = options
    this.through = `the server at ${options.url}`
    setMaxListeners(0, this.#closing.signal) // each request that is under way is one
  }

  /**
   * Says hello, and throws where nobody answers as AgentMail.
   *
   * @param instance the very start of a server that must answer; any will do without it.
   */
  static async open(options: RemoteOptions, instance?: string): Promise<RemoteConnection> {
    const connection = new RemoteConnection({ ...options, url: options.url.replace(/\/+$/, '') })
    let lost: AgentMailError | undefined
    const health = await connection.#get('/health', {}, helloMs).catch((error) => {
      if (!AgentMailError.is(error, 'database_lost')) throw error
      lost = error
      return error.details
    })
    const isIt = isRecord(health) && typeof health.stale_seconds === 'number'
    if (!isIt || (instance !== undefined && health.instance !== instance)) {
      throw unreachable(options.url, 'what answers there is another program')
    }
    if (lost) throw lost
    connection.#staleMs = Number(health.stale_seconds) * 1000
    await connection.#enter(options.here) // so that a wrong token is told now
    return connection
  }

  async #enter(here: Here | undefined): Promise<void> {
    if (here && !('project' in here)) {
      const asked = { limit: helloMs, json: here }
      const { project } = Object(await this.#ask('/api/project', asked))
      this.project = String(project)
      return
    }
    this.project = here?.project ?? ''
    await this.#get('/api/agents', { limit: 1 }, helloMs)
  }

  async call(tool: string, args: object = {}, signal?: AbortSignal): Promise<ToolResult> {
    const waitMs =
      isRecord(args) && typeof args.wait_seconds === 'number' ? args.wait_seconds * 1000 : 0
    const waiting = new AbortController()
    if (waitMs > 0) this.#waiting.add(waiting)
    return this.#call(tool, args, waitMs, [signal, waiting.signal])
      .catch((error) => {
        if (waiting.signal.aborted) return nothingNew
        throw error
      })
      .finally(() => this.#waiting.delete(waiting))
  }

  async #call(
    tool: string,
    args: object,
    waitMs: number,
    outer: (AbortSignal | undefined)[],
  ): Promise<ToolResult> {
    const { project } = this
    const answer = await this.#ask(`/mcp${project ? `/${encodeURIComponent(project)}` : ''}`, {
      limit: answerMs + waitMs,
      outer,
      ...toolCall(++this.#lastId, tool, args),
    })
    if (isRecord(answer) && isRecord(answer.result)) return toolResult(answer.result)
    throw unreachable(this.#options.url, 'it gave an answer that is no result')
  }

  agents(request: Omit<AgentsRequest, 'after'> = {}): AsyncIterable<AgentEntry> {
    return overPages((after) => this.#get('/api/agents', { ...request, after }))
  }

  standings(request: Omit<AgentsRequest, 'after'> = {}): AsyncIterable<AgentStanding> {
    return overPages((after) => this.#get('/api/standings', { ...request, after }))
  }

  async messages(
    request: MessagesRequest,
  ): Promise<{ messages: MessageEntry[]; has_more: boolean }> {
    return this.#get('/api/messages', { ...request }, answerMs + (request.wait_seconds ?? 0) * 1000)
  }

  sent(request: SentRequest): Promise<{ sent: SentEntry[] }> {
    return this.#get('/api/sent', { ...request })
  }

  inbox(request: InboxRequest): Promise<InboxPage> {
    return this.#get('/api/inbox', { ...request })
  }

  silence(name: string): Promise<{ warning?: string }> {
    return this.#get('/api/silence', { name })
  }

  async waitingFor(
    request: WaitingRequest,
    signal?: AbortSignal,
  ): Promise<{ waiting: WaitingEntry[] }> {
    const limit = answerMs + (request.wait_seconds ?? 0) * 1000
    return this.#post('/api/waiting', request, { limit, outer: [signal] })
  }

  notified(told: ToldOf): Promise<void> {
    return this.#post('/api/notified', told)
  }

  history(request: HistoryRequest): AsyncGenerator<HistoryEntry> {
    return this.#lines(this.#path('/api/history', { ...request }))
  }

  difference(request: DifferenceRequest): AsyncGenerator<Difference> {
    return this.#lines(this.#path('/api/difference', { ...request }))
  }

  prunedBefore(request: HistoryRequest): Promise<{ pruned_before: string | null }> {
    return this.#get('/api/horizon', { ...request })
  }

  search(request: SearchRequest): Promise<SearchPage<FoundEntry>> {
    return this.#get('/api/search', { ...request }, linesMs)
  }

  /** What a server of the same version sends, one JSON text a line. */
  async *#lines<T>(path: string): AsyncGenerator<T> {
    const { url } = this.#options
    try {
      const reply = await openReply(this.#request(path, { limit: linesMs }))
      if (!isOk(reply)) throw refusal(await wholeReply(reply, maxAnswerBytes), url)
      let rest = ''
      const decoder = new TextDecoder()
      for await (const chunk of reply.chunks) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) yield JSON.parse(line)
      }
    } catch (error) {
      throw error instanceof NoReply ? unreachable(url, reasonOf(error)) : error
    }
  }

  projects(): Promise<{ projects: ProjectEntry[] }> {
    return this.#get('/api/projects', {})
  }

  async renameProject(from: string, to: string): Promise<void> {
    await this.#post('/api/projects/rename', { from, to })
  }

  async visit(guest: Guest): Promise<{ agent_id: string }> {
    const { agent_id } = Object(
      await this.#ask(this.#path('/api/visit', {}), { limit: answerMs, json: guest }),
    )
    return { agent_id: String(agent_id) }
  }

  async standHere(agentId: string): Promise<void> {
    const json = { agent_id: agentId, place: this.#options.place }
    await this.#ask(this.#path('/api/place', {}), { limit: helloMs, json }).catch(() => {})
  }

  async leave(agentId: string): Promise<void> {
    await this.#post('/api/leave', { agent_id: agentId })
  }

  keepAlive(agentId: string): void {
    this.#kept.add(agentId)
    this.#timer ??= setInterval(() => this.#heartbeats(), Math.min(30_000, this.#staleMs / 4))
  }

  stopWaiting(): void {
    for (const waiting of this.#waiting) waiting.abort()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closing.abort()
  }

  async #heartbeats(): Promise<void> {
    for (const agent_id of this.#kept) {
      const result = await this.call('heartbeat', { agent_id }).catch(() => undefined)
      if (result?.isError) this.#kept.delete(agent_id) // it has to register again, which only it can do
    }
  }

  async #get<T>(path: string, query: object, limit = answerMs): Promise<T> {
    // What a server of ours answers has the shape that its own code gives it.
    return (await this.#ask(this.#path(path, query), { limit })) as T
  }

  async #post<T>(path: string, json: object, bounds: Asked = { limit: answerMs }): Promise<T> {
    return (await this.#ask(this.#path(path, {}), { ...bounds, json })) as T
  }

  #path(path: string, query: object): string {
    const given = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...query, project: this.project || undefined })) {
      const values = Array.isArray(value) ? value : [value]
      for (const one of values) if (one !== undefined) given.append(name, String(one))
    }
    return `${path}?${given}`
  }

  async #ask(path: string, asked: Asked): Promise<unknown> {
    const { url } = this.#options
    const reply = await exchange(this.#request(path, asked), maxAnswerBytes).catch((error) => {
      const isUnasked = error instanceof NoReply && !error.mayHaveGoneOut
      throw unreachable(url, reasonOf(error), isUnasked)
    })
    if (!isOk(reply)) throw refusal(reply, url)
    const answer = jsonOf(reply.body ?? '')
    if (answer === undefined) throw unreachable(url, 'it gave an answer that is no JSON')
    return answer
  }

  #request(path: string, { headers, outer = [], ...asked }: Asked): HttpRequest {
    const { url } = this.#options
    const token = path.startsWith('/health') ? undefined : this.#options.token // not before it is known
    return {
      ...asked,
      url: new URL(`${url}${path}`),
      outer: [this.#closing.signal, ...outer],
      headers: { ...headers, ...(token ? { authorization: `Bearer ${token}` } : {}) },
    }
  }
}

const isOk = ({ status }: { status: number }): boolean => status >= 200 && status < 300
