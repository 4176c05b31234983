/** Posts what waits, one at a time and at most ten in a minute; what is more in that minute goes out as one. */
import { closeSync } from 'node:fs'
import type { Config } from '../config.ts'
import { type Clock, sleep, systemClock } from '../system/clock.ts'
import { NoReply, openReply, wholeReply } from '../system/http-request.ts'
import { log } from '../system/log.ts'
import { backoffMs } from '../system/retry.ts'
import { isRecord } from '../system/text.ts'
import { ifSoon } from '../system/time-limit.ts'
import { type Destination, destinationOf, noticeRequest } from './destination.ts'
import { asOne, isSummary, type Waiting } from './notice.ts'
import { type Posted, Spool } from './spool.ts'

/** The name of the project that a folder belongs to. */
export type ProjectOf = (folder: string) => Promise<string>

interface PosterOptions {
  spool: Spool
  destination: Destination
  /** The address of the page, where a server runs; else empty. */
  page: () => Promise<string>
  projectOf: ProjectOf
  clock?: Clock
}

const minuteMs = 60_000
const mostInMinute = 10
const timeoutMs = 5000
/** The first pause after a failure, and the longest. */
const firstPauseMs = 1000
const longestPauseMs = 300_000
const giveUpMs = 3600_000
/** Whoever answers with more is not listened to. */
const mostReplyBytes = 64 << 10
/** Those who only look whether somebody posts are gone by then. */
const comeMs = 2000

type Outcome = { is: 'taken' } | { is: 'refused' | 'failed'; why: string; restMs?: number }

/** By whoever holds the spool. */
export class Poster {
  readonly #options: PosterOptions
  readonly #clock: Clock
  /** Ours while we hold the spool: what cannot be written down now is known all the same. */
  readonly #posted: Posted
  /** Whether there was more than a minute takes. */
  #isCrowded = false

  constructor(options: PosterOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#posted = options.spool.posted()
  }

  /** Posts once, if it is time. Gives for how long to rest until the next; nothing where nothing waits. */
  async step(): Promise<number | undefined> {
    const { spool } = this.#options
    const waiting = spool.waiting(this.#posted)
    if (waiting.length === 0) return undefined
    const restMs = this.#restMs()
    if (restMs > 0) return restMs
    const batch = this.#isCrowded ? await this.#sealed(waiting) : waiting.slice(0, 1)
    this.#posted.posts.push(this.#clock.now())
    spool.save(this.#posted)
    await this.#ended(batch, await this.#post(batch))
    return 0
  }

  /** Whether all is done; then nobody is kept from being the next to post. */
  async leave(held: number): Promise<boolean> {
    return this.#options.spool.clear(this.#posted, () => closeSync(held))
  }

  #restMs(): number {
    const now = this.#clock.now()
    const posted = this.#posted
    // Also where the clock was set back meanwhile: nothing rests until it is there again.
    posted.posts = posted.posts.filter((at) => Math.abs(now - at) < minuteMs)
    const [first = 0] = posted.posts
    const isFull = posted.posts.length >= mostInMinute
    if (isFull) this.#isCrowded = true
    const crowdMs = isFull ? Math.min(first + minuteMs - now, minuteMs) : 0
    return Math.max(crowdMs, Math.min(posted.nextMs - now, giveUpMs))
  }

  async #sealed(waiting: Waiting[]): Promise<Waiting[]> {
    if (!waiting.some(isSummary)) return waiting
    await this.#options.spool.seal()
    return this.#options.spool.waiting(this.#posted)
  }

  async #post(batch: Waiting[]): Promise<Outcome> {
    const { destination, page } = this.#options
    const named = await Promise.all(batch.map((one) => this.#named(one)))
    const notice = asOne(named, await page().catch(() => ''))
    try {
      const reply = await openReply({ ...noticeRequest(destination, notice), limit: timeoutMs })
      await wholeReply(reply, mostReplyBytes).catch(() => {}) // its first line has said all
      const { status, retryAfterSeconds = 0 } = reply
      if (status >= 200 && status < 300) return { is: 'taken' }
      const is = status === 429 || status >= 500 ? 'failed' : 'refused'
      return { is, why: `the answer was HTTP ${status}`, restMs: retryAfterSeconds * 1000 }
    } catch (error) {
      return { is: 'failed', why: whyOf(error) }
    }
  }

  async #named(waiting: Waiting): Promise<Waiting> {
    if (isSummary(waiting) || waiting.folder === undefined) return waiting
    const { folder } = waiting
    const project = await ifSoon(timeoutMs, () => this.#options.projectOf(folder))
    return project === undefined ? waiting : { ...waiting, project }
  }

  async #ended(batch: Waiting[], outcome: Outcome): Promise<void> {
    const { spool } = this.#options
    const posted = this.#posted
    const now = this.#clock.now()
    if (outcome.is === 'failed') {
      posted.failures++
      const pauseMs = Math.min(backoffMs(posted.failures, firstPauseMs), longestPauseMs)
      posted.nextMs = now + Math.min(Math.max(pauseMs, outcome.restMs ?? 0), giveUpMs)
      this.#tell(`a notice waits, since ${outcome.why}. It is tried again for an hour`)
      const old = spool.waiting(posted).filter(({ at }) => Math.abs(now - at) > giveUpMs)
      if (old.length > 0) log(`notices that were tried for an hour and are dropped: ${old.length}`)
      posted.done.push(...old.map(({ id }) => id))
    } else {
      Object.assign(posted, { failures: 0, nextMs: 0 })
      posted.done.push(...batch.map(({ id }) => id))
      this.#isCrowded = false
      if (outcome.is === 'taken') posted.trouble = ''
      else {
        this.#tell(
          `a notice is dropped, since ${outcome.why}. Check AGENTMAIL_NOTIFY and AGENTMAIL_NOTIFY_FORMAT`,
        )
      }
    }
    spool.save(posted)
    await spool.clear(posted)
  }

  /** Once, until it is something else or all is well again. */
  #tell(trouble: string): void {
    if (this.#posted.trouble !== trouble) log(`AGENTMAIL_NOTIFY: ${trouble}`)
    this.#posted.trouble = trouble
  }
}

/** Without the address, which may be a secret. */
function whyOf(error: unknown): string {
  if (!(error instanceof NoReply)) return 'it could not be sent'
  if (error.isLate) return `there was no answer within ${timeoutMs / 1000} seconds`
  const code = isRecord(error.cause) ? error.cause.code : undefined
  return `there was no answer${typeof code === 'string' ? ` (${code})` : ''}`
}

/** Posts all that waits and ends, unless another process is at it. */
export async function postWaiting(
  config: Config,
  options: Pick<PosterOptions, 'page' | 'projectOf'>,
): Promise<void> {
  const destination = destinationOf(config)
  if (!destination) return
  const spool = new Spool(config, destination.url)
  const held = await spool.hold(comeMs)
  if (held === undefined) return
  const poster = new Poster({ spool, destination, ...options })
  for (;;) {
    const restMs = await poster.step()
    if (restMs !== undefined) await sleep(restMs)
    else if (await poster.leave(held)) return
  }
}
