/** Sends what a person has approved: each draft in Approved/ once. */
import type { BigIntStats } from 'node:fs'
import { hashOf } from '../../email/drafts/draft-note.ts'
import { AgentMailError } from '../../errors.ts'
import { type Clock, rfc3339 } from '../../system/clock.ts'
import { log } from '../../system/log.ts'
import { isNoteName, nameOf } from '../../vault/note-path.ts'
import type { Vault } from '../../vault/vault.ts'
import { withVaultErrors } from '../../vault/vault-error.ts'
import type { Approvals } from '../approval/approvals.ts'
import { inOneLine } from '../events.ts'
import type { DraftSend } from '../sends.ts'
import {
  type ApprovedDraft,
  hasEnded,
  isApprovedAnew,
  keyOf,
  mayBe,
  readApproved,
  repeated,
} from './approved-draft.ts'
import { Dispatch, type DispatchOptions } from './dispatch.ts'
import { lookAdvice } from './way-out.ts'

export interface OutboxOptions extends Omit<DispatchOptions, 'isStillApproved'> {
  /** Of what was approved before, another ledger knew whether it has left: it is given to nobody. */
  ledgerSinceMs: number
  vault: Vault
  approvals: Approvals
  quietMs: number
  isEnding: () => boolean
}

/** What is left when a look is over: how much, and when the next look may change that. */
export interface Left {
  waiting: number
  nextMs: number
  /** When a note that somebody was at work on will have been quiet long enough. */
  quietMs: number
}

const nothing = (): Left => ({
  waiting: 0,
  nextMs: Number.POSITIVE_INFINITY,
  quietMs: Number.POSITIVE_INFINITY,
})

export class Outbox {
  readonly #options: OutboxOptions
  readonly #quiet: Quiet
  readonly #dispatch: Dispatch
  /** Of the notes that lie in Approved/ now. */
  #names = new Set<string>()
  #left = nothing()

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#quiet = new Quiet(options.clock, options.quietMs)
    const isStillApproved = (draft: ApprovedDraft) => this.#isStillApproved(draft)
    this.#dispatch = new Dispatch({ ...options, isStillApproved }, (untilMs) => this.#wait(untilMs))
  }

  /** For a start by hand: what was wrong may have been mended. */
  tryAgain(): void {
    this.#options.sends.tryAgain()
  }

  /** Looks at everything in Approved/ once. */
  async look(): Promise<Left> {
    const { vault, notes, filing, sends, isEnding } = this.#options
    this.#left = nothing()
    await sends.refresh()
    await this.#noteEnds()
    const paths: string[] = []
    // What begins with a dot is some program's, and no person sees it.
    for await (const path of notes.list('Approved')) {
      if (!nameOf(path).startsWith('.')) paths.push(path)
    }
    this.#names = new Set(paths.map(nameOf))
    for (const path of await strays(vault)) {
      this.#hold(path, 'it is a link or no file, or has a name that no note can have')
    }
    for (const path of paths) {
      if (isEnding()) break
      await this.#unlessItFails(path, () => this.#handle(path))
    }
    for (const entry of sends.list()) {
      if (entry.is_filed || this.#names.has(entry.name) || isEnding()) continue
      await this.#unlessItFails(entry.filed_to ?? entry.name, () =>
        entry.state === 'sent' ? filing.finish(entry) : this.#withdrawn(entry),
      )
    }
    return this.#left
  }

  /** Of a mail that had left when a run was killed. */
  async #noteEnds(): Promise<void> {
    const { sends, clock } = this.#options
    for (const entry of sends.list()) {
      if (entry.state !== 'sent' || entry.ended_at !== undefined) continue
      entry.ended_at = rfc3339(clock.now())
      await sends.save(entry)
    }
  }

  /** Its file says when it was put there by hand, whoever wrote it when. */
  #isOfAnotherLedger({ standing, stat }: ApprovedDraft): boolean {
    const approvedMs =
      standing.is === 'approved' ? Date.parse(standing.approval.timestamp) : Number(stat.ctimeMs)
    return approvedMs <= this.#options.ledgerSinceMs
  }

  async #isStillApproved({ note, hash, standing }: ApprovedDraft): Promise<boolean> {
    const now = await readApproved(this.#options, note.path)
    return (
      now !== undefined && now.hash === hash && now.standing.is === standing.is && !hasEnded(now)
    )
  }

  /** What is wrong with one note keeps no other, foreseen or not. */
  async #unlessItFails(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!AgentMailError.is(error)) log(`${path}: ${error instanceof Error ? error.stack : error}`)
      const reason = AgentMailError.is(error) ? inOneLine(error) : 'it failed; the log says how'
      this.#hold(path, reason)
    }
  }

  async #handle(path: string): Promise<void> {
    const { sends, clock } = this.#options
    const draft = await readApproved(this.#options, path)
    if (!draft) return
    const open = this.#entry((entry) => mayBe(draft, entry))
    if (open && !isApprovedAnew(draft, open)) return this.#settle(draft, open)
    if (open) await sends.forget(open)
    const now = clock.now()
    const same = this.#entry((entry) => repeated(draft, entry) === 'same')
    if (same) return this.#dispatch.file(draft, same, false)
    const { status } = draft.note.frontmatter
    if (hasEnded(draft)) return this.#hold(path, `its status is ${status}`)
    const key = keyOf(draft)
    const before = sends.get(key)
    const quietMs = before ? 0 : this.#quiet.leftMs(path, draft.note.etag, draft.stat)
    if (draft.standing.is !== 'approved' && quietMs > 0) {
      this.#left.quietMs = Math.min(this.#left.quietMs, now + quietMs)
      return this.#wait(now + quietMs)
    }
    const isLost = !before && (status === 'unknown' || this.#isOfAnotherLedger(draft))
    if (draft.standing.is === 'void') {
      return this.#block(draft, draft.standing.reason, isLost ? 'unknown' : 'blocked')
    }
    const other = this.#entry((entry) => repeated(draft, entry) === 'other')
    if (other) return this.#block(draft, sentOther(other), 'blocked')
    if (before && before.next_ms > now) return this.#dispatch.rest(draft, before)
    if (isLost) return this.#dispatch.find(draft, key)
    return this.#dispatch.send(draft, key)
  }

  /** A copy waits for the note that it is a copy of. */
  async #settle(draft: ApprovedDraft, entry: DraftSend): Promise<void> {
    const isCopy = entry.name !== draft.name && this.#names.has(entry.name)
    if (!isCopy) return this.#dispatch.settle(draft, entry)
    this.#hold(draft.note.path, `it says the same as ${entry.name}, which may have been sent`)
  }

  /** It waits for a person; what lies there without being a draft is left as it is. */
  async #block(
    { note: { path, frontmatter } }: ApprovedDraft,
    reason: string,
    status: string,
  ): Promise<void> {
    this.#hold(path, reason)
    await this.#options.notes.mark(path, { status, reason }, frontmatter.status)
  }

  #hold(path: string, reason: string): void {
    this.#wait()
    const text = `${path} is not sent: ${reason}`
    this.#options.teller.tellOnce(path, 'blocked', text, { note: path, reason })
  }

  #entry(isIt: (entry: DraftSend) => boolean): DraftSend | undefined {
    return this.#options.sends.list().find(isIt)
  }

  /** A person who has taken a note out of Approved/ has dealt with it, if they could know how it stood. */
  async #withdrawn(entry: DraftSend): Promise<void> {
    const { sends, notes, clock, vault } = this.#options
    const draft = await notes.find(`Drafts/${entry.name}`)
    const done = draft ? undefined : await notes.find(`Done/${entry.name}`)
    const isDone = done && (await hashOf(vault, done).catch(() => '')) === entry.sha256
    if (!draft && !isDone) return
    if (isBegun(entry) && entry.ended_at === undefined && draft) {
      const reason = `it may have been sent before it was taken out of Approved/. ${lookAdvice}`
      Object.assign(entry, { state: 'unknown', reason, ended_at: rfc3339(clock.now()) })
      await sends.settle(entry, 'unknown')
      await notes.change(draft.path, () => ({ frontmatter: { status: 'unknown', reason } }))
      return
    }
    await sends.forget(entry)
  }

  #wait(untilMs = Number.POSITIVE_INFINITY): void {
    this.#left.waiting++
    this.#left.nextMs = Math.min(this.#left.nextMs, untilMs)
  }
}

const isBegun = ({ state }: DraftSend): boolean => state === 'sending' || state === 'unknown'

/** Its note could not be put away, and says something else now. */
const sentOther = ({ sent_at, to }: DraftSend): string =>
  `it went to ${to} at ${sent_at}, and was changed since. If it is to be sent as it is now too, say agentmail drafts approve.`

/** Whether somebody is still at work on a note: editors save what was typed seconds later. */
class Quiet {
  readonly #clock: Clock
  readonly #quietMs: number
  readonly #seen = new Map<string, { etag: string; sinceMs: number }>()

  constructor(clock: Clock, quietMs: number) {
    this.#clock = clock
    this.#quietMs = quietMs
  }

  /** How long to wait until the note has been quiet long enough; 0 when it has. */
  leftMs(path: string, etag: string, { mtimeMs, ctimeMs }: BigIntStats): number {
    const now = this.#clock.now()
    const seen = this.#seen.get(path)
    if (seen?.etag !== etag) this.#seen.set(path, { etag, sinceMs: now })
    const changedMs = Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs)
    // A time in the future says nothing: then it counts how long it was seen unchanged.
    const sinceMs = changedMs <= now ? changedMs : (this.#seen.get(path)?.sinceMs ?? now)
    return Math.max(0, sinceMs + this.#quietMs - now)
  }
}

/** What lies in Approved/ and looks like a note, but is none: links, pipes, and names that no note can have. */
function strays(vault: Vault): Promise<string[]> {
  return withVaultErrors('Approved', () =>
    vault.within(['Approved'], (found) =>
      (found?.folder.entries() ?? [])
        .filter((entry) => !entry.isDirectory() && /^[^.].*\.md$/is.test(entry.name))
        .filter((entry) => !entry.isFile() || !isNoteName(entry.name))
        .map(({ name }) => `Approved/${name}`),
    ),
  )
}
