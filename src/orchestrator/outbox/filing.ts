/** What is done when a draft has left: its note and that of its mail go to Done/, also after a kill between two steps. */

import { fenced } from '../../email/visible-text/fence.ts'
import { AgentMailError } from '../../errors.ts'
import { type Clock, rfc3339 } from '../../system/clock.ts'
import { sha256 } from '../../system/text.ts'
import { nameOf } from '../../vault/note-path.ts'
import type { Note } from '../../vault/notes.ts'
import type { Teller } from '../events.ts'
import { inOneLine, shown } from '../in-one-line.ts'
import { fields, mailText } from '../inbox/mail-note.ts'
import type { VaultNotes } from '../servers/vault-notes.ts'
import type { SendEntry, State } from '../state.ts'
import type { AskedDelegation, Outcome, Post } from './delivery.ts'
import { fileAway } from './file-away.ts'

interface FilingOptions {
  notes: VaultNotes
  state: State
  teller: Teller
  clock: Clock
  post: Post
}

/** A message may be 64 KB, and a character up to four bytes. */
const mostCharacters = 14_000

export class Filing {
  readonly #options: FilingOptions

  constructor(options: FilingOptions) {
    this.#options = options
  }

  /** The note is in Approved/, and what it asked for has left: just now, or before. */
  async sent(note: Note, entry: SendEntry, isNew: boolean): Promise<void> {
    let where = note.path
    try {
      where = (await this.#file(note.path, entry)) ?? where
    } finally {
      this.#tell(entry, where, isNew)
    }
  }

  #tell({ to, subject, sent_at, message_id }: SendEntry, note: string, isNew: boolean): void {
    const { teller } = this.#options
    const facts = { note, message_id }
    if (!isNew) {
      teller.tellOnce(note, 'filed', `${note} was sent at ${sent_at} and is not sent again`, facts)
    } else if (message_id === undefined) teller.tell('delegated', `to ${to} → ${note}`, facts)
    else teller.tell('sent', `to ${to}: ${shown(subject, '(no subject)')} → ${note}`, facts)
  }

  /** Goes on where a run had moved the note already, or a person has. */
  async finish(entry: SendEntry): Promise<void> {
    if (!entry.is_filed) await this.#file(undefined, entry)
  }

  /** Gives where the note is now. */
  async #file(path: string | undefined, entry: SendEntry): Promise<string | undefined> {
    const { notes, state } = this.#options
    if (path !== undefined) {
      const choose = (destination: string) => {
        entry.filed_to = destination
        state.save()
      }
      const isMoved = await fileAway(this.#options, path, choose)
      if (!isMoved) await this.#withdrawn(entry)
    }
    const { filed_to, message_id, sent_at } = entry
    if (filed_to !== undefined) {
      const isReply = message_id !== undefined
      const done = {
        status: 'done',
        sent_at,
        // Of a mail that was handed over, the reason is why.
        ...(isReply && { sent_message_id: message_id || undefined, reason: undefined }),
      }
      await notes.change(filed_to, () => ({ frontmatter: done }))
    }
    if (entry.reply_to_message_id !== undefined) await this.#fileMail(entry.reply_to_message_id)
    entry.is_filed = true
    state.save()
    return filed_to
  }

  /** A person took the note away while it was being sent: they must not approve it again. */
  async #withdrawn(entry: SendEntry): Promise<void> {
    const { notes } = this.#options
    entry.filed_to = undefined
    const sent = { status: 'sent', sent_at: entry.sent_at }
    await notes.change(`Drafts/${entry.name}`, () => ({ frontmatter: sent }))
  }

  /** The mail that was answered. */
  async #fileMail(id: string): Promise<void> {
    const { notes } = this.#options
    const found: string[] = []
    for await (const path of notes.list('Needs_Action', `message_id:${id}`)) found.push(path)
    for (const path of found) {
      await notes.change(path, () => ({ frontmatter: { status: 'done' } }))
      await fileAway(this.#options, path)
    }
  }

  /** Hands a mail over to an agent, as a message in its channel. */
  async delegate(asked: AskedDelegation, note: Note, key: string): Promise<Outcome> {
    const { post, clock } = this.#options
    const { agent } = asked
    if (agent === undefined) {
      return { is: 'failed', reason: 'it names no agent: set delegate_to to the name of one' }
    }
    const { from, subject, date } = fields(note)
    const place = `Done/${nameOf(note.path)}`
    const mail = `From: ${from}\nDate: ${date}\nSubject: ${subject}\n\n${mailText(note.body)}`
    const body = [
      'A person has handed this mail from outside over to you.',
      `Its note in the vault: [[${place}]]`,
      '',
      // The same each time: the same key with another text would be refused.
      fenced(mail, mostCharacters, sha256(key).slice(0, 22)).body,
    ].join('\n')
    try {
      await post({ agent, subject: 'A mail was handed over to you', body, key })
      return { is: 'sent', message_id: undefined, sent_at: rfc3339(clock.now()) }
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      return { is: 'failed', reason: inOneLine(error) }
    }
  }
}
