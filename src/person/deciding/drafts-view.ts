/** The drafts and the mails that wait for a person, in short; and one of them, with everything that would leave. */
import { draftOf } from '../../email/drafts/draft-note.ts'
import { proposalsOf } from '../../email/drafts/proposals.ts'
import { AgentMailError } from '../../errors.ts'
import { refuseRecipients } from '../../orchestrator/approval/checks.ts'
import type { DraftHead } from '../../orchestrator/approval/draft-head.ts'
import { listDrafts, type ShownDraft, shownDraft } from '../../orchestrator/approval/drafts.ts'
import { shownReceived } from '../../orchestrator/approval/giving.ts'
import type { Records } from '../../orchestrator/approval/records.ts'
import { fields } from '../../orchestrator/inbox/mail-note.ts'
import { rfc3339 } from '../../system/clock.ts'
import { statNote } from '../../vault/note-stat.ts'
import { type Note, readNote } from '../../vault/notes.ts'
import type { DraftRow, DraftsPage, DraftView, ReceivedView } from '../mail-shapes.ts'
import type { MailDesk } from './mail-desk.ts'

/** More than anybody decides about from one list. */
const mostListed = 1000

export async function draftsPage(desk: MailDesk): Promise<DraftsPage> {
  const agents = await desk.agents()
  const none = { drafts: [], mails: [], faults: [], agents }
  if (!desk.hasVault) return none
  try {
    const records = desk.records()
    const { drafts, mails, faults } = await listDrafts(records)
    return {
      drafts: await Promise.all(
        drafts.slice(0, mostListed).map(async (head) => rowOf(head, await timeAt(records, head))),
      ),
      mails: mails.slice(0, mostListed),
      faults: [...faults.slice(0, mostListed), ...left('Drafts', drafts), ...left('mails', mails)],
      agents,
    }
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    return { ...none, faults: [{ path: '', message: error.text }] }
  }
}

const left = (path: string, all: unknown[]): DraftsPage['faults'] =>
  all.length <= mostListed
    ? []
    : [{ path, message: `${all.length - mostListed} more are not listed here` }]

/** Everything that would leave, exactly, and the hash of just that. */
export async function draftView(desk: MailDesk, path: string): Promise<DraftView> {
  return draftViewOf(desk, await readNote(desk.records().vault, path))
}

export async function draftViewOf(desk: MailDesk, note: Note): Promise<DraftView> {
  const records = desk.records()
  const { vault } = records
  const shown = await shownDraft(records, note)
  const { provider, from, cc, bcc, reply_to, reply_to_message_id, reason, approved_at } = shown
  const { sha256, body, html, postmark, attachments, answers, changed } = shown
  const isChanged = changed !== null && changed.length > 0
  return {
    ...rowOf(shown, await timeAt(records, shown)),
    // What the draft leaves to the settings of whoever sends it.
    from: from ?? ownAddress(desk, shown),
    ...{ sha256, provider, cc, bcc, reply_to, reply_to_message_id, reason, approved_at },
    ...{ body, html, postmark, attachments, answers, changed },
    problem: shown.problem ?? (await wrongRecipients(desk, note, shown)),
    etag: note.etag,
    proposed: (isChanged && (await proposalsOf(vault).text(note.path))) || null,
  }
}

const ownAddress = ({ config }: MailDesk, { kind, provider }: ShownDraft): string | null =>
  (kind === 'mail' && config.text(provider === 'postmark' ? 'defaultFrom' : 'mailFrom')) || null

/** A mail that came in, as a person reads it before they give it to somebody. */
export async function receivedView(desk: MailDesk, path: string): Promise<ReceivedView> {
  const { vault } = desk.records()
  const note = await readNote(vault, path)
  if (fields(note).message_id === '') throw noMailAt(note.path)
  const { kind: _, version: __, ...shown } = await shownReceived(vault, note)
  return shown
}

const noMailAt = (path: string) =>
  new AgentMailError(
    'invalid_request',
    `${path} is no mail that came in`,
    'A draft is shown as one.',
  )

/** Found when it is approved, and better known before. */
async function wrongRecipients(
  desk: MailDesk,
  note: Note,
  { sha256, standing }: ShownDraft,
): Promise<string | null> {
  if (sha256 === null || standing !== null) return null
  try {
    await refuseRecipients(desk.config, desk.records().vault, draftOf(note))
    return null
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    return `it cannot be sent: ${error.message}`
  }
}

const rowOf = (head: DraftHead, at: string | null): DraftRow => {
  const { path, version, kind, status, priority, to, subject } = head
  const { agent, proposed_by, approved_by, standing, sent_at, problem } = head
  return {
    ...{ path, version, kind, status, priority, to, subject },
    ...{ agent, proposed_by, approved_by, standing, sent_at, problem, at },
  }
}

/** When its note was last changed. */
export async function timeAt(
  { vault }: Records,
  { path }: { path: string },
): Promise<string | null> {
  const stat = await statNote(vault, path)
  return stat === undefined ? null : rfc3339(Number(stat.mtimeMs))
}
