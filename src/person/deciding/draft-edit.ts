/** A person changes a draft that waits: only what differs is written, and only over what they have seen. */
import { addressesOf, type Fields, textOf } from '../../email/drafts/draft-fields.ts'
import { kindOf, notADraft } from '../../email/drafts/draft-note.ts'
import { AgentMailError } from '../../errors.ts'
import { refuseEnded, refuseRejected, topOf } from '../../orchestrator/approval/checks.ts'
import { byPerson } from '../../vault/decided.ts'
import { changedSinceRead, type Note, readNote, writeNote } from '../../vault/notes.ts'
import type { DraftView } from '../mail-shapes.ts'
import { draftViewOf } from './drafts-view.ts'
import type { MailDesk } from './mail-desk.ts'

interface DraftEdit {
  path: string
  /** Of the note as it was seen. */
  etag: string
  to: string
  cc: string
  bcc: string
  subject: string
  body: string
}

/** Saved also where it cannot be sent so; the answer says what is wrong with it. */
export async function editDraft(desk: MailDesk, edit: DraftEdit): Promise<DraftView> {
  const { vault } = desk.records()
  const note = await readNote(vault, edit.path)
  checkWaits(note)
  if (note.etag !== edit.etag) throw changedSinceRead(note.path, note.etag)
  if (edit.to.trim() === '') {
    throw new AgentMailError(
      'invalid_request',
      'to names nobody: a note without it is no draft',
      'Name somebody, or reject the draft.',
    )
  }
  const { path, etag } = note
  const frontmatter = changedFields(note.frontmatter, edit)
  const body = withLineEndsOf(note.body, edit.body)
  return draftViewOf(
    desk,
    await writeNote(vault, { path, frontmatter, body, if_match: etag }, byPerson),
  )
}

function checkWaits(note: Note): void {
  const kind = kindOf(note)
  if (!kind) throw notADraft(note)
  if (kind === 'delegation') {
    throw new AgentMailError(
      'invalid_request',
      `${note.path} is a mail that came in: its text is that of its sender`,
      'Say who is given it, or reject that it is given to anybody.',
    )
  }
  refuseRejected(note)
  refuseEnded(note)
  if (topOf(note.path) === 'Drafts') return
  throw new AgentMailError(
    'invalid_request',
    `${note.path} is not in Drafts/`,
    'What is approved is not changed: reject it, or move it back to Drafts/ first.',
  )
}

/** How each is shown, and so what is given back where nothing was changed. */
const shown = {
  to: addressesOf,
  cc: addressesOf,
  bcc: addressesOf,
  subject: textOf,
}

function changedFields(fields: Fields, edit: DraftEdit): Record<string, unknown> {
  const changed = { ...fields }
  for (const name of ['to', 'cc', 'bcc', 'subject'] as const) {
    if (edit[name] === asShown(fields, name)) continue
    if (edit[name] === '') delete changed[name]
    else changed[name] = edit[name]
  }
  return changed
}

/** What cannot be shown is none of what a person gives back. */
function asShown(fields: Fields, name: keyof typeof shown): string | undefined {
  try {
    return shown[name](fields, name) ?? ''
  } catch (error) {
    if (AgentMailError.is(error)) return undefined
    throw error
  }
}

/** Where a browser lets people write, every line ends in a line feed. */
function withLineEndsOf(old: string, given: string): string {
  const isPlain = !given.includes('\r')
  if (isPlain && given === old.replace(/\r\n?/g, '\n')) return old
  const isOfWindows = /\r\n/.test(old) && !/(?<!\r)\n/.test(old)
  return isPlain && isOfWindows ? given.replaceAll('\n', '\r\n') : given
}
