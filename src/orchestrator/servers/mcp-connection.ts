/** One running MCP server: the handshake with it, the tools it has, and calls of them. */
import {
  type CallToolResult,
  Client,
  ProtocolError,
  type Transport,
} from '@modelcontextprotocol/client'
import { isRecord } from '../../system/text.ts'
import { version } from '../../version.ts'

export type ToolAnswer = CallToolResult
/** A server as it is talked to: one in a process of its own, or in this one. */
export interface ServerLink extends Transport {
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
    if (!this.#link) return
    this.#link.onclose = () => {}
    await this.#link.close()
  }

  async #connect(mode: 'legacy' | { pin: string }): Promise<void> {
    if (this.#isStopped) throw new Error('it was stopped before it was started')
    const client = new Client({ name: 'agentmail', version }, { versionNegotiation: { mode } })
    const link = this.#start()
    this.#link = link
    link.onclose = () => {
      this.hasEnded = true
    }
    await client.connect(link, never)
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
