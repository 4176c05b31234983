/** Stands between AgentMail and a server: passes on what both say, and cuts or holds all connections when it is told to. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { AtEnd } from '../at-end.ts'
import { listening } from '../listening.ts'

export interface Pair {
  client: Socket
  server: Socket
  /** Cuts both. */
  end: () => void
}

export abstract class Passage {
  readonly #listener: Server
  readonly #sockets = new Set<Socket>()
  #port = 0
  #isHolding = false

  /** @param target where the server listens. */
  constructor(target: { host: string; port: number }) {
    this.#listener = createServer((client) => this.#pass(client, connect(target)))
  }

  /** Listens for both, and does with what they say as it likes. */
  protected abstract between(pair: Pair): void

  async listen(atEnd: AtEnd = onTestFinished): Promise<void> {
    const place = await listening(this.#listener, (close) =>
      atEnd(() => {
        this.cutAll()
        return close()
      }),
    )
    this.#port = Number(place.split(':')[1])
  }

  get port(): number {
    return this.#port
  }

  /** How many connections there are. */
  get connections(): number {
    return this.#sockets.size / 2
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

  #pass(client: Socket, server: Socket): void {
    const both = [client, server]
    const end = () => {
      for (const socket of both) {
        socket.destroy()
        this.#sockets.delete(socket)
      }
    }
    this.between({ client, server, end })
    for (const socket of both) {
      this.#sockets.add(socket)
      socket.on('error', end).on('close', end)
      if (this.#isHolding) socket.pause()
    }
  }
}
