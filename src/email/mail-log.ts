/** What was sent, from the ledger and the audit together. */
import type { AuditLine } from './audit.ts'
import { entryOf, type SendEntry, type SendRecord } from './send-record.ts'

export interface LoggedMail extends Omit<SendEntry, 'id' | 'state' | 'to' | 'provider'> {
  /** Nothing for a mail that only the audit knows: it was sent with another ledger. */
  id: string | null
  at: string
  state: SendEntry['state'] | 'audited'
  provider: string | null
  to: string
  /** Whether the audit has its line. */
  is_audited: boolean
}

/** Newest first. */
export function mailLog(records: SendRecord[], audit: AuditLine[], limit: number): LoggedMail[] {
  const lines = new Map(audit.map((line) => [`${line.timestamp} ${line.subject}`, line]))
  const known = records.map((record): LoggedMail => {
    const { to, ...entry } = entryOf(record)
    // A reply is audited with the subject of its thread.
    const key = [...lines.keys()].find((one) => one.startsWith(`${entry.audited_at} `))
    if (key !== undefined) lines.delete(key)
    return { ...entry, to: to.join(', '), at: entry.begun_at, is_audited: key !== undefined }
  })
  const oldest = records.length < limit ? '' : (known.at(-1)?.at ?? '')
  const foreign = [...lines.values()]
    .filter(({ timestamp }) => timestamp >= oldest)
    .map(auditedOnly)
  return [...known, ...foreign].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, limit)
}

const auditedOnly = ({ timestamp, to, subject }: AuditLine): LoggedMail => ({
  id: null,
  at: timestamp,
  state: 'audited',
  provider: null,
  to,
  subject,
  is_audited: true,
  begun_at: timestamp,
  audited_at: timestamp,
  message_id: null,
  thread_id: null,
  sent_at: null,
  draft: null,
  reason: null,
})
