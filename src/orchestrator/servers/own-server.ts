/** A toolset of our own as a server in this process: the same messages as with any other server. */
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { makeServer, type OpenToolset } from '../../mcp/server.ts'
import type { ServerLink } from './mcp-connection.ts'

export class OwnServer<Context> implements ServerLink {
  readonly lastLine = ''
  readonly #open: OpenToolset<Context>
  readonly #near: InMemoryTransport
  readonly #far: InMemoryTransport

  constructor(open: OpenToolset<Context>) {
    this.#open = open
    const [near, far] = InMemoryTransport.createLinkedPair()
    this.#near = near
    this.#far = far
  }

  set onclose(told: () => void) {
    this.#near.onclose = told
  }

  set onerror(told: (error: Error) => void) {
    this.#near.onerror = told
  }

  set onmessage(told: NonNullable<ServerLink['onmessage']>) {
    this.#near.onmessage = told
  }

  async start(): Promise<void> {
    await makeServer(this.#open.toolset, this.#open.answer).connect(this.#far)
    await this.#near.start()
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#near.send(message)
  }

  close(): Promise<void> {
    return this.#near.close()
  }

  /** What it is at goes on; nobody waits for it any more. */
  stop(): Promise<void> {
    return this.close()
  }
}
