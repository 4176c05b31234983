/** The mails that go or went out: each once, though the ledger, the drafts, the approvals and the audit all know of it. */
import { kindOf } from '../../email/drafts/draft-note.ts'
import type { AuditLine } from '../../email/outgoing/audit.ts'
import type { SendRecord } from '../../email/outgoing/send-record.ts'
import type { DraftHead } from '../../orchestrator/approval/draft-head.ts'
import { fields } from '../../orchestrator/inbox/mail-note.ts'
import { agentScope, type DraftSend } from '../../orchestrator/sends.ts'
import { rfc3339 } from '../../system/clock.ts'
import { sha256 } from '../../system/text.ts'
import { nameOf } from '../../vault/note-path.ts'
import type { Note } from '../../vault/notes.ts'
import type { MailView } from '../mail-shapes.ts'
import type { Verdicts } from './verdicts.ts'

/** A note, and when it was last changed in Unix milliseconds. */
export interface DatedNote extends Note {
  changedMs: number
}

interface Sources {
  /** Of the ledger. */
  rows: SendRecord[]
  audit: AuditLine[]
  /** Which note each of them came from, where it came from one. */
  sends: readonly DraftSend[]
  /** What waits, or is approved. */
  drafts: (DraftHead & { at: string | null })[]
  /** What is done. */
  notes: DatedNote[]
  verdicts: Verdicts
}

export const isRejectedDraft = (note: Note): boolean =>
  kindOf(note) === 'mail' && note.frontmatter.status === 'rejected'

/** In no order. */
export function outgoingMails({
  rows,
  audit,
  sends,
  drafts,
  notes,
  verdicts,
}: Sources): MailView[] {
  const unseen = new Map(rows.map((row) => [`${row.scope} ${row.key_hash}`, row]))
  const waiting = new Map(
    drafts.filter(({ kind }) => kind === 'mail').map((draft) => [draft.path, draft]),
  )
  const done = new Map(notes.map((note) => [note.path, note]))
  const rejected = notes.filter(isRejectedDraft)
  const names = new Set([...waiting.keys(), ...rejected.map(({ path }) => path)].map(nameOf))
  const lines = linesAt(audit)
  const mails: MailView[] = []
  for (const send of sends.filter(({ scope }) => scope !== agentScope())) {
    const key = `${send.scope} ${sha256(send.key)}`
    const row = unseen.get(key)
    unseen.delete(key)
    names.add(send.name)
    const draft = send.is_filed ? undefined : waiting.get(`Approved/${send.name}`)
    if (draft) waiting.delete(draft.path)
    const note = done.get(send.filed_to ?? '')
    mails.push({
      ...sentDraft(send, row, draft ?? (note && fields(note))),
      ...verdicts.approvalBy(send.approval_id),
      audit: lineOf(lines, row),
    })
  }
  for (const row of unseen.values()) {
    // Its draft tells more of it.
    if (row.state === 'drafted' && names.has(nameOf(row.draft ?? ''))) continue
    mails.push({ ...sentDirectly(row), audit: lineOf(lines, row) })
  }
  for (const draft of waiting.values()) mails.push(ofDraft(draft))
  for (const note of rejected) mails.push(ofRejected(note, verdicts))
  return mails
}

const nothing = {
  direction: 'out',
  from: '',
  note: null,
  approved_by: null,
  approved_at: null,
  approved_sha256: null,
  provider: null,
  send_id: null,
  message_id: null,
  sent_at: null,
  reason: null,
  audit: null,
} as const satisfies Partial<MailView>

/** @param text what its note says, where that could be read. */
function sentDraft(
  send: DraftSend,
  row: SendRecord | undefined,
  text: { to: string | null; subject: string } | undefined,
): MailView {
  const state = row?.state ?? send.state
  return {
    ...nothing,
    key: row ? `send ${row.id}` : `draft ${send.key}`,
    at: send.sent_at ?? send.begun_at,
    // Nothing has left yet.
    state: state === 'prepared' || state === 'drafted' ? 'approved' : state,
    to: (row?.to.join(', ') || send.to || text?.to) ?? '',
    subject: row?.subject ?? text?.subject ?? '',
    note: send.filed_to ?? `Approved/${send.name}`,
    provider: row?.provider ?? null,
    send_id: row?.id ?? null,
    message_id: send.message_id || null,
    sent_at: send.sent_at ?? null,
    reason: send.reason ?? row?.reason ?? null,
  }
}

/** As a tool or a command has sent it, without a draft that a person approved. */
const sentDirectly = (row: SendRecord): MailView => ({
  ...nothing,
  key: `send ${row.id}`,
  at: row.sent_at ?? row.begun_at,
  state: row.state === 'prepared' ? 'sending' : row.state,
  to: row.to.join(', '),
  subject: row.subject,
  note: row.draft,
  provider: row.provider,
  send_id: row.id,
  message_id: row.message_id || null,
  sent_at: row.sent_at,
  reason: row.reason,
})

function ofDraft(draft: Sources['drafts'][number]): MailView {
  const { path, standing, problem, reason, to, subject } = draft
  const { approved_by, approved_at, approved_sha256 } = draft
  const isApproved = standing === 'approved' || standing === 'by hand'
  return {
    ...nothing,
    ...{ key: `note ${path}`, note: path, at: draft.at, to: to ?? '', subject },
    state: isApproved ? 'approved' : 'waits',
    reason: problem ?? reason,
    ...(isApproved && { approved_by, approved_at, approved_sha256 }),
  }
}

function ofRejected(note: DatedNote, verdicts: Verdicts): MailView {
  const { to, subject } = fields(note)
  const { reason } = note.frontmatter
  const verdict = verdicts.lastOf(note.path)
  return {
    ...nothing,
    ...{ key: `note ${note.path}`, note: note.path, state: 'rejected', to, subject },
    at: verdict?.event === 'rejected' ? verdict.timestamp : rfc3339(note.changedMs),
    reason: typeof reason === 'string' ? reason : null,
  }
}

function linesAt(audit: AuditLine[]): Map<string, AuditLine[]> {
  const lines = new Map<string, AuditLine[]>()
  for (const line of audit) {
    const there = lines.get(line.timestamp)
    if (there) there.push(line)
    else lines.set(line.timestamp, [line])
  }
  return lines
}

/** Several may be audited in the same millisecond, and a reply with the subject of its thread. */
function lineOf(lines: Map<string, AuditLine[]>, row: SendRecord | undefined): MailView['audit'] {
  const there = lines.get(row?.audited_at ?? '') ?? []
  const line = there.find(({ subject }) => subject === row?.subject) ?? there[0]
  if (!line) return null
  const { timestamp, to, subject, body_preview } = line
  // Anybody who writes files may have added a line.
  const preview = typeof body_preview === 'string' ? body_preview : ''
  return { timestamp, to, subject, body_preview: preview }
}
