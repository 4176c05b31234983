/** One running MCP server: the handshake with it, the tools it has, and calls of them. */
import {
  type CallToolResult,
  Client,
  InMemoryTransport,
  ProtocolError,
  type Transport,
} from '@modelcontextprotocol/client'
import { type Answer, makeServer, type OpenToolset } from '../../mcp/server.ts'
import { sleep } from '../../system/clock.ts'
import { isRecord } from '../../system/text.ts'
import { version } from '../../version.ts'

export type ToolAnswer = CallToolResult
/** A server as it is talked to: one in a process of its own, or in this one. */
export interface ServerLink {
  /** The server's end of it is there when this has come. */
  open(): Promise<Transport>
  /** The last line on its stderr, as it came. */
  readonly lastLine: string
  /** Over when the server is gone; it has this long to finish. */
  stop(graceMs: number): Promise<unknown>
}
/** The names of the arguments of each tool. */
export type Tools = Map<string, string[]>

/** For a server that refuses the handshake of the revisions before it. */
const newest = '2026-07-28'
const maxPages = 100
/** The caller has a time-out of its own, which comes first. */
const never = { timeout: 2 ** 31 - 1 }

export class McpConnection {
  /** Settled when the server can be called, or cannot be. */
  readonly ready: Promise<void>
  /** Calls that should not be cut off in their midst. */
  gentleCalls = 0
  hasEnded = false
  readonly #start: () => ServerLink
  #link: ServerLink | undefined
  #transport: Transport | undefined
  #client: Client | undefined
  #tools: Promise<Tools> | undefined
  #isStopped = false

  /** @param after what must be over before the server is started */
  constructor(start: () => ServerLink, after: Promise<unknown>) {
    this.#start = start
    this.ready = after.then(() => this.#shakeHands())
    this.ready.catch(() => {}) // whoever waits for it is told
  }

  /** The last line on its stderr, as it came. */
  get lastLine(): string {
    return this.#link?.lastLine ?? ''
  }

  async #shakeHands(): Promise<void> {
    try {
      await this.#connect('legacy')
    } catch (refusal) {
      if (!(refusal instanceof ProtocolError)) throw refusal
      await this.#replace()
      await this.#connect({ pin: newest }).catch(() => Promise.reject(refusal))
    }
  }

  async #replace(): Promise<void> {
    if (!this.#transport) return
    this.#transport.onclose = () => {}
    await this.#transport.close()
  }

  async #connect(mode: 'legacy' | { pin: string }): Promise<void> {
    if (this.#isStopped) throw new Error('it was stopped before it was started')
    const client = new Client({ name: 'agentmail', version }, { versionNegotiation: { mode } })
    this.#link = this.#start()
    const transport = await this.#link.open()
    this.#transport = transport
    transport.onclose = () => {
      this.hasEnded = true
    }
    await client.connect(transport, never)
    this.#client = client
  }

  /** Whatever the server answers; a refusal by the protocol is thrown. */
  async call(name: string, args: Record<string, unknown>): Promise<ToolAnswer> {
    return this.#open.request({ method: 'tools/call', params: { name, arguments: args } }, never)
  }

  /** Asked for once. */
  tools(): Promise<Tools> {
    this.#tools ??= this.#listTools().catch((error) => {
      this.#tools = undefined
      throw error
    })
    return this.#tools
  }

  async #listTools(): Promise<Tools> {
    const tools: Tools = new Map()
    let cursor: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const params = cursor === undefined ? {} : { cursor }
      const listed = await this.#open.request({ method: 'tools/list', params }, never)
      for (const { name, inputSchema } of listed.tools) {
        const { properties } = inputSchema
        tools.set(name, isRecord(properties) ? Object.keys(properties) : [])
      }
      cursor = listed.nextCursor
      if (cursor === undefined) return tools
    }
    throw new Error('the list of its tools has no end')
  }

  get #open(): Client {
    if (!this.#client) throw new Error('it is not ready')
    return this.#client
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true
    await this.#link?.stop(graceMs)
    this.hasEnded = true
  }
}

/** Longer than a note may be held by somebody else. */
const lastCallsMs = 20_000

/** A toolset of our own as a server in this process: the same messages as with any other server. */
export function ownServer<Context>({ toolset, answer }: OpenToolset<Context>): ServerLink {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const underWay = new Set<Promise<unknown>>()
  const watched: Answer<Context> = (tool, args, signal, meta) => {
    const answering = answer(tool, args, signal, meta)
    underWay.add(answering)
    const over = () => underWay.delete(answering)
    answering.then(over, over)
    return answering
  }
  return {
    lastLine: '',
    async open() {
      await makeServer(toolset, watched).connect(far)
      return near
    },
    /** Nobody can end what it is at, so that is waited for: it must not act any more when the same is done in another way. */
    async stop() {
      await near.close()
      await Promise.race([Promise.allSettled(underWay), sleep(lastCallsMs)])
    },
  }
}
