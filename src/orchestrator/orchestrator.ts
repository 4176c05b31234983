/** The clerk: takes mail in, has it decided about, and sends what a person has approved. */
import { watch } from 'node:fs'
import { join } from 'node:path'
import { AgentMailError } from '../errors.ts'
import type { Clock } from '../system/clock.ts'
import type { Vault } from '../vault/vault.ts'
import type { Digest } from './digest/digest.ts'
import { inOneLine, type Teller } from './events.ts'
import type { Answers } from './inbox/answers.ts'
import { ingest } from './inbox/ingest.ts'
import type { Left, Outbox } from './outbox/outbox.ts'
import type { ReplyOffers } from './outbox/reply-offers.ts'
import type { MailClient } from './servers/mail-client.ts'
import type { VaultNotes } from './servers/vault-notes.ts'
import type { State } from './state.ts'
import type { TellOfDraft } from './triage/carry-out.ts'
import type { Triager } from './triage/decision.ts'
import type { Delegates } from './triage/delegates.ts'
import { triageAll } from './triage/triage-round.ts'

/** Both send, and by the same ledger. */
export interface OpenedOutbox {
  outbox: Outbox
  digest: Digest | undefined
}

export interface OrchestratorParts {
  vault: Vault
  notes: VaultNotes
  mail: MailClient
  /** The ledger that it needs may be out of reach for a while; mail is taken in meanwhile. */
  openOutbox: (isEnding: () => boolean) => Promise<OpenedOutbox>
  /** Calls when mail may have come, until the signal; ends at once where nobody tells. */
  watchMail?: ((onNews: () => void, signal: AbortSignal) => Promise<void>) | undefined
  triager: Triager
  delegates: Delegates
  tellOfDraft: TellOfDraft
  answers: Answers | undefined
  offers: ReplyOffers | undefined
  state: State
  teller: Teller
  clock: Clock
  query: string
  pollMs: number
  retryMs: number
}

/** One that runs once waits for a draft that is nearly quiet, instead of leaving it to the next run. */
const patienceMs = 5000
/** Before a mail service that refused to tell of mail is asked again. */
const leastWatchPauseMs = 60_000

export class Orchestrator {
  readonly #parts: OrchestratorParts & { isEnding: () => boolean; ending: AbortSignal }
  #outbox: OpenedOutbox | undefined
  /** What came is in the vault before a digest tells of it. */
  #hasWorkedInbox = false
  readonly #inboxRest = new Rest()
  /** Whether mail may have come since the inbox was last looked into. */
  #hasNews = false
  readonly #outboxRest = new Rest()
  readonly #watchRest = new Rest()
  readonly #ending = new AbortController()
  /** Whether what failed before rests as long as it was to. */
  #isPatient = true

  constructor(parts: OrchestratorParts) {
    const { signal } = this.#ending
    this.#parts = { ...parts, isEnding: () => signal.aborted, ending: signal }
  }

  /** Does what can be done now. Gives how much waits. */
  async once(): Promise<number> {
    const { clock } = this.#parts
    await this.#sendApproved()
    const waiting = await this.#workInbox()
    for (const began = performance.now(); ; ) {
      const left = await this.#sendApproved()
      const ms = left.quietMs - clock.now()
      const isPatient = ms <= patienceMs && performance.now() - began < 3 * patienceMs
      if (this.#parts.isEnding()) return waiting + left.waiting
      if (!isPatient) return waiting + left.waiting + (await this.#tellDay())
      await this.#outboxRest.wait(Math.max(ms, 50))
    }
  }

  /** Until it is told to stop. What is being decided never holds up what is to be sent. Gives how much waits. */
  async run(): Promise<number> {
    const { state, triager } = this.#parts
    state.tryAgain()
    this.#isPatient = false
    if (triager.name !== 'rules') state.forgetUndecided()
    const stopWatching = this.#watchApproved()
    void this.#watchMail()
    try {
      // Where one fails, the other ends in order before anybody takes over.
      const loops = [this.#inboxLoop(), this.#outboxLoop()]
      for (const loop of loops) loop.catch(() => this.stop())
      await Promise.allSettled(loops)
      const [inbox = 0, outbox = 0] = await Promise.all(loops)
      return inbox + outbox
    } finally {
      stopWatching()
    }
  }

  /** Ends when what is under way is done; a model is not waited for. */
  stop(): void {
    this.#ending.abort()
    this.#inboxRest.wake()
    this.#outboxRest.wake()
    this.#watchRest.wake()
  }

  /** What a person has to do. */
  async forPerson(): Promise<{ drafts: number; mails: number }> {
    const { notes } = this.#parts
    const count = async (folder: string, status: string) => {
      let found = 0
      for await (const _ of notes.list(folder, `status:${status}`)) found++
      return found
    }
    return {
      drafts: await count('Drafts', 'pending_approval'),
      mails:
        (await count('Needs_Action', 'pending')) +
        (await count('Needs_Action', 'needs_info')) +
        (await count('Needs_Action', 'pending_approval')),
    }
  }

  async #inboxLoop(): Promise<number> {
    for (;;) {
      this.#hasNews = false
      const waiting = await this.#workInbox()
      if (this.#parts.isEnding()) return waiting
      if (!this.#hasNews) await this.#inboxRest.wait(this.#parts.pollMs)
    }
  }

  async #outboxLoop(): Promise<number> {
    const { clock, pollMs } = this.#parts
    for (;;) {
      const { waiting, nextMs } = await this.#sendApproved()
      if (this.#parts.isEnding()) return waiting
      await this.#tellDay()
      const restMs = Math.min(nextMs - clock.now(), this.#outbox?.digest?.restMs ?? pollMs)
      await this.#outboxRest.wait(Math.min(pollMs, Math.max(50, restMs)))
    }
  }

  async #workInbox(): Promise<number> {
    const notTaken = await this.#unlessItFails('inbox', () => ingest(this.#parts))
    await this.#offer()
    const notDecided = await this.#unlessItFails('triage', () => triageAll(this.#parts))
    // Of some it is seen only now that they are for an agent, as where the state was lost.
    const notGiven = await this.#offer()
    this.#hasWorkedInbox = true
    return (notTaken ?? 1) + notGiven + (notDecided ?? 1)
  }

  async #offer(): Promise<number> {
    const { offers, isEnding } = this.#parts
    if (!offers) return 0
    return (await this.#unlessItFails('answers', () => offers.offerAll(isEnding))) ?? 1
  }

  async #sendApproved(): Promise<Left> {
    const left = await this.#unlessItFails('outbox', async () => {
      this.#outbox ??= await this.#openOutbox()
      return this.#outbox.outbox.look()
    })
    const never = Number.POSITIVE_INFINITY
    return left ?? { waiting: 1, nextMs: never, quietMs: never }
  }

  /** Sends the digest if it is due. Gives how many wait. */
  async #tellDay(): Promise<number> {
    const digest = this.#outbox?.digest
    if (!digest || !this.#hasWorkedInbox) return 0
    return (await this.#unlessItFails('digest', () => digest.look())) ?? 1
  }

  async #openOutbox(): Promise<OpenedOutbox> {
    const opened = await this.#parts.openOutbox(this.#parts.isEnding)
    if (!this.#isPatient) opened.outbox.tryAgain()
    return opened
  }

  /** What fails is told once and tried again with the next look. */
  async #unlessItFails<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    const { teller } = this.#parts
    try {
      const done = await work()
      teller.forget(what)
      return done
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      // A server that is away was told of already.
      if (error.code !== 'mcp_unavailable') {
        const text = `the ${what} waits: ${inOneLine(error)}`
        teller.tellOnce(what, 'trouble', text, { error: error.code })
      }
      return undefined
    }
  }

  /** Mail that nobody tells of is found at the next look all the same. */
  async #watchMail(): Promise<void> {
    const { watchMail, isEnding, ending, pollMs } = this.#parts
    const onNews = () => {
      this.#hasNews = true
      this.#inboxRest.wake()
    }
    while (watchMail && !isEnding()) {
      try {
        await watchMail(onNews, ending)
        return
      } catch {
        await this.#watchRest.wait(Math.max(pollMs, leastWatchPauseMs)) // why is told by who looks for mail
      }
    }
  }

  /** A folder that cannot be watched is looked at from time to time all the same. */
  #watchApproved(): () => void {
    const { vault } = this.#parts
    const path = join(vault.root, 'Approved')
    try {
      vault.make(['Approved']).folder.close()
      const watcher = watch(path, () => this.#outboxRest.wake())
      watcher.on('error', () => watcher.close())
      return () => watcher.close()
    } catch {
      return () => {}
    }
  }
}

/** A rest that somebody can end before its time. */
class Rest {
  readonly #sleepers = new Set<() => void>()

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#sleepers.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      this.#sleepers.add(wake)
    })
  }

  wake(): void {
    for (const wake of [...this.#sleepers]) wake()
  }
}
