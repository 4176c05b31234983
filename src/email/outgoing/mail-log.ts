/** What was sent, from the ledger and the audit together. */
import type { AuditLine } from './audit.ts'
import { type SendEntry, type SendRecord, sendEntryOf } from './send-record.ts'

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
  // Several may be audited in the same millisecond, and a reply with the subject of its thread.
  const lines = new Map<string, AuditLine[]>()
  for (const line of audit) lines.set(line.timestamp, [...(lines.get(line.timestamp) ?? []), line])
  const known = records.map((record): LoggedMail => {
    const { to, ...entry } = sendEntryOf(record)
    const there = lines.get(entry.audited_at ?? '') ?? []
    const same = there.findIndex(({ subject }) => subject === entry.subject)
    const [line] = there.splice(Math.max(0, same), 1)
    return { ...entry, to: to.join(', '), at: entry.begun_at, is_audited: line !== undefined }
  })
  for (const record of records) attribute(record, lines)
  const oldest = records.length < limit ? '' : (known.at(-1)?.at ?? '')
  const foreign = [...lines.values()]
    .flat()
    .filter(({ timestamp }) => timestamp >= oldest)
    .map(auditedOnly)
  return [...known, ...foreign]
    .sort((a, b) => Number(a.at < b.at) - Number(a.at > b.at))
    .slice(0, limit)
}

/** What was audited for the same mail before: tries that failed, or were cut short. */
function attribute(
  { to, subject, begun_at, audited_at }: SendRecord,
  lines: Map<string, AuditLine[]>,
) {
  for (const [timestamp, there] of lines) {
    if (timestamp < begun_at || timestamp > (audited_at ?? '')) continue
    const others = there.filter(
      (line) => line.subject !== subject || !line.to.includes(to[0] ?? ''),
    )
    lines.set(timestamp, others)
  }
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
  agent: null,
  project: null,
})
