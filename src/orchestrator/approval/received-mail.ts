/** The mails that came in, as a person looks at them, and the notes that belong to each. */

import { shortened } from '../../email/visible-text/clean-text.ts'
import { listNotes } from '../../vault/list.ts'
import { type Note, readNote, unlessMissing } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { fields, mailText } from '../inbox/mail-note.ts'

/** All paths, in order; none where there is no such folder. */
export async function notesIn(vault: Vault, directory: string, filter?: string): Promise<string[]> {
  const paths: string[] = []
  let cursor: string | undefined
  do {
    const page = await unlessMissing(() => listNotes(vault, { directory, filter, cursor }))
    for (const { path } of page?.notes ?? []) paths.push(path)
    cursor = page?.next_cursor
  } while (cursor !== undefined)
  return paths
}

/** Those of a mail that waits. */
export const notesOfMail = (vault: Vault, message_id: string): Promise<string[]> =>
  notesIn(vault, 'Needs_Action', `message_id:${message_id}`)

/** The note of a mail, which may be done; nothing where there is none. */
export async function mailOf(vault: Vault, message_id: string): Promise<Note | undefined> {
  for (const folder of ['Needs_Action', 'Done']) {
    for (const path of await notesIn(vault, folder, `message_id:${message_id}`)) {
      const note = await noteAt(vault, path)
      // The filter takes 1e5 for 100000, too.
      if (note && fields(note).message_id === message_id) return note
    }
  }
  return undefined
}

/** Nothing where there is none. */
export const noteAt = (vault: Vault, path: string): Promise<Note | undefined> =>
  unlessMissing(() => readNote(vault, path))

export interface WaitingMail {
  path: string
  status: string
  from: string
  subject: string
  reason: string | null
  date: string
  /** The agent whose mail it answers, as it was found when it came. */
  asked_by: string | null
}

export interface ShownMail extends WaitingMail {
  kind: 'received'
  to: string
  /** Text from outside. */
  text: string
}

/** Enough to know what a draft answers. */
const mostQuoted = 2000

/** The mail that a draft answers. */
export type Answered = Pick<ShownMail, 'path' | 'from' | 'subject' | 'date' | 'text'>

/** As a mail is that no draft answers yet, and that is not done. */
const waiting = ['pending', 'needs_info']

export function mailHead(note: Note): WaitingMail {
  const { path, frontmatter } = note
  const { from, subject, date } = fields(note)
  const { status, reason, answers } = frontmatter
  return {
    path,
    status: typeof status === 'string' ? status : '',
    from,
    subject,
    reason: typeof reason === 'string' ? reason : null,
    date,
    asked_by: typeof answers === 'string' && answers !== '' ? answers : null,
  }
}

export const shownMail = (note: Note): ShownMail => ({
  kind: 'received',
  ...mailHead(note),
  to: fields(note).to,
  text: mailText(note.body).trimEnd(),
})

/** Nothing where that has no note. */
export async function answeredMail(vault: Vault, message_id: string): Promise<Answered | null> {
  const note = await mailOf(vault, message_id)
  if (!note) return null
  const { path, from, subject, date } = shownMail(note)
  const text = mailText(note.body, mostQuoted).trimEnd()
  const quoted = text.length > mostQuoted ? `${shortened(text, mostQuoted - 1)}…` : text
  return { path, from, subject, date, text: quoted }
}

/** The paths of those that wait for a person. */
export async function waitingMails(vault: Vault): Promise<string[]> {
  const found: string[] = []
  for (const status of waiting) {
    for (const path of await notesIn(vault, 'Needs_Action', `status:${status}`)) found.push(path)
  }
  return found.sort()
}

/** Looked at anew: a note may change between two looks. */
export const isWaitingMail = (note: Note): boolean =>
  fields(note).message_id !== '' && waiting.includes(mailHead(note).status)
