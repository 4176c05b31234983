/** The sessions of browsers at the page: in the memory of this server alone, so that another knows none of them. */
import type { ServerResponse } from 'node:http'
import { type Clock, systemClock } from '../../system/clock.ts'
import { randomId } from '../../system/random.ts'
import { sha256 } from '../../system/text.ts'

const maxSessions = 1000
const unusedMs = 12 * 3600_000
const tellMs = 3600_000
/** As much as 32 bytes. */
const secretLength = 43

export interface PageSession {
  /** The name under which they decide. */
  who: string
  /** What a write brings along, which no other site can read. */
  readonly csrf: string
}

interface Kept extends PageSession {
  usedAt: number
  /** When the browser was last told to keep its cookie. */
  toldAt: number
  /** Answers that are not over yet, as streams. */
  readonly open: Set<ServerResponse>
}

export class PageSessions {
  /** By the hash of the secret, the least used first: how long a look takes tells nothing about any. */
  readonly #kept = new Map<string, Kept>()
  readonly #clock: Clock

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  /** Gives the secret by which it is found again. */
  begin(who: string): { session: PageSession; secret: string } {
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size >= maxSessions) this.#end(oldest)
    const secret = randomId(secretLength)
    const now = this.#clock.now()
    const session: Kept = {
      ...{ who, csrf: randomId(secretLength) },
      ...{ usedAt: now, toldAt: now, open: new Set<ServerResponse>() },
    }
    this.#kept.set(sha256(secret), session)
    return { session, secret }
  }

  /**
   * The one of this secret, if it is still there. It is in use for as long as the answer is under way.
   * `isToBeTold`: it is time to tell the browser again to keep its cookie.
   */
  use(
    secret: string,
    response: ServerResponse,
  ): { session: PageSession; isToBeTold: boolean } | undefined {
    const key = sha256(secret)
    const session = this.#kept.get(key)
    if (!session) return undefined
    const now = this.#clock.now()
    if (session.open.size === 0 && now - session.usedAt > unusedMs) {
      this.#end(key)
      return undefined
    }
    session.usedAt = now
    this.#kept.delete(key)
    this.#kept.set(key, session)
    session.open.add(response)
    response.on('close', () => {
      session.open.delete(response)
      session.usedAt = this.#clock.now()
    })
    const isToBeTold = now - session.toldAt >= tellMs
    if (isToBeTold) session.toldAt = now
    return { session, isToBeTold }
  }

  end(secret: string): void {
    this.#end(sha256(secret))
  }

  /** With its streams. */
  #end(key: string): void {
    const session = this.#kept.get(key)
    this.#kept.delete(key)
    for (const response of session?.open ?? []) if (response.headersSent) response.destroy()
  }
}
