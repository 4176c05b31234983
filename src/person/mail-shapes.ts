/** What the server and the page tell each other of drafts and mails. Types alone, and no imports. */

/** GET /api/page/drafts */
export interface DraftsPage {
  drafts: DraftRow[]
  /** Mails that wait for a person, without a draft. */
  mails: {
    path: string
    status: string
    from: string
    subject: string
    reason: string | null
    date: string
    /** The agent whose mail it answers. */
    asked_by: string | null
  }[]
  faults: { path: string; message: string }[]
  /** Who can be given a mail. */
  agents: string[]
}

export interface DraftRow {
  path: string
  /** Nothing where it cannot be sent. */
  version: string | null
  kind: 'mail' | 'delegation'
  status: string | null
  priority: string | null
  to: string | null
  subject: string
  agent: string | null
  proposed_by: string | null
  approved_by: string | null
  standing: string | null
  sent_at: string | null
  problem: string | null
  /** When the note was last changed. */
  at: string | null
}

/** GET /api/page/draft?path: exactly what would go out. */
export interface DraftView extends DraftRow {
  /** Of all that would be sent: an approval names it. */
  sha256: string | null
  /** Of the note, for an edit. */
  etag: string
  provider: string | null
  from: string | null
  cc: string | null
  bcc: string | null
  reply_to: string | null
  /** The id of the mail that it answers. */
  reply_to_message_id: string | null
  reason: string | null
  approved_at: string | null
  body: string
  html: string | null
  postmark: object | null
  attachments: AttachmentView[]
  /** Text from outside. */
  answers: { path: string; from: string; subject: string; date: string; text: string } | null
  /** What is not as it was proposed; nothing where nobody but a person wrote it. */
  changed: string[] | null
  /** What was proposed, where it was kept and something differs. */
  proposed: { to: string; cc: string; bcc: string; subject: string; body: string } | null
}

export interface AttachmentView {
  name: string
  size: number | null
  sha256: string | null
  content_type: string | null
  fault: string | null
}

/** GET /api/page/received?path: a mail that came in and waits. */
export interface ReceivedView {
  path: string
  /** Of its text as an agent would be given it, by which POST /api/page/delegate knows it; nothing where it cannot be given to any. */
  sha256: string | null
  status: string
  from: string
  to: string
  subject: string
  reason: string | null
  date: string
  /** The agent whose mail it answers. */
  asked_by: string | null
  /** Text from outside. */
  text: string
}

/** What POST /api/page/approve { path, sha256, agent? } and /delegate { path, sha256, agent } answer. */
export interface ApprovedView {
  /** Where the note is now. */
  path: string
  version: string
  sha256: string
  approved_by: string
  approved_at: string
  /** Whether it was so before. */
  already: boolean
  /** That nobody seems to be there who sends it. */
  note?: string
}

/** What POST /api/page/reject { path, sha256, reason } answers. */
export interface RejectedView {
  /** Where the note is now. */
  path: string
  status: string
  reason: string
  /** The note of the mail that waits again. */
  mail: string | null
}

/** One of GET /api/page/mail?limit → { mails, faults }, newest first. */
export interface MailView {
  key: string
  direction: 'in' | 'out'
  at: string | null
  /** Of a mail that came in the status of its note; else what became of it. */
  state: string
  from: string
  to: string
  subject: string
  /** Its note, where it has one. */
  note: string | null
  approved_by: string | null
  approved_at: string | null
  approved_sha256: string | null
  provider: string | null
  /** By which POST /api/page/settle { id, outcome } knows it. */
  send_id: string | null
  message_id: string | null
  sent_at: string | null
  reason: string | null
  /** Of one that waits, the agent whose mail it answers. */
  asked_by?: string
  /** The line that was written before it was sent. */
  audit: { timestamp: string; to: string; subject: string; body_preview: string } | null
}
