/** The mails that were taken in last, to try rules on: from their notes in the vault. */
import { AgentMailError } from '../../errors.ts'
import { pauses } from '../../system/clock.ts'
import { newestNotes } from '../../vault/newest-notes.ts'
import { type Note, readNote, unlessMissing } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { fields, mailText } from '../inbox/mail-note.ts'
import type { TriageMail } from '../triage/decision.ts'
import { maxBodyCharacters } from '../triage/prompt.ts'

export interface RecentMail {
  message_id: string
  /** Null of one that was not taken in. */
  note: string | null
  mail: TriageMail
}

/** Notes that are looked into for it. */
const mostRead = 2000
/** Where the mails are that were taken in, whatever became of them. */
const folders = ['Needs_Action', 'Approved', 'Done']

/** Newest first. */
export async function mailsInVault(vault: Vault, limit: number): Promise<RecentMail[]> {
  const pause = pauses()
  const found: (RecentMail & { atMs: number })[] = []
  for (const { path, changedMs } of await newestNotes(vault, folders, mostRead)) {
    await pause()
    // What was changed earlier came earlier still.
    if ((found.sort(newestFirst)[limit - 1]?.atMs ?? 0) > changedMs) break
    const note = await unlessMissing(() => readNote(vault, path)).catch((error) => {
      if (AgentMailError.is(error)) return undefined // agentmail vault check tells of it
      throw error
    })
    if (note && fields(note).message_id !== '') {
      found.push({ ...recentMail(note, path), atMs: arrivedMs(note, changedMs) })
    }
  }
  const newest = found.sort(newestFirst).slice(0, limit)
  return newest.map(({ atMs: _, ...mail }) => mail)
}

const newestFirst = (one: { atMs: number }, other: { atMs: number }): number =>
  other.atMs - one.atMs

/** No mail came after its note was written, whatever its sender says. */
function arrivedMs(note: Note, changedMs: number): number {
  const ms = Date.parse(fields(note).date)
  return Number.isNaN(ms) ? changedMs : Math.min(ms, changedMs)
}

/** @param path null of one that was not taken in. */
export function recentMail(
  note: Pick<Note, 'frontmatter' | 'body'>,
  path: string | null,
): RecentMail {
  const { message_id, from, to, subject, date } = fields(note)
  const body = mailText(note.body, maxBodyCharacters)
  return { message_id, note: path, mail: { from, to, subject, date, body } }
}
