/** Through a running server: the tools at /mcp, the rest at /api. Every request has a time-out. */
import type { AgentEntry } from '../coordination/agents.ts'
import type { Difference, DifferenceRequest } from '../coordination/difference.ts'
import type { HistoryEntry, HistoryRequest } from '../coordination/history.ts'
import type { MessageEntry, MessagesRequest } from '../coordination/messages.ts'
import { AgentMailError } from '../errors.ts'
import { isRecord } from '../system/text.ts'
import type { ToolResult } from '../tools/define-tool.ts'
import { version } from '../version.ts'
import type { Connection } from './connection.ts'

const protocolVersion = '2026-07-28'
const answerMs = 20_000
const helloMs = 2_000

const meta = {
  'io.modelcontextprotocol/protocolVersion': protocolVersion,
  'io.modelcontextprotocol/clientInfo': { name: 'agentmail', version },
  'io.modelcontextprotocol/clientCapabilities': {},
}

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
  }

  /**
   * Says hello, and throws where nobody answers as AgentMail.
   *
   * @param instance the very start of a server that must answer; any will do without it.
   */
  static async open(options: RemoteOptions, instance?: string): Promise<RemoteConnection> {
    const connection = new RemoteConnection({ ...options, url: options.url.replace(/\/+$/, '') })
    const health = await connection.#get('/health', {}, helloMs)
    const isIt = isRecord(health) && typeof health.stale_seconds === 'number'
    if (!isIt || (instance !== undefined && health.instance !== instance)) {
      throw unreachable(options.url, 'what answers there is another program')
    }
    connection.#staleMs = Number(health.stale_seconds) * 1000
    await connection.#get('/api/agents', {}, helloMs) // so that a wrong token is told now
    return connection
  }

  async call(tool: string, args: object = {}, signal?: AbortSignal): Promise<ToolResult> {
    const waitMs =
      isRecord(args) && typeof args.wait_seconds === 'number' ? args.wait_seconds * 1000 : 0
    const waiting = new AbortController()
    if (waitMs > 0) this.#waiting.add(waiting)
    const answering = this.#call(
      tool,
      args,
      waitMs,
      signal ? [signal, waiting.signal] : [waiting.signal],
    )
    return answering
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
    signals: AbortSignal[],
  ): Promise<ToolResult> {
    const { project } = this.#options
    const response = await this.#fetch(`/mcp${project ? `/${encodeURIComponent(project)}` : ''}`, {
      method: 'POST',
      ms: answerMs + waitMs,
      signals,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': protocolVersion,
        'mcp-method': 'tools/call',
        'mcp-name': tool,
      },
      body: {
        jsonrpc: '2.0',
        id: ++this.#lastId,
        method: 'tools/call',
        params: { name: tool, arguments: args, _meta: meta },
      },
    })
    const answer = await jsonOf(response, this.#options.url)
    if (isRecord(answer) && isRecord(answer.result)) return toolResult(answer.result)
    throw unreachable(this.#options.url, 'it gave an answer that is no result')
  }

  async agents({ known = false } = {}): Promise<{ agents: AgentEntry[] }> {
    return this.#get('/api/agents', { known: known ? 'true' : undefined })
  }

  async messages(
    request: MessagesRequest,
  ): Promise<{ messages: MessageEntry[]; has_more: boolean }> {
    return this.#get('/api/messages', { ...request }, answerMs + (request.wait_seconds ?? 0) * 1000)
  }

  history(request: HistoryRequest): AsyncGenerator<HistoryEntry> {
    return this.#lines(this.#path('/api/history', { ...request }))
  }

  difference(request: DifferenceRequest): AsyncGenerator<Difference> {
    return this.#lines(this.#path('/api/difference', { ...request }))
  }

  /** What a server of the same version sends, one JSON text a line. */
  async *#lines<T>(path: string): AsyncGenerator<T> {
    const response = await this.#fetch(path, { ms: 300_000 })
    await refuse(response, this.#options.url)
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line)
    }
  }

  async leave(agentId: string): Promise<void> {
    const response = await this.#fetch(this.#path('/api/leave', {}), {
      method: 'POST',
      ms: answerMs,
      headers: { 'content-type': 'application/json' },
      body: { agent_id: agentId },
    })
    await jsonOf(response, this.#options.url)
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

  async #get<T>(path: string, query: object, ms = answerMs): Promise<T> {
    const response = await this.#fetch(this.#path(path, query), { ms })
    // What a server of ours answers has the shape that its own code gives it.
    return (await jsonOf(response, this.#options.url)) as T
  }

  #path(path: string, query: object): string {
    const { project } = this.#options
    const given = Object.entries({ ...query, project }).filter(([, value]) => value !== undefined)
    return `${path}?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`
  }

  async #fetch(
    path: string,
    options: {
      ms: number
      method?: string
      headers?: Record<string, string>
      body?: object
      signals?: AbortSignal[]
    },
  ): Promise<Response> {
    const { url } = this.#options
    const token = path.startsWith('/health') ? undefined : this.#options.token // not before it is known
    const signals = [AbortSignal.timeout(options.ms), this.#closing.signal]
    signals.push(...(options.signals ?? []))
    try {
      return await fetch(`${url}${path}`, {
        method: options.method ?? 'GET',
        headers: { ...options.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) },
        ...(options.body ? { body: JSON.stringify(options.body) } : {}),
        redirect: 'error',
        signal: AbortSignal.any(signals),
      })
    } catch (error) {
      throw unreachable(url, reasonOf(error))
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

async function jsonOf(response: Response, url: string): Promise<unknown> {
  await refuse(response, url)
  try {
    return await response.json()
  } catch (error) {
    throw unreachable(url, reasonOf(error))
  }
}

/** Throws what the server refuses, in its words. */
async function refuse(response: Response, url: string): Promise<void> {
  if (response.ok) return
  const body: unknown = await response.json().catch(() => undefined)
  const given =
    isRecord(body) && isRecord(body.error) && typeof body.error.message === 'string'
      ? body.error.message
      : undefined
  const words = given ?? `it answered with HTTP status ${response.status}`
  if (response.status === 401) {
    throw new AgentMailError(
      'server_refused',
      `the server at ${url} wants another token`,
      'Set AGENTMAIL_TOKEN to the token that the server was started with.',
    )
  }
  if (response.status < 500) throw new AgentMailError('server_refused', words)
  if (response.status === 503 && given) {
    const [message = '', next] = given.split('\n')
    throw new AgentMailError('storage', message, next)
  }
  throw unreachable(url, words)
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'it did not answer in time'
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message
}

const unreachable = (url: string, why: string) =>
  new AgentMailError(
    'server_unreachable',
    `the server at ${url} cannot be reached (${why})`,
    'Check that it runs (agentmail serve) and that the address is right.',
  )
