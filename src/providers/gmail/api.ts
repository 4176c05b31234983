/** Requests to Gmail: with the token, in bounded time, and asked again only where that does no harm. */
import { gmail, type gmail_v1 } from '@googleapis/gmail'
import { AgentMailError } from '../../errors.ts'
import { sleep, systemClock } from '../../system/clock.ts'
import { randomFraction } from '../../system/random.ts'
import { within } from '../../system/time-limit.ts'
import type { GmailAccount } from './account.ts'
import { type Fault, faultIn, readError } from './error.ts'

/** In milliseconds. */
export interface RequestLimits {
  /** One request, but for sending. */
  request: number
  /** Everything that one call of the port asks for. */
  call: number
  send: number
  /** Before the first request that is made again, where Gmail does not say how long. */
  pause: number
}

type Options = Pick<gmail_v1.Options, 'headers' | 'rootUrl' | 'signal'>
export type Request = (
  users: gmail_v1.Gmail['users'],
  options: Options,
) => Promise<{ data: unknown }>

const mostTries = 3
const longestWaitSeconds = 5
const largestReply = 100 * 1024 * 1024

export class GmailApi {
  readonly #account: GmailAccount
  readonly #limits: RequestLimits
  readonly #rootUrl: string
  readonly #users: gmail_v1.Gmail['users']
  #renewal: Promise<void> | undefined

  constructor(account: GmailAccount, rootUrl: string, limits: RequestLimits) {
    this.#account = account
    this.#rootUrl = rootUrl
    this.#limits = limits
    // The token goes into a header of ours: the library would ask again by itself after a 401 or 403.
    this.#users = gmail({
      version: 'v1',
      retry: false,
      redirect: 'manual',
      responseType: 'json',
      maxContentLength: largestReply,
    }).users
  }

  /** One call of the port, with the time that it may take. */
  call<T>(work: (signal: AbortSignal) => Promise<T>, outer?: AbortSignal): Promise<T> {
    return within({ limit: this.#limits.call, outer: [outer] }, work)
  }

  /** For requests that may be made twice without harm. */
  async ask(request: Request, signal: AbortSignal): Promise<unknown> {
    let isRenewed = false
    for (let tries = 1; ; tries++) {
      const token = await unlessAborted(signal, this.token())
      try {
        return await this.#request(request, token, signal, this.#limits.request)
      } catch (error) {
        const fault = this.#faultIn(error)
        if (fault.status === 401 && !isRenewed && tries < mostTries) {
          await unlessAborted(signal, this.renew(token))
          isRenewed = true
          continue
        }
        const wait = tries < mostTries ? waitBefore(tries, fault, this.#limits.pause) : undefined
        if (wait === undefined) throw readError(fault)
        await unlessAborted(signal, sleep(wait))
      }
    }
  }

  /** Exactly one request, with what went wrong as it is. */
  async askOnce(
    request: Request,
    token: string,
    signal: AbortSignal,
  ): Promise<{ data: unknown } | { fault: Fault }> {
    try {
      return { data: await this.#request(request, token, signal, this.#limits.send) }
    } catch (error) {
      return { fault: this.#faultIn(error) }
    }
  }

  /** A token that should still be good. */
  async token(): Promise<string> {
    const { credentials } = await this.#account.client()
    let token = credentials.access_token
    if (!token || (credentials.expiry_date ?? Infinity) < systemClock.now() + 30_000) {
      await this.renew(token ?? '')
      token = (await this.#account.client()).credentials.access_token
    }
    if (token && /^[\x21-\x7e]+$/.test(token)) return token
    const message = 'the token of the Gmail account is unusable'
    throw new AgentMailError('auth_required', message, 'Run `agentmail gmail login`.')
  }

  /** Gets a new token instead of this one; several that ask at the same time share it. */
  async renew(spent: string): Promise<void> {
    const { credentials } = await this.#account.client()
    const isStillIt = (credentials.access_token ?? '') === spent
    if (!isStillIt && !this.#renewal) return
    this.#renewal ??= this.#account.refresh().finally(() => {
      this.#renewal = undefined
    })
    await this.#renewal
  }

  async #request(request: Request, token: string, signal: AbortSignal, limit: number) {
    signal.throwIfAborted()
    const stopped = new AbortController()
    // A moment later: a request that begins with a fired signal would end the process, since its
    // body is destroyed before anybody listens to it.
    const stop = () => void setImmediate(() => stopped.abort())
    const timer = setTimeout(stop, limit)
    signal.addEventListener('abort', stop)
    try {
      const headers = { authorization: `Bearer ${token}` }
      // The root goes with each request: given to the client as a whole, it would lose its path.
      const options = { headers, rootUrl: this.#rootUrl, signal: stopped.signal }
      return (await request(this.#users, options)).data
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  }

  #faultIn(error: unknown): Fault {
    const fault = faultIn(error)
    return { ...fault, reason: this.#account.redact(fault.reason) }
  }
}

/** Milliseconds, or nothing where asking again would not help. */
function waitBefore(tries: number, fault: Fault, pause: number): number | undefined {
  const { status, isQuota, retryAfterSeconds, timedOut } = fault
  const mayPass = isQuota || (status === undefined ? !timedOut : status >= 500)
  if (!mayPass || (retryAfterSeconds ?? 0) > longestWaitSeconds) return undefined
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1000 + randomFraction() * 100
  return pause * 2 ** (tries - 1) * (1 + randomFraction())
}

/** Waits no longer than the signal allows; what it stops waiting for may still go on, unheard. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new AgentMailError('internal', 'Gmail took too long', 'Try again later.'))
  })
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
