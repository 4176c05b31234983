/** Takes new mail in: a note in Needs_Action/ for each, once, however often it is restarted. */

import type { Asker } from '../../email/outgoing/mail-request.ts'
import { AgentMailError } from '../../errors.ts'
import type { Clock } from '../../system/clock.ts'
import { backoffMs } from '../../system/retry.ts'
import { sha256 } from '../../system/text.ts'
import { nameOf } from '../../vault/note-path.ts'
import { isOwnDigest } from '../digest/digest-subject.ts'
import { counted, inShort, type Teller } from '../events.ts'
import type { ReplyOffers } from '../outbox/reply-offers.ts'
import type { Head, MailClient } from '../servers/mail-client.ts'
import type { VaultNotes } from '../servers/vault-notes.ts'
import type { State } from '../state.ts'
import type { Answers } from './answers.ts'
import { mailBody, mailFrontMatter, mailNoteName } from './mail-note.ts'
import { noteHash, noteHashIn } from './note-hash.ts'

interface Intake {
  mail: MailClient
  notes: VaultNotes
  state: State
  teller: Teller
  clock: Clock
  query: string
  retryMs: number
  isEnding: () => boolean
  /** Nothing where the mailbox is that of another server, which does not tell. */
  answers: Answers | undefined
  /** Nothing where answers wait for the person. */
  offers: ReplyOffers | undefined
}

/** New mail stands at the top; the whole inbox is walked now and then, for what has come late. */
const wholeWalkMs = 24 * 3600_000
/** Sooner, where some mails could not be read. */
const againMs = 3600_000
/** A service that fails so often in a row is not asked on. */
const mostFailures = 10
/** How often a mail is tried again of which it cannot be told whom it answers. */
const patience = 3

/** Gives how many mails could not be taken in, and wait. */
export async function ingest(intake: Intake): Promise<number> {
  const { state, clock } = intake
  const round = new Round(intake)
  const now = clock.now()
  // A long inbox may never be walked in one go, so a walk that was cut short goes on where it was.
  const cutShort = state.walk?.next
  const isWhole = cutShort === undefined && (now >= state.nextWalkMs || isFarAway(state, now))
  const isOver =
    (await round.walk(undefined, isWhole)) &&
    (cutShort === undefined || (await round.goOn(cutShort)))
  if (isOver && round.isWholeInbox && (isWhole || !state.isTidy)) await round.tidy()
  if (isOver && (isWhole || cutShort !== undefined)) {
    state.walk = undefined
    state.nextWalkMs = clock.now() + (round.failed > 0 ? againMs : wholeWalkMs)
    state.save()
  }
  return round.failed
}

/** The clock was set back. */
const isFarAway = ({ nextWalkMs }: State, now: number): boolean => nextWalkMs > now + wholeWalkMs

class Round {
  failed = 0
  readonly #intake: Intake
  #taken = 0
  #pages = 0
  /** Hashes of the mails that have notes. */
  #known: Set<string> | undefined
  #failuresInARow = 0
  /** Whether some mail may answer an agent's: asked when there is one. */
  #mayAnswer: boolean | undefined
  /** What the inbox has, as far as it was walked from the top. */
  readonly #found = new Set<string>()
  isWholeInbox = false

  constructor(intake: Intake) {
    this.#intake = intake
  }

  /** Up to a page of mails that are all known, or through the whole inbox. False where it was told to end. */
  async walk(from: string | undefined, isWhole: boolean): Promise<boolean> {
    const { mail, state, query, isEnding } = this.#intake
    for await (const { heads, next } of mail.inboxPages(query, from)) {
      if (from === undefined) {
        for (const { id } of heads) this.#found.add(id)
        this.isWholeInbox = next === undefined
      }
      const fresh = heads.filter((head) => this.#isNew(head) && this.#isDue(head))
      for (const head of fresh) if (!isEnding()) await this.#take(head)
      if (isWhole && !isEnding()) state.walk = next === undefined ? undefined : { next }
      if (fresh.length > 0 || isWhole) state.save()
      if (isEnding()) return false
      this.#tellProgress(fresh.length)
      if (fresh.length === 0 && !isWhole) return true
    }
    return true
  }

  async goOn(from: string): Promise<boolean> {
    try {
      return await this.walk(from, true)
    } catch (error) {
      // The service may not know that page any more: then the next walk begins at the top.
      if (AgentMailError.is(error) && !isForAll(error)) this.#intake.state.walk = undefined
      throw error
    }
  }

  /** Lets the state grow with what is there, not with what ever was. */
  async tidy(): Promise<void> {
    const { state, notes, clock } = this.#intake
    state.isTidy = true
    const open = new Set<string>()
    const done = new Set<string>()
    const waiting = new Set<string>()
    if (!state.hasMoreThan(this.#found)) return
    for (const folder of ['Needs_Action', 'Drafts', 'Approved', 'Done']) {
      for await (const path of notes.list(folder)) {
        if (folder === 'Needs_Action') waiting.add(path)
        const hash = noteHashIn(nameOf(path))
        if (hash) (folder === 'Done' ? done : open).add(hash)
      }
    }
    const troubles = new Set([...this.#found].map(troubleOf))
    state.forget({
      found: this.#found,
      isOpen: (hash) => open.has(hash),
      isDone: (hash) => done.has(hash),
      now: clock.now(),
    })
    state.forgetNotes(
      (path) => waiting.has(path),
      (trouble) => troubles.has(trouble),
    )
    state.save()
  }

  #tellProgress(fresh: number): void {
    if (++this.#pages === 1 || fresh === 0) return
    this.#intake.teller.tell('progress', `${counted(this.#taken, 'mail')} taken in so far`, {
      ingested: this.#taken,
    })
  }

  /** What tells of mail is none. */
  #isNew({ id, subject }: Head): boolean {
    const { state } = this.#intake
    return !state.hasIngested(id) && !isOwnDigest(subject, state.vaultId)
  }

  /** One that could not be taken in rests, or it would keep out those behind it. */
  #isDue({ id }: Head): boolean {
    const { state, clock } = this.#intake
    const isDue = (state.troubles[troubleOf(id)]?.next_ms ?? 0) <= clock.now()
    if (!isDue) this.failed++
    return isDue
  }

  async #take(head: Head): Promise<void> {
    const { state, teller } = this.#intake
    try {
      if (await this.#ingest(head)) this.#taken++
      state.ingested(head.id)
      delete state.troubles[troubleOf(head.id)]
      teller.forget(head.id)
      this.#failuresInARow = 0
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      if (error.code === 'not_found') return // it was deleted meanwhile
      this.failed++
      if (isForAll(error)) throw error
      this.#postpone(head)
      if (++this.#failuresInARow >= mostFailures) throw error
      teller.tellOnce(head.id, 'trouble', `a mail could not be taken in: ${error.message}`, {
        message_id: head.id,
      })
    }
  }

  #postpone({ id }: Head): void {
    const { state, clock, retryMs } = this.#intake
    const attempts = (state.troubles[troubleOf(id)]?.attempts ?? 0) + 1
    const next_ms = clock.now() + backoffMs(attempts, retryMs)
    state.troubles[troubleOf(id)] = { attempts, next_ms }
    state.save()
  }

  async #ingest(head: Head): Promise<boolean> {
    const { mail, notes, teller, offers } = this.#intake
    const known = await this.#knownNotes()
    const hash = noteHash(head.id)
    if (known.has(hash)) return false
    const read = await mail.get(head.id)
    const asker = await this.#asker(head.id)
    const path = `Needs_Action/${mailNoteName(read.subject, head.id)}`
    const frontmatter = mailFrontMatter({ ...read, id: head.id }, asker)
    if (asker) offers?.expect(path)
    const body = mailBody(read.body)
    await (asker ? notes.put(path, frontmatter, body) : notes.write(path, frontmatter, body))
    known.add(hash)
    const what = `${inShort(read.sender, '(no sender)')}: ${inShort(read.subject, '(no subject)')}`
    teller.tell('ingested', `from ${what} → ${path}`, {
      note: path,
      message_id: head.id,
    })
    return true
  }

  /** A mail of which it cannot be told is tried again a few times, and is taken in all the same then. */
  async #asker(id: string): Promise<Asker | undefined> {
    const { answers, state } = this.#intake
    this.#mayAnswer ??= (await answers?.arePossible()) ?? false
    if (!answers || !this.#mayAnswer) return undefined
    try {
      return await answers.askerOf(id)
    } catch (error) {
      const attempts = state.troubles[troubleOf(id)]?.attempts ?? 0
      if (!AgentMailError.is(error) || isForAll(error) || attempts < patience) throw error
      return undefined
    }
  }

  /** Of mails that came back, and of a run that was killed before it could save what it had done, or whose state is lost: then a person may have put them anywhere. */
  async #knownNotes(): Promise<Set<string>> {
    if (this.#known) return this.#known
    this.#known = new Set<string>()
    const isNew = this.#intake.state.nextWalkMs === 0
    for (const folder of isNew ? [''] : ['Needs_Action', 'Drafts', 'Approved', 'Done']) {
      for await (const path of this.#intake.notes.list(folder)) {
        const hash = noteHashIn(nameOf(path))
        if (hash) this.#known.add(hash)
      }
    }
    return this.#known
  }
}

/** They say nothing about the mail at which they came up; nor does a server that was not even asked. */
const isForAll = ({ code, details }: AgentMailError): boolean =>
  ['auth_required', 'database_lost', 'rate_limited', 'storage'].includes(code) ||
  (code === 'mcp_unavailable' && details?.may_have_run === false)

/** What is kept for notes there begins with their folder. */
const troubleOf = (id: string): string => `mail ${sha256(id)}`
