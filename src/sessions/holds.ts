/** Keeps the agents of sessions alive while a call of theirs takes long: in a server's memory, and never for ever. */

const longestMs = 60 * 60_000
/** Its user may be asked whether a file may be edited; what is claimed for it is released after as long. */
const editMs = 15 * 60_000
const mostSessions = 10_000

interface Hold {
  /** Calls that have begun and not ended. */
  calls: number
  letGo(): void
  timer: NodeJS.Timeout
}

const editIn = (session: string): string => `${session} edit`

export class SessionHolds {
  readonly #held = new Map<string, Hold>()

  /** A call begins. @param hold keeps the agent alive until the function is called that it gives. */
  begin(session: string, hold: () => () => void): void {
    this.#begin(session, hold, longestMs)
  }

  /** An edit begins. */
  editBegins(session: string, hold: () => () => void): void {
    this.#begin(editIn(session), hold, editMs)
  }

  /** One of its calls has ended; with the last of them nothing is held. */
  callEnded(session: string): void {
    const hold = this.#held.get(session)
    if (hold && --hold.calls <= 0) this.#letGo(session)
  }

  editEnded(session: string): void {
    this.callEnded(editIn(session))
  }

  /** Whatever is under way: a turn that ends has no calls left. */
  end(session: string): void {
    this.#letGo(session)
    this.#letGo(editIn(session))
  }

  close(): void {
    for (const key of [...this.#held.keys()]) this.#letGo(key)
  }

  #begin(key: string, hold: () => () => void, limitMs: number): void {
    const calls = (this.#held.get(key)?.calls ?? 0) + 1
    this.#letGo(key)
    if (this.#held.size >= mostSessions) return
    const timer = setTimeout(() => this.#letGo(key), limitMs)
    timer.unref()
    this.#held.set(key, { calls, letGo: hold(), timer })
  }

  #letGo(key: string): void {
    const hold = this.#held.get(key)
    if (!hold) return
    clearTimeout(hold.timer)
    hold.letGo()
    this.#held.delete(key)
  }
}
