/** A toolset of our own as a server in this process: the same messages as with any other server. */
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/client'
import { type Answer, makeServer, type OpenToolset } from '../../mcp/server.ts'
import { sleep } from '../../system/clock.ts'
import type { ServerLink } from './mcp-connection.ts'

/** Longer than a note may be held by somebody else. */
const lastCallsMs = 20_000

export class OwnServer<Context> implements ServerLink {
  readonly lastLine = ''
  readonly #open: OpenToolset<Context>
  readonly #near: InMemoryTransport
  readonly #far: InMemoryTransport
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(open: OpenToolset<Context>) {
    this.#open = open
    const [near, far] = InMemoryTransport.createLinkedPair()
    this.#near = near
    this.#far = far
  }

  get onclose(): ServerLink['onclose'] {
    return this.#near.onclose
  }

  set onclose(told: () => void) {
    this.#near.onclose = told
  }

  get onerror(): ServerLink['onerror'] {
    return this.#near.onerror
  }

  set onerror(told: (error: Error) => void) {
    this.#near.onerror = told
  }

  get onmessage(): ServerLink['onmessage'] {
    return this.#near.onmessage
  }

  set onmessage(told: NonNullable<ServerLink['onmessage']>) {
    this.#near.onmessage = told
  }

  async start(): Promise<void> {
    const answer: Answer<Context> = (tool, args, signal) => {
      const answering = this.#open.answer(tool, args, signal)
      this.#underWay.add(answering)
      const over = () => this.#underWay.delete(answering)
      answering.then(over, over)
      return answering
    }
    await makeServer(this.#open.toolset, answer).connect(this.#far)
    await this.#near.start()
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#near.send(message)
  }

  close(): Promise<void> {
    return this.#near.close()
  }

  /** Nobody can end what it is at, so that is waited for: it must not act any more when the same is done in another way. */
  async stop(): Promise<void> {
    await this.close()
    await Promise.race([Promise.allSettled(this.#underWay), sleep(lastCallsMs)])
  }
}
