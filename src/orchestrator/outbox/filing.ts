/** What is done when a draft has left: its note and that of its mail go to Done/, also after a kill between two steps. */
import { AgentMailError } from '../../errors.ts'
import { nameOf, numbered } from '../../vault/note-path.ts'
import type { Note } from '../../vault/notes.ts'
import { inShort, type Teller } from '../events.ts'
import { fields } from '../inbox/mail-note.ts'
import type { DraftSend, DraftSends } from '../sends.ts'
import type { VaultNotes } from '../servers/vault-notes.ts'
import type { ApprovedDraft } from './approved-draft.ts'

interface FilingOptions {
  notes: VaultNotes
  sends: DraftSends
  teller: Teller
}

const mostNames = 100

export class Filing {
  readonly #options: FilingOptions

  constructor(options: FilingOptions) {
    this.#options = options
  }

  /** The note is in Approved/, and what it asked for has left: just now, or before. */
  async sent(draft: ApprovedDraft, entry: DraftSend, isNew: boolean): Promise<void> {
    let where = draft.note.path
    try {
      where = (await this.#file(where, entry)) ?? where
    } finally {
      this.#tell(draft, entry, where, isNew)
    }
  }

  #tell({ asked }: ApprovedDraft, entry: DraftSend, note: string, isNew: boolean): void {
    const { teller } = this.#options
    const { message_id, sent_at } = entry
    const facts = { note, message_id }
    if (!isNew) {
      teller.tellOnce(note, 'filed', `${note} was sent at ${sent_at} and is not sent again`, facts)
    } else if (asked.kind === 'delegation') {
      teller.tell('delegated', `to @${asked.agent ?? ''} → ${note}`, facts)
    } else {
      const { to, subject } = asked.request
      teller.tell('sent', `to ${to}: ${inShort(subject, '(no subject)')} → ${note}`, facts)
    }
  }

  /** Goes on where a run had moved the note already, or a person has. */
  async finish(entry: DraftSend): Promise<void> {
    if (!entry.is_filed) await this.#file(undefined, entry)
  }

  /** Gives where the note is now. */
  async #file(path: string | undefined, entry: DraftSend): Promise<string | undefined> {
    const { notes, sends } = this.#options
    if (path !== undefined) {
      const choose = async (destination: string) => {
        entry.filed_to = destination
        await sends.save(entry)
      }
      const isMoved = await fileAway(this.#options, path, choose)
      if (!isMoved) await this.#withdrawn(entry)
    }
    // A person may have taken it out of Approved/ before a run that was killed could tell that it was sent.
    else if (entry.filed_to === undefined) await this.#withdrawn(entry)
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
    await notes.close(entry.name)
    entry.is_filed = true
    await sends.settle(entry, 'sent')
    return filed_to
  }

  /** A person took the note away while it was being sent: they must not approve it again. */
  async #withdrawn(entry: DraftSend): Promise<void> {
    const { notes } = this.#options
    entry.filed_to = undefined
    const sent = { status: 'sent', sent_at: entry.sent_at }
    await notes.change(`Drafts/${entry.name}`, () => ({ frontmatter: sent }))
  }

  /** A mail that nobody can be given waits for a person again, as before it was approved. Gives where. */
  async back(path: string, entry: DraftSend, reason: string): Promise<string> {
    const { notes, sends } = this.#options
    const frontmatter = {
      status: 'pending_approval',
      reason,
      approved_by: undefined,
      approved_at: undefined,
      approved_sha256: undefined,
    }
    await notes.change(path, () => ({ frontmatter }))
    // Killed here, the next run finds the note where it was.
    await sends.forget(entry)
    return (await fileAway(this.#options, path, undefined, 'Needs_Action')) ?? path
  }

  /** The mail that was answered. */
  async #fileMail(id: string): Promise<void> {
    const { notes } = this.#options
    const found: string[] = []
    for await (const path of notes.list('Needs_Action', `message_id:${id}`)) found.push(path)
    for (const path of found) {
      // Another server may not know what a filter is.
      const isIt = (note: Note) => fields(note).message_id === id
      const done = await notes.change(path, (note) =>
        isIt(note) ? { frontmatter: { status: 'done' } } : undefined,
      )
      if (done) await fileAway(this.#options, path)
    }
  }
}

/** Moves a note to Done/, under a name that is free. Gives where it is now; nothing where it was not there any more. */
export async function fileAway(
  { notes }: { notes: VaultNotes },
  path: string,
  choose: (destination: string) => Promise<void> = async () => {},
  folder = 'Done',
): Promise<string | undefined> {
  const name = nameOf(path)
  for (let count = 1; count <= mostNames; count++) {
    const destination = `${folder}/${numbered(name, count)}`
    await choose(destination)
    try {
      await notes.move(path, destination)
      return destination
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      if (error.code === 'not_found') return undefined
      if (error.code !== 'conflict') throw error
    }
  }
  throw new AgentMailError('conflict', `${folder}/ has too many notes named ${name}`)
}
