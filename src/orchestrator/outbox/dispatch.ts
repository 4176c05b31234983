/** Lets one approved draft go, and keeps in the state and in its note how that went. */

import { AgentMailError } from '../../errors.ts'
import { type Clock, rfc3339 } from '../../system/clock.ts'
import { backoffMs, longestMs } from '../backoff.ts'
import type { Teller } from '../events.ts'
import { inOneLine } from '../in-one-line.ts'
import type { VaultNotes } from '../servers/vault-notes.ts'
import type { SendEntry, State } from '../state.ts'
import { type ApprovedDraft, hasEnded } from './approved-draft.ts'
import { type Delivery, lookAdvice, type Outcome } from './delivery.ts'
import type { Filing } from './filing.ts'

export interface DispatchOptions {
  notes: VaultNotes
  state: State
  delivery: Delivery
  filing: Filing
  teller: Teller
  clock: Clock
  retryMs: number
}

/** How far back a mail is looked for of which nothing is known but that it may have left. */
const lostMs = 7 * 24 * 3600_000

export class Dispatch {
  readonly #options: DispatchOptions
  /** Is told of what waits, and until when. */
  readonly #wait: (untilMs?: number) => void

  constructor(options: DispatchOptions, wait: (untilMs?: number) => void) {
    this.#options = options
    this.#wait = wait
  }

  async send(draft: ApprovedDraft, key: string): Promise<void> {
    const { state, delivery, filing } = this.#options
    const entry = this.#begun(draft, state.sends[key])
    state.begin(key, entry)
    const { asked, note, hash } = draft
    const outcome =
      asked.kind === 'mail'
        ? await delivery.send(asked, key, { hash, isVague: entry.is_vague })
        : await filing.delegate(asked, note, key)
    await this.#ended(draft, entry, outcome)
  }

  /** It may have left. It is given to the service again only where that cannot send it twice, and a person still wants it. */
  async settle(draft: ApprovedDraft, key: string, entry: SendEntry): Promise<void> {
    const { delivery, clock, filing } = this.#options
    const { asked, hash, note, standing } = draft
    if (entry.next_ms > clock.now()) return this.rest(draft, entry)
    if (asked.kind === 'delegation') {
      return this.#ended(draft, entry, await filing.delegate(asked, note, key))
    }
    if (entry.sha256 !== hash) {
      const reason = `it was changed after it may have been sent. ${lookAdvice}`
      return this.#ended(draft, entry, { is: 'unknown', reason })
    }
    entry.attempts++
    const isWanted = !hasEnded(draft) && standing.is !== 'void'
    const outcome = isWanted
      ? await delivery.reconcile(asked, key, entry)
      : await delivery.find(asked, Date.parse(entry.begun_at), entry.reason)
    // What is certain now says nothing about what may have left before.
    const told: Outcome =
      outcome.is === 'failed' ? { is: 'unknown', reason: outcome.reason } : outcome
    await this.#ended(draft, entry, told)
  }

  /** The state was lost, but the note says that it may have left: so it is only looked for. */
  async find(draft: ApprovedDraft, key: string): Promise<void> {
    const { delivery, state, clock } = this.#options
    const { asked } = draft
    if (asked.kind === 'delegation') return this.send(draft, key)
    const entry: SendEntry = { ...this.#begun(draft, undefined), state: 'unknown' }
    state.begin(key, entry)
    await this.#ended(draft, entry, await delivery.find(asked, clock.now() - lostMs))
  }

  async #ended(draft: ApprovedDraft, entry: SendEntry, outcome: Outcome): Promise<void> {
    const { notes, teller, clock, retryMs } = this.#options
    const { path, frontmatter } = draft.note
    const now = rfc3339(clock.now())
    if (outcome.is === 'sent') {
      const { message_id, sent_at = now } = outcome
      Object.assign(entry, { state: 'sent', message_id, sent_at, ended_at: now, reason: undefined })
      this.#saveIfPossible()
      teller.forget(path)
      return this.file(draft, entry, true)
    }
    const { is, reason } = outcome
    const asked = outcome.is === 'failed' ? (outcome.retryAfterMs ?? 0) : 0
    const next_ms =
      clock.now() + Math.max(backoffMs(entry.attempts, retryMs), Math.min(asked, longestMs))
    if (is === 'unknown') entry.ended_at ??= now
    const is_vague = outcome.is === 'failed' && outcome.isVague === true
    Object.assign(entry, { state: is, reason, next_ms, is_vague })
    this.#saveIfPossible()
    this.#wait(next_ms)
    const text =
      is === 'unknown'
        ? `${path} may have been sent: ${reason}`
        : `${path} is not ${draft.asked.kind === 'mail' ? 'sent' : 'handed over'} yet and is tried again: ${reason}`
    teller.tellOnce(path, is, text, { note: path, reason })
    if (hasEnded(draft)) return
    await notes.markApproved(path, { status: is, reason }, frontmatter.status)
  }

  /** How it went is so, whether it can be written down or not. */
  #saveIfPossible(): void {
    const { state, teller } = this.#options
    try {
      state.save()
      teller.forget('state')
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      this.#wait()
      teller.tellOnce('state', 'trouble', inOneLine(error))
    }
  }

  /** What has left has left, whether its note can be put away or not. */
  async file({ note }: ApprovedDraft, entry: SendEntry, isNew: boolean): Promise<void> {
    const { filing, teller } = this.#options
    try {
      await filing.sent(note, entry, isNew)
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      this.#wait()
      const text = `${note.path} was sent at ${entry.sent_at}, but could not be put away: ${inOneLine(error)}`
      teller.tellOnce(note.path, 'trouble', text, { note: note.path })
    }
  }

  /** A run that has not said yet why something waits says it; and so does the note. */
  async rest(draft: ApprovedDraft, { state, reason, next_ms }: SendEntry): Promise<void> {
    const { teller, notes } = this.#options
    const { path, frontmatter } = draft.note
    this.#wait(next_ms)
    if (!teller.hasTold(path)) {
      const what = state === 'failed' ? 'is not sent yet' : 'may have been sent'
      const text = `${path} ${what}, and is looked at again at ${rfc3339(next_ms)}: ${reason}`
      teller.tellOnce(path, 'waiting', text, { note: path, reason })
    }
    if (hasEnded(draft)) return
    await notes.markApproved(path, { status: state, reason }, frontmatter.status)
  }

  #begun({ name, hash, asked, standing }: ApprovedDraft, before: SendEntry | undefined): SendEntry {
    const { clock } = this.#options
    const mail = asked.kind === 'mail' ? asked.request : undefined
    return {
      name,
      sha256: hash,
      state: 'sending',
      begun_at: before?.begun_at ?? rfc3339(clock.now()),
      attempts: (before?.attempts ?? 0) + 1,
      next_ms: 0,
      to: asked.kind === 'mail' ? asked.request.to : `@${asked.agent ?? ''}`,
      subject: mail?.subject ?? '',
      reply_to_message_id: mail?.reply_to_message_id,
      is_vague: before?.is_vague ?? false,
      approval_id: standing.is === 'approved' ? standing.approval.id : undefined,
      is_filed: false,
    }
  }
}
