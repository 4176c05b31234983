/** Hands mails that answer an agent's mail to that agent, each once; what cannot be handed over waits for the person, and says why. */
import type { Asker } from '../../email/outgoing/mail-request.ts'
import { AgentMailError } from '../../errors.ts'
import type { Clock } from '../../system/clock.ts'
import { backoffMs } from '../../system/retry.ts'
import { sha256 } from '../../system/text.ts'
import type { Note } from '../../vault/notes.ts'
import { inOneLine, type Teller } from '../events.ts'
import type { Answers } from '../inbox/answers.ts'
import { fields, mailBody, mailFrontMatter } from '../inbox/mail-note.ts'
import type { MailClient } from '../servers/mail-client.ts'
import type { NoteEdit, VaultNotes } from '../servers/vault-notes.ts'
import type { State } from '../state.ts'
import { fileAway } from './filing.ts'
import type { HandOver } from './hand-over.ts'

interface OffersOptions {
  answers: Answers
  handOver: () => Promise<HandOver>
  mail: MailClient
  notes: VaultNotes
  state: State
  teller: Teller
  clock: Clock
  retryMs: number
}

/** So many answers in an hour reach an agent by themselves; the others wait for the person, or whoever writes could keep it busy for ever. */
const mostAnHour = 30
const hourMs = 3600_000

export class ReplyOffers {
  readonly #options: OffersOptions

  constructor(options: OffersOptions) {
    this.#options = options
  }

  /** On disk when it returns, so before there is a note at the path: whoever decides about mail leaves it alone. */
  expect(path: string): void {
    const { state } = this.#options
    if (state.offers.has(path)) return
    state.offers.add(path)
    state.save()
  }

  /** Whether a note is for an agent, and for nobody else to decide about. */
  holds(note: Note): boolean {
    if (note.frontmatter.answers === undefined) return false
    this.expect(note.path)
    return true
  }

  /** Gives how many wait to be tried again. */
  async offerAll(isEnding: () => boolean): Promise<number> {
    const { state, clock } = this.#options
    let waiting = 0
    for (const path of [...state.offers]) {
      const isEarly = (state.troubles[path]?.next_ms ?? 0) > clock.now()
      if (isEnding() || isEarly || !(await this.#offer(path))) waiting++
    }
    return waiting
  }

  /** False where it has to be tried again. */
  async #offer(path: string): Promise<boolean> {
    const { notes, teller } = this.#options
    try {
      const note = await notes.find(path)
      if (note && isPending(note)) await this.#give(note)
      this.#forget(path)
      return true
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      this.#postpone(path)
      const reason = inOneLine(error)
      const text = `${path} is not handed over yet and is tried again: ${reason}`
      teller.tellOnce(path, 'failed', text, { note: path, reason })
      return false
    }
  }

  /** Who asked, and what the answer says, is asked of the ledger and the mailbox: a tool can write a note. */
  async #give(note: Note): Promise<void> {
    const { answers, handOver, mail, teller } = this.#options
    const { path } = note
    const { message_id: id } = fields(note)
    const asker = await unlessGone(() => answers.askerOf(id))
    if (asker === 'gone') {
      return this.#leave(note, 'the mail is not in the mailbox any more, so nobody was given it')
    }
    if (!asker) {
      await this.#mark(path, { frontmatter: { answers: undefined, answers_project: undefined } })
      return
    }
    const given = this.#givenTo(asker)
    if (given.length >= mostAnHour) {
      const reason = `more than ${mostAnHour} answers to ${asker.agent} came within an hour, so nobody was given this one`
      return this.#leave(note, reason)
    }
    const fetched = { ...(await mail.get(id)), id }
    const whole = { path, frontmatter: mailFrontMatter(fetched), body: mailBody(fetched.body) }
    const outcome = await (await handOver()).answer(asker, whole, keyOf(id))
    const { agent } = asker
    if (outcome.is === 'nobody') return this.#leave(note, outcome.reason)
    if (outcome.is !== 'sent') throw new AgentMailError('send_failed', outcome.reason)
    given.push(this.#options.clock.now())
    const { sent_at } = outcome
    const reason = `it answers a mail of ${agent}, who was given it`
    const done = { status: 'done', triage: 'answer', reason, delegate_to: agent, sent_at }
    if (!(await this.#mark(path, { frontmatter: done }))) return
    const where = (await fileAway(this.#options, path)) ?? path
    await this.#mark(where, { frontmatter: done }) // where an editor has put it back as it was, between the two
    teller.forget(path)
    teller.tell('delegated', `to @${agent}, whose mail it answers → ${where}`, { note: where })
  }

  /** When this agent was given answers within the last hour; what is older goes. */
  #givenTo({ agent, project = '' }: Asker): number[] {
    const { state, clock } = this.#options
    const now = clock.now()
    for (const [who, times] of Object.entries(state.given)) {
      const recent = times.filter((ms) => ms > now - hourMs && ms <= now)
      if (recent.length > 0) state.given[who] = recent
      else delete state.given[who]
    }
    const who = JSON.stringify([project, agent])
    const given = state.given[who] ?? []
    state.given[who] = given
    return given
  }

  async #leave(note: Note, reason: string): Promise<void> {
    const { teller } = this.#options
    await this.#mark(note.path, { frontmatter: { status: 'needs_info', reason } })
    teller.tell('returned', `${note.path} waits for you: ${reason}`, { note: note.path, reason })
  }

  /** Unless a person has decided meanwhile. */
  #mark(path: string, edit: NoteEdit): Promise<Note | undefined> {
    return this.#options.notes.change(path, (note) => (isPending(note) ? edit : undefined))
  }

  #forget(path: string): void {
    const { state } = this.#options
    state.offers.delete(path)
    delete state.troubles[path]
    state.save()
  }

  #postpone(path: string): void {
    const { state, clock, retryMs } = this.#options
    const attempts = (state.troubles[path]?.attempts ?? 0) + 1
    state.troubles[path] = { attempts, next_ms: clock.now() + backoffMs(attempts, retryMs) }
    state.save()
  }
}

/** The same mail has the same, also for a run that has lost its memory. */
const keyOf = (id: string): string => `answer-${sha256(id).slice(0, 32)}`

const isPending = ({ frontmatter: { status, answers, message_id } }: Note): boolean =>
  status === 'pending' && answers !== undefined && message_id !== undefined

async function unlessGone<T>(work: () => Promise<T>): Promise<T | 'gone'> {
  try {
    return await work()
  } catch (error) {
    if (AgentMailError.is(error, 'not_found', 'invalid_request')) return 'gone'
    throw error
  }
}
