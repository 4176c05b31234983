/** The one connection of a provider: opened when it is first needed, one piece of work after the other, and reopened when it broke. */
import type { ImapFlow } from 'imapflow'
import { AgentMailError } from '../../errors.ts'
import { untilDone } from '../../system/retry.ts'
import { logOut } from './client.ts'
import type { ImapDoor } from './door.ts'
import { BrokenConnection, imapError } from './error.ts'
import { ImapSession } from './session.ts'

/** Within which a program that waits for an answer should have one. */
const patience = { tries: 4, patienceMs: 12_000, firstMs: 150, longestMs: 2000 }

export class ImapConnection {
  readonly #door: ImapDoor
  #session: ImapSession | undefined
  #last: Promise<unknown> = Promise.resolve()
  #connecting: ImapFlow | undefined
  #isClosed = false

  constructor(door: ImapDoor) {
    this.#door = door
  }

  /** The work is done again on a new connection where one broke, so it looks first at what is there. */
  run<T>(work: (session: ImapSession) => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#attempt(work))
    this.#last = turn.catch(() => {})
    return turn
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#connecting?.close()
    const session = this.#session
    this.#session = undefined
    if (session) await logOut(session.client)
  }

  async #attempt<T>(work: (session: ImapSession) => Promise<T>): Promise<T> {
    try {
      return await untilDone(
        patience,
        async () => {
          const session = await this.#open()
          session.begin()
          return work(session)
        },
        (error) => error instanceof BrokenConnection && !this.#isClosed,
      )
    } catch (error) {
      throw imapError(error)
    }
  }

  async #open(): Promise<ImapSession> {
    if (this.#session?.client.usable) return this.#session
    this.#session?.client.close()
    this.#session = undefined
    if (this.#isClosed) throw new AgentMailError('internal', 'the mail service was closed')
    try {
      const client = await this.#door.enter((entering) => {
        this.#connecting = entering
      })
      this.#session = new ImapSession(client)
      return this.#session
    } finally {
      this.#connecting = undefined
    }
  }
}
