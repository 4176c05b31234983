/** Stands between AgentMail and its database, and cuts or holds their connections when it is told to. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** How a statement goes over the wire that commits: its kind and its text. */
const commit = Buffer.from('\x03COMMIT')

/** What a node says that lost its cluster during a commit, whether the others have it or not: error 1180. */
const doubt = Buffer.from('\xff\x9c\x04#HY000Got error 6 during COMMIT', 'latin1')
const doubtful = Buffer.concat([Buffer.from([doubt.length, 0, 0, 1]), doubt])

/**
 * When the connection is cut: before the database hears of a commit, while it works on it, or
 * after it has said that it is done. Denied: it is done, and an error is told instead.
 */
export type Cut = 'before' | 'meanwhile' | 'after' | 'denied'
export const cuts: Cut[] = ['before', 'meanwhile', 'after', 'denied']

export class DatabaseProxy {
  /** How many commits were cut. */
  cut = 0
  readonly #target: URL
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #choose: () => Cut | undefined = () => undefined
  #isHolding = false

  private constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((client) => this.#pass(client))
  }

  /** @param target the address of a database. */
  static async start(target: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(target)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      proxy.cutAll()
      proxy.#server.close()
    })
    return proxy
  }

  /** The address of the same database, through the proxy. */
  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('The proxy is closed')
    const url = new URL(this.#target)
    url.port = String(address.port)
    return url.href
  }

  /** At each commit from now on it is asked whether to cut, and how. */
  cutCommits(choose: () => Cut | undefined): void {
    this.#choose = choose
  }

  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** From now on connections are made, and nothing is answered. */
  hold(): void {
    this.#isHolding = true
    for (const socket of this.#sockets) socket.pause()
  }

  /** What was held goes on. */
  release(): void {
    this.#isHolding = false
    for (const socket of this.#sockets) socket.resume()
  }

  #pass(client: Socket): void {
    const database = connect(Number(this.#target.port), this.#target.hostname)
    const both = [client, database]
    const end = () => {
      for (const socket of both) {
        socket.destroy()
        this.#sockets.delete(socket)
      }
    }
    for (const socket of both) {
      this.#sockets.add(socket)
      socket.on('error', end).on('close', end)
      if (this.#isHolding) socket.pause()
    }
    let answer: Cut | undefined
    client.on('data', (chunk: Buffer) => {
      const cut = chunk.includes(commit) ? this.#choose() : undefined
      if (cut) this.cut++
      if (cut === 'before') return end()
      answer = cut
      database.write(chunk, () => {
        if (cut === 'meanwhile') end()
      })
    })
    database.on('data', (chunk) => {
      if (answer === 'after') end()
      else client.write(answer === 'denied' ? doubtful : chunk)
      answer = undefined
    })
  }
}
