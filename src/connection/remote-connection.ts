/** Through a running server: the tools at /mcp, the rest at /api. Every request has a time-out. */
import { setMaxListeners } from 'node:events'
import type { AgentEntry, AgentsRequest } from '../coordination/agents.ts'
import type { Difference, DifferenceRequest } from '../coordination/difference.ts'
import type { HistoryEntry, HistoryRequest } from '../coordination/history.ts'
import type { SentEntry, SentRequest } from '../coordination/inbox/sent.ts'
import type { MessageEntry, MessagesRequest } from '../coordination/messages.ts'
import type { FoundEntry, SearchPage, SearchRequest } from '../coordination/search/search.ts'
import { AgentMailError } from '../errors.ts'
import {
  exchange,
  type HttpReply,
  type HttpRequest,
  NoReply,
  openReply,
  wholeReply,
} from '../system/http-request.ts'
import { isRecord, jsonOf } from '../system/text.ts'
import type { ToolResult } from '../tools/define-tool.ts'
import { version } from '../version.ts'
import { type Connection, overPages } from './connection.ts'

const protocolVersion = '2026-07-28'
const answerMs = 20_000
const helloMs = 2_000
const linesMs = 300_000
/** More than any answer of a server of ours that is not read while it comes. */
const maxAnswerBytes = 64 << 20

const meta = {
  'io.modelcontextprotocol/protocolVersion': protocolVersion,
  'io.modelcontextprotocol/clientInfo': { name: 'agentmail', version },
  'io.modelcontextprotocol/clientCapabilities': {},
}

type Asked = Omit<HttpRequest, 'url'>

export interface RemoteOptions {
  url: string
  token: string | undefined
  project: string | undefined
}

export class RemoteConnection implements Connection {
  readonly through: string
  readonly canBeLost = true
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
    await connection.#get('/api/agents', { limit: 1 }, helloMs) // so that a wrong token is told now
    return connection
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
    const { project, url } = this.#options
    const answer = await this.#ask(`/mcp${project ? `/${encodeURIComponent(project)}` : ''}`, {
      limit: answerMs + waitMs,
      outer,
      headers: {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': protocolVersion,
        'mcp-method': 'tools/call',
        'mcp-name': tool,
      },
      json: {
        jsonrpc: '2.0',
        id: ++this.#lastId,
        method: 'tools/call',
        params: { name: tool, arguments: args, _meta: meta },
      },
    })
    if (isRecord(answer) && isRecord(answer.result)) return toolResult(answer.result)
    throw unreachable(url, 'it gave an answer that is no result')
  }

  agents(request: Omit<AgentsRequest, 'after'> = {}): AsyncIterable<AgentEntry> {
    return overPages((after) => this.#get('/api/agents', { ...request, after }))
  }

  async messages(
    request: MessagesRequest,
  ): Promise<{ messages: MessageEntry[]; has_more: boolean }> {
    return this.#get('/api/messages', { ...request }, answerMs + (request.wait_seconds ?? 0) * 1000)
  }

  sent(request: SentRequest): Promise<{ sent: SentEntry[] }> {
    return this.#get('/api/sent', { ...request })
  }

  silence(name: string): Promise<{ warning?: string }> {
    return this.#get('/api/silence', { name })
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

  async leave(agentId: string): Promise<void> {
    await this.#ask(this.#path('/api/leave', {}), { limit: answerMs, json: { agent_id: agentId } })
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

  #path(path: string, query: object): string {
    const { project } = this.#options
    const given = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...query, project })) {
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

/** What a wait that is ended answers. */
const nothingNew: ToolResult = {
  content: [{ type: 'text', text: '{"messages":[],"has_more":false}' }],
  structuredContent: { messages: [], has_more: false },
}

function toolResult(result: Record<string, unknown>): ToolResult {
  const content = Array.isArray(result.content) ? result.content : []
  return {
    content: content.map((item) => ({
      type: 'text',
      text: isRecord(item) ? String(item.text) : '',
    })),
    ...(isRecord(result.structuredContent) ? { structuredContent: result.structuredContent } : {}),
    ...(result.isError ? { isError: true } : {}),
  }
}

const isOk = ({ status }: { status: number }): boolean => status >= 200 && status < 300

/** What the server refuses, in its words. */
function refusal({ status, body }: HttpReply, url: string): AgentMailError {
  const answer = jsonOf(body ?? '')
  const { message: told, data } = isRecord(answer) && isRecord(answer.error) ? answer.error : {}
  const given = typeof told === 'string' ? told : undefined
  if (isRecord(answer) && answer.status === lostCode) return lostAs(answer.message, answer)
  if (isRecord(data) && data.code === lostCode) return lostAs(given)
  const words = given ?? `it answered with HTTP status ${status}`
  if (status === 401) {
    return new AgentMailError(
      'server_refused',
      `the server at ${url} wants another token`,
      'Set AGENTMAIL_TOKEN to the token that the server was started with.',
    )
  }
  if (status >= 400 && status < 500) return new AgentMailError('server_refused', words)
  if (status === 503 && given) {
    const [message = '', next] = given.split('\n')
    return new AgentMailError('storage', message, next)
  }
  return unreachable(url, words)
}

const lostCode = 'database_lost'

/** @param health what its server said of itself, where it was asked that. */
function lostAs(words: unknown, health?: Record<string, unknown>): AgentMailError {
  const [message = '', next] = String(words).split('\n')
  return new AgentMailError(lostCode, message, next, health && { details: health })
}

function reasonOf(error: unknown): string {
  const cause = error instanceof NoReply ? error.cause : error
  if (error instanceof NoReply && error.isLate) return 'it did not answer in time'
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && cause.code !== 'ABORT_ERR' ? String(cause.code) : cause.message
}

/** @param isUnasked nobody has heard the question. */
const unreachable = (url: string, why: string, isUnasked = false) =>
  new AgentMailError(
    'server_unreachable',
    `the server at ${url} cannot be reached (${why})`,
    'Check that it runs (agentmail serve) and that the address is right.',
    { details: { isUnasked } },
  )
