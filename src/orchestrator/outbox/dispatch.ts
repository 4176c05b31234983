/** Lets one approved draft go, and keeps with it and in its note how that went. */
import { recorded } from '../../email/outgoing/outcome.ts'
import { AgentMailError } from '../../errors.ts'
import { type Clock, rfc3339 } from '../../system/clock.ts'
import { backoffMs, longestBackoffMs } from '../../system/retry.ts'
import { sha256 } from '../../system/text.ts'
import { inOneLine, type Teller } from '../events.ts'
import type { DraftSend, DraftSends } from '../sends.ts'
import type { VaultNotes } from '../servers/vault-notes.ts'
import { type ApprovedDraft, hasEnded } from './approved-draft.ts'
import type { Filing } from './filing.ts'
import type { HandOver } from './hand-over.ts'
import {
  type AskedDelegation,
  type AskedMail,
  lookAdvice,
  type Outcome,
  type SentMails,
  type WayOut,
} from './way-out.ts'

export interface DispatchOptions {
  notes: VaultNotes
  sends: DraftSends
  wayOut: WayOut
  sentMails: SentMails
  handOver: HandOver
  /** Looked at anew. */
  isStillApproved: (draft: ApprovedDraft) => Promise<boolean>
  filing: Filing
  teller: Teller
  clock: Clock
  retryMs: number
}

/** How far back a mail is looked for of which nothing is known but that it may have left. */
const lostMs = 7 * 24 * 3600_000
/** Of a mail that only its note tells of: it is looked for, and given to nobody. */
const lost = sha256('lost')

export class Dispatch {
  readonly #options: DispatchOptions
  /** Is told of what waits, and until when. */
  readonly #wait: (untilMs?: number) => void

  constructor(options: DispatchOptions, wait: (untilMs?: number) => void) {
    this.#options = options
    this.#wait = wait
  }

  async send(draft: ApprovedDraft, key: string): Promise<void> {
    const { sends, wayOut, handOver, isStillApproved } = this.#options
    const { asked, hash } = draft
    const before = sends.get(key)
    const scope = asked.kind === 'mail' ? await this.#scope(asked) : handOver.scope()
    const entry = await this.#begin(draft, key, typeof scope === 'string' ? scope : '', before)
    const isVague = before?.is_vague ?? false
    if (typeof scope !== 'string') return this.#ended(draft, entry, scope, isVague)
    // Whoever rejects writes first and looks then, and so must whoever sends.
    if (!(await isStillApproved(draft))) return sends.forget(entry)
    const { begun_at } = entry
    if (asked.kind === 'delegation') return this.#handOver(draft, asked, entry)
    const outcome = await wayOut.send(
      { asked, path: draft.note.path, key, hash, begun_at },
      isVague,
    )
    await this.#ended(draft, entry, outcome, isVague)
  }

  /** Where nobody has that name, the mail goes back to whoever approved it. */
  async #handOver(draft: ApprovedDraft, asked: AskedDelegation, entry: DraftSend): Promise<void> {
    const { handOver, filing, teller } = this.#options
    const { note, hash } = draft
    const outcome = await handOver.delegate(asked, note, { key: entry.key, hash })
    if (outcome.is !== 'nobody') return this.#ended(draft, entry, outcome)
    const { reason } = outcome
    const path = await filing.back(note.path, entry, reason)
    teller.forget(note.path)
    teller.tell('returned', `${path} waits for you again: ${reason}`, { note: path, reason })
  }

  /** It may have left. It is given to the service again only where that cannot send it twice, and a person still wants it. */
  async settle(draft: ApprovedDraft, entry: DraftSend): Promise<void> {
    const { clock } = this.#options
    const { asked, hash } = draft
    if (entry.next_ms > clock.now()) return this.rest(draft, entry)
    if (entry.sha256 !== hash) {
      const reason = `it was changed after it may have been sent. ${lookAdvice}`
      return this.#ended(draft, entry, { is: 'unknown', reason })
    }
    if (asked.kind === 'delegation') return this.#handOver(draft, asked, entry)
    entry.attempts++
    const outcome = await this.#reconciled(draft, asked, entry)
    // What is certain now says nothing about what may have left before.
    const told: Outcome =
      outcome.is === 'failed' ? { is: 'unknown', reason: outcome.reason } : outcome
    await this.#ended(draft, entry, told)
  }

  async #reconciled(draft: ApprovedDraft, asked: AskedMail, entry: DraftSend): Promise<Outcome> {
    const { wayOut, sentMails } = this.#options
    const { key, begun_at, reason } = entry
    const isWanted = !hasEnded(draft) && draft.standing.is !== 'void'
    const scope = isWanted ? await this.#scope(asked) : undefined
    // Another account or server knows nothing of the key.
    if (scope === entry.scope) {
      return wayOut.reconcile(
        { asked, path: draft.note.path, key, hash: draft.hash, begun_at },
        reason,
      )
    }
    return sentMails.lookFor(asked.request, Date.parse(begun_at), reason)
  }

  /** The ledger was lost, but it may have left: so it is only looked for, now and later. */
  async find(draft: ApprovedDraft, key: string): Promise<void> {
    const { sentMails, clock, sends } = this.#options
    const { asked } = draft
    if (asked.kind === 'delegation') return this.send(draft, key)
    await recorded(() =>
      sends.ledger.keep({
        scope: lost,
        key,
        content_hash: draft.hash,
        provider: 'server',
        recipients: [asked.request.to],
        subject: asked.request.subject,
      }),
    )
    const entry = await this.#begin(draft, key, lost, undefined)
    const outcome = await sentMails.lookFor(asked.request, clock.now() - lostMs)
    await this.#ended(draft, entry, outcome)
  }

  /** Or why it cannot be known: then nothing can be sent either. */
  async #scope(asked: AskedMail): Promise<string | Outcome> {
    try {
      return await this.#options.wayOut.scope(asked)
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      return { is: 'failed', reason: inOneLine(error) }
    }
  }

  /** @param isVague whether a failure before left a doubt. */
  async #ended(
    draft: ApprovedDraft,
    entry: DraftSend,
    outcome: Outcome,
    isVague = entry.is_vague,
  ): Promise<void> {
    const { notes, sends, teller, clock, retryMs } = this.#options
    const { path, frontmatter } = draft.note
    const now = rfc3339(clock.now())
    if (outcome.is === 'sent') {
      const { message_id, sent_at = now } = outcome
      Object.assign(entry, { state: 'sent', message_id, sent_at, ended_at: now, reason: undefined })
      await this.#ifPossible(() => sends.settle(entry, 'sent'))
      teller.forget(path)
      return this.file(draft, entry, true)
    }
    const { is, reason } = outcome
    const askedMs = outcome.is === 'failed' ? (outcome.retryAfterMs ?? 0) : 0
    // A service that says when, or a limit of our own, is not asked the later for each time that it said so.
    const restMs =
      askedMs > 0
        ? Math.max(retryMs, Math.min(askedMs, longestBackoffMs))
        : backoffMs(entry.attempts, retryMs)
    const next_ms = clock.now() + restMs
    if (is === 'unknown') entry.ended_at ??= now
    const is_vague = isVague || (outcome.is === 'failed' && outcome.isVague === true)
    Object.assign(entry, { state: is, reason, next_ms, is_vague })
    await this.#ifPossible(() => (is === 'unknown' ? sends.settle(entry, is) : sends.save(entry)))
    this.#wait(next_ms)
    const text =
      is === 'unknown'
        ? `${path} may have been sent: ${reason}`
        : `${path} is not ${draft.asked.kind === 'mail' ? 'sent' : 'handed over'} yet and is tried again: ${reason}`
    teller.tellOnce(path, is, text, { note: path, reason })
    if (hasEnded(draft)) return
    await notes.mark(path, { status: is, reason }, frontmatter.status)
  }

  /** How it went is so, whether it can be written down or not. */
  async #ifPossible(write: () => Promise<void>): Promise<void> {
    const { teller } = this.#options
    try {
      await write()
      teller.forget('ledger')
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      this.#wait()
      teller.tellOnce('ledger', 'trouble', inOneLine(error))
    }
  }

  /** What has left has left, whether its note can be put away or not. */
  async file(draft: ApprovedDraft, entry: DraftSend, isNew: boolean): Promise<void> {
    const { filing, teller } = this.#options
    const { note } = draft
    try {
      await filing.sent(draft, entry, isNew)
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      this.#wait()
      const text = `${note.path} was sent at ${entry.sent_at}, but could not be put away: ${inOneLine(error)}`
      teller.tellOnce(note.path, 'trouble', text, { note: note.path })
    }
  }

  /** A run that has not said yet why something waits says it; and so does the note. */
  async rest(draft: ApprovedDraft, { state, reason, next_ms }: DraftSend): Promise<void> {
    const { teller, notes } = this.#options
    const { path, frontmatter } = draft.note
    const isUnknown = state === 'unknown' || state === 'sending'
    this.#wait(next_ms)
    if (!teller.hasTold(path)) {
      const what = isUnknown ? 'may have been sent' : 'is not sent yet'
      const text = `${path} ${what}, and is looked at again at ${rfc3339(next_ms)}: ${reason}`
      teller.tellOnce(path, 'waiting', text, { note: path, reason })
    }
    if (hasEnded(draft)) return
    const status = isUnknown ? 'unknown' : 'failed'
    await notes.mark(path, { status, reason }, frontmatter.status)
  }

  #begin(
    { name, hash, asked, standing }: ApprovedDraft,
    key: string,
    scope: string,
    before: DraftSend | undefined,
  ): Promise<DraftSend> {
    const { clock, sends } = this.#options
    return sends.begin({
      key,
      scope,
      name,
      sha256: hash,
      approval_id: standing.is === 'approved' ? standing.approval.id : undefined,
      reply_to_message_id: asked.kind === 'mail' ? asked.request.reply_to_message_id : undefined,
      begun_at: before?.begun_at ?? rfc3339(clock.now()),
      attempts: (before?.attempts ?? 0) + 1,
      next_ms: 0,
      is_vague: true, // until it is known how it went
      ended_at: undefined,
      reason: undefined,
      filed_to: undefined,
      is_filed: false,
    })
  }
}
