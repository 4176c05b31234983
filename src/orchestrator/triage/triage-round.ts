/** Decides about the mails that wait; what was decided is carried out on their notes. */

import { AgentMailError, type ErrorCode } from '../../errors.ts'
import type { Clock } from '../../system/clock.ts'
import { backoffMs } from '../../system/retry.ts'
import type { Note } from '../../vault/notes.ts'
import { counted, inOneLine, type Teller } from '../events.ts'
import { fields, mailText } from '../inbox/mail-note.ts'
import { fileAway } from '../outbox/filing.ts'
import type { ReplyOffers } from '../outbox/reply-offers.ts'
import type { MailClient } from '../servers/mail-client.ts'
import type { VaultNotes } from '../servers/vault-notes.ts'
import type { State } from '../state.ts'
import { carryOut, drafted, findReply, type TellOfDraft } from './carry-out.ts'
import type { Decision, Triager } from './decision.ts'
import type { Delegates } from './delegates.ts'
import { maxBodyCharacters } from './prompt.ts'

interface TriageParts {
  notes: VaultNotes
  mail: MailClient
  state: State
  teller: Teller
  clock: Clock
  triager: Triager
  delegates: Delegates
  tellOfDraft: TellOfDraft
  /** Nothing where answers wait for the person. */
  offers: ReplyOffers | undefined
  retryMs: number
  isEnding: () => boolean
  /** Cuts short what is being decided. */
  ending: AbortSignal
}

/** After so many answers that do not fit, a mail is left to a person. */
const mostBadAnswers = 5
/** A model that fails on so many mails in a row is not there; on fewer, it may be the mails. */
const mostFailures = 3
/** Without rules or notes, no other mail can be decided about either. */
const endsRound: ErrorCode[] = ['bad_config', 'database_lost', 'mcp_unavailable', 'storage']

/** Gives how many mails wait to be tried again. */
export async function triageAll(parts: TriageParts): Promise<number> {
  const round = new TriageRound(parts, await parts.triager.version())
  await fileDone(parts)
  const pending: string[] = []
  for await (const path of parts.notes.list('Needs_Action', 'status:pending')) {
    if (round.isDue(path)) pending.push(path)
  }
  round.tellEarly()
  // What failed before comes last, so that it holds up nothing that was not tried yet.
  const attempts = (path: string) => parts.state.troubles[path]?.attempts ?? 0
  pending.sort((one, other) => attempts(one) - attempts(other))
  try {
    for (const [index, path] of pending.entries()) {
      if (parts.isEnding()) break
      if (!(await round.triage(path))) return round.waiting + pending.length - index - 1
    }
    return round.waiting
  } finally {
    round.tellFailures()
    // What is forgotten of it is only decided about once more.
    if (pending.length > 0) parts.state.save()
  }
}

class TriageRound {
  waiting = 0
  #early = 0
  /** Of the model, on one mail after the other. */
  #failures: { path: string; error: AgentMailError }[] = []
  readonly #parts: TriageParts
  readonly #version: string

  constructor(parts: TriageParts, version: string) {
    this.#parts = parts
    this.#version = version
  }

  isDue(path: string): boolean {
    const { state, clock } = this.#parts
    if (state.isUndecided(this.#version, path)) return false
    const isEarly = (state.troubles[path]?.next_ms ?? 0) > clock.now()
    if (isEarly) this.#early++
    return !isEarly
  }

  /** A run that has not said yet what waits says it. */
  tellEarly(): void {
    const { teller } = this.#parts
    this.waiting += this.#early
    if (this.#early === 0 || teller.hasTold('early')) return
    const text = `${counted(this.#early, 'mail')} could not be decided about and will be tried again later`
    teller.tellOnce('early', 'waiting', text)
  }

  /** Whether the others can be decided about. */
  async triage(path: string): Promise<boolean> {
    const { notes, offers } = this.#parts
    try {
      const note = await notes.find(path)
      if (note && isPendingMail(note) && !offers?.holds(note)) await this.#decide(note)
      return true
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      if (this.#parts.isEnding()) {
        this.waiting++
        return false
      }
      const canGoOn = this.#failed(path, error)
      await this.#postpone(path, error)
      return canGoOn
    }
  }

  /** Tells it, unless it is not known yet whether it is the model or the mail. */
  #failed(path: string, error: AgentMailError): boolean {
    if (error.code === 'model_unavailable') {
      this.#failures.push({ path, error })
      return this.#failures.length < mostFailures
    }
    const isForAll = endsRound.includes(error.code)
    if (!isForAll) this.tellFailures() // the model answered, if only nonsense
    this.#tell(path, error, isForAll)
    return !isForAll
  }

  /** Those of a model that is not there are one trouble, otherwise each is that of its mail. */
  tellFailures(): void {
    const isForAll = this.#failures.length >= mostFailures
    const told = isForAll ? this.#failures.slice(-1) : this.#failures
    for (const { path, error } of told) this.#tell(path, error, isForAll)
    this.#failures = []
  }

  #tell(path: string, error: AgentMailError, isForAll: boolean): void {
    const { teller, triager } = this.#parts
    const text = `${triager.name}: ${error.message}`
    const facts = { note: path, answer: error.details?.answer }
    if (isForAll) teller.tellOnce(error.code, 'trouble', text, facts)
    else teller.tellOnce(path, 'trouble', `${path}: ${text}`, facts)
  }

  async #decide(note: Note): Promise<void> {
    const { state, triager, notes, teller, ending } = this.#parts
    const { path } = note
    const { message_id: id, from, to, subject, date } = fields(note)
    const { reply, name } = await findReply(notes, subject, id)
    if (reply) {
      await drafted(this.#parts, path, reply)
      return
    }
    const mail = { from, to, subject, date, body: mailText(note.body, maxBodyCharacters) }
    const decision = await this.#checked(await triager.decide(mail, ending))
    this.tellFailures()
    for (const code of [...endsRound, 'model_unavailable']) teller.forget(code)
    teller.forget(path)
    // A person may have been faster than a model; than rules, hardly, and a decided mail is not marked again.
    const current = triager.name === 'rules' ? note : await notes.find(path)
    if (current && isPendingMail(current)) {
      if (decision) await carryOut(this.#parts, current, decision, name)
      else this.#leave(path, triager.why?.() ?? 'no rule fits it')
    }
    if (state.troubles[path]) delete state.troubles[path]
  }

  /** Whoever decided: a mail is proposed for nobody who is not there. */
  async #checked(decision: Decision | undefined): Promise<Decision | undefined> {
    const { delegates } = this.#parts
    return decision?.decision === 'delegate' ? delegates.checked(decision) : decision
  }

  /** For a person; it is looked at again when the rules change. */
  #leave(path: string, why: string): void {
    const { state, teller } = this.#parts
    state.undecided(this.#version, path)
    teller.tell('undecided', `${path} waits for you: ${why}`, { note: path })
  }

  async #postpone(path: string, error: AgentMailError): Promise<void> {
    const { state, clock, retryMs, notes } = this.#parts
    this.waiting++
    if (error.code === 'bad_config') return
    const attempts = (state.troubles[path]?.attempts ?? 0) + 1
    if (error.code === 'bad_answer' && attempts >= mostBadAnswers) {
      delete state.troubles[path]
      this.waiting--
      const reason = `${attempts} answers of the model did not fit`
      this.#leave(path, reason)
      await notes.change(path, (note) =>
        isPendingMail(note) ? { frontmatter: { reason } } : undefined,
      )
      return
    }
    const asked = Number(error.details?.retry_after_seconds ?? 0) * 1000
    const wait = Math.max(backoffMs(attempts, retryMs), Math.min(asked || 0, 3600_000))
    state.troubles[path] = { attempts, next_ms: clock.now() + wait }
    state.save()
  }
}

const isPendingMail = ({ frontmatter }: Note): boolean =>
  frontmatter.status === 'pending' && frontmatter.message_id !== undefined

/** A run that was killed may have marked a mail as done and not yet moved it. */
async function fileDone(parts: TriageParts): Promise<void> {
  const marked: string[] = []
  for await (const path of parts.notes.list('Needs_Action', 'status:done')) marked.push(path)
  for (const path of marked) {
    try {
      const note = await parts.notes.find(path)
      const { status, message_id } = note?.frontmatter ?? {}
      // Another server may not know what a filter is.
      if (status === 'done' && message_id !== undefined) await fileAway(parts, path)
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      parts.teller.tellOnce(path, 'trouble', `${path} could not be put away: ${inOneLine(error)}`)
    }
  }
}
