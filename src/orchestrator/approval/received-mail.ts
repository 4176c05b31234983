/** A mail that came in, as a person looks at its note. */
import { shortened } from '../../email/visible-text/clean-text.ts'
import type { Note } from '../../vault/notes.ts'
import type { Vault } from '../../vault/vault.ts'
import { fields, mailText } from '../inbox/mail-note.ts'
import { mailOf, notesIn } from './notes-of-mail.ts'

export interface WaitingMail {
  path: string
  status: string
  from: string
  subject: string
  reason: string | null
  date: string
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
  const { status, reason } = frontmatter
  return {
    path,
    status: typeof status === 'string' ? status : '',
    from,
    subject,
    reason: typeof reason === 'string' ? reason : null,
    date,
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
  const { path, from, subject, date, text } = shownMail(note)
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
