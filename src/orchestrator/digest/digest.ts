/** Sends the person a digest once a day, by the same one way out as every mail: once for each date, however often it is killed. */
import { withBytes } from '../../email/drafts/draft-note.ts'
import type { SendLedger } from '../../email/outgoing/send-ledger.ts'
import { AgentMailError } from '../../errors.ts'
import { type Clock, rfc3339 } from '../../system/clock.ts'
import { uuid } from '../../system/random.ts'
import { backoffMs } from '../../system/retry.ts'
import { sha256 } from '../../system/text.ts'
import type { Vault } from '../../vault/vault.ts'
import { inOneLine, type Teller } from '../events.ts'
import type { AskedMail, Outcome, WayOut } from '../outbox/way-out.ts'
import type { State } from '../state.ts'
import type { PendingDigest } from './digest-state.ts'
import { digestSubject } from './digest-subject.ts'
import { type DigestContent, digestCounts, digestText, isEmpty } from './digest-text.ts'
import { type DigestTime, isPastTime, localDate, untilTime } from './digest-time.ts'

export interface DigestOptions {
  time: DigestTime
  /** To whom it goes: the person alone. */
  address: () => Promise<string>
  content: (span: { sinceMs: number; untilMs: number }) => Promise<DigestContent>
  /** Of the server that runs; empty where none does. */
  page: () => Promise<string>
  vault: Vault
  state: State
  ledger: Pick<SendLedger, 'byKey'>
  wayOut: WayOut
  teller: Teller
  clock: Clock
  retryMs: number
}

const dayMs = 24 * 3600_000

export class Digest {
  readonly #options: DigestOptions
  /** One that is wanted at once is wanted once. */
  #isOver = false

  constructor(options: DigestOptions) {
    this.#options = options
  }

  /** Sends it if it is due. Gives how many wait to be tried again. */
  async look(): Promise<number> {
    const { time } = this.#options
    if (time === 'now') return this.#now()
    const { state, clock } = this.#options
    const now = clock.now()
    const date = localDate(now)
    const { pending } = state.digest
    const isDue = state.digest.date !== date && isPastTime(time, now)
    // A later one tells what an earlier one could not.
    if (pending && !(isDue && pending.date !== date)) {
      return pending.next_ms > now ? 1 : this.#send(pending, keyOf(state, pending.date))
    }
    if (!isDue) return 0
    return this.#begin(date, now)
  }

  /** After which it is to be looked at again, whatever else happens. */
  get restMs(): number {
    const { time, state, clock } = this.#options
    if (time === 'now') return Number.POSITIVE_INFINITY
    const { pending } = state.digest
    const now = clock.now()
    return pending ? Math.max(0, pending.next_ms - now) : untilTime(time, now)
  }

  async #begin(date: string, now: number): Promise<number> {
    const { state, ledger, teller } = this.#options
    const key = keyOf(state, date)
    const scope = await this.#scope()
    // The state was lost, or the clock was set back: the ledger still knows that it was begun.
    if (await ledger.byKey(scope, key)) return this.#end(date, now)
    const pending = await this.#composed(date, now)
    if (!pending) {
      teller.tell('digest', 'nothing came, nothing waits and nothing left: no digest is sent')
      return this.#end(date, now)
    }
    state.digest = { ...state.digest, pending }
    state.save()
    return this.#send(pending, key)
  }

  /** To try it: it counts for no day. */
  async #now(): Promise<number> {
    if (this.#isOver) return 0
    const { state, clock } = this.#options
    const now = clock.now()
    const pending = await this.#composed(localDate(now), now, true)
    this.#isOver = true
    return pending ? this.#send(pending, `digest-${sha256(`${state.vaultId} ${uuid()}`)}`) : 0
  }

  async #composed(date: string, now: number, isAlways = false): Promise<PendingDigest | undefined> {
    const { state, content, page, address } = this.#options
    const since = state.digest.since_ms ?? now - dayMs
    const span = { sinceMs: Math.min(since, now), untilMs: now }
    const told = await content(span)
    if (isEmpty(told) && !isAlways) return undefined
    return {
      ...{ date, to: await address(), until_ms: now, begun_at: rfc3339(now) },
      subject: digestSubject(state.vaultId, date, digestCounts(told)),
      text: digestText(told, { ...span, page: await page().catch(() => '') }),
      ...{ attempts: 0, next_ms: 0, is_vague: false },
    }
  }

  async #send(pending: PendingDigest, key: string): Promise<number> {
    const { teller, clock } = this.#options
    const { to, date } = pending
    const outcome = await this.#outcomeOf(pending, key)
    if (outcome.is === 'failed') return this.#failed(pending, outcome)
    teller.forget('digest out')
    if (outcome.is === 'sent') {
      teller.tell('digest', `the digest of ${date} was sent to ${to}`, { to })
      return this.#end(date, pending.until_ms)
    }
    const text = `nobody knows whether the digest of ${date} was sent, so it is not sent again: ${outcome.reason}`
    teller.tell('unknown', text, { to })
    // What it told is told by the next one once more.
    return this.#end(date, this.#options.state.digest.since_ms ?? clock.now() - dayMs)
  }

  async #outcomeOf(pending: PendingDigest, key: string): Promise<Outcome> {
    const { wayOut, ledger, vault } = this.#options
    const { to, subject, text, begun_at, is_vague } = pending
    const asked: AskedMail = { kind: 'mail', provider: undefined, request: { to, subject, text } }
    try {
      const held = await withBytes(vault, asked)
      const mail = { asked: held.asked, path: undefined, key, hash: held.hash, begun_at }
      const record = await ledger.byKey(await wayOut.scope(asked), key)
      const mayHaveLeft = record?.state === 'sending' || record?.state === 'unknown'
      return await (mayHaveLeft
        ? wayOut.reconcile(mail, record.reason ?? undefined)
        : wayOut.send(mail, is_vague))
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      return { is: 'failed', reason: inOneLine(error) }
    }
  }

  #failed(pending: PendingDigest, outcome: Extract<Outcome, { is: 'failed' }>): number {
    const { state, teller, clock, retryMs, time } = this.#options
    const { reason, retryAfterMs = 0, isVague = false } = outcome
    teller.tellOnce('digest out', 'trouble', `the digest could not be sent: ${reason}`)
    if (time === 'now') return 1
    const attempts = pending.attempts + 1
    const next_ms = clock.now() + Math.max(backoffMs(attempts, retryMs), retryAfterMs)
    const again = { ...pending, attempts, next_ms, is_vague: isVague }
    state.digest = { ...state.digest, pending: again }
    state.save()
    return 1
  }

  /** On disk when it returns. */
  #end(date: string, since_ms: number): number {
    const { state, time } = this.#options
    if (time === 'now') return 0
    state.digest = { date, since_ms }
    state.save()
    return 0
  }

  #scope(): Promise<string> {
    const request = { to: '', subject: '', text: '' }
    return this.#options.wayOut.scope({ kind: 'mail', provider: undefined, request })
  }
}

/** One a date for a vault, wherever that lies. */
const keyOf = (state: State, date: string): string =>
  `digest-${sha256(JSON.stringify([state.vaultId, date]))}`
