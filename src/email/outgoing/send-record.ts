/** What the ledger remembers of a mail. */

import type { ProviderName, Receipt } from '../../providers/provider.ts'
import { integer, type Row, text } from '../../store/store.ts'
import type { Asker } from './mail-request.ts'

/**
 * `prepared`: nothing has left yet. `sending`: given to the service, which has not answered.
 * `drafted`: waits for a person. `unknown`: perhaps it was sent, and it is not sent again by itself.
 */
export type SendState = 'prepared' | 'sending' | 'sent' | 'drafted' | 'failed' | 'unknown'

/** What is told of it to people and programs. */
export interface SendEntry {
  id: string
  state: SendState
  provider: string
  to: string[]
  subject: string
  begun_at: string
  audited_at: string | null
  message_id: string | null
  thread_id: string | null
  sent_at: string | null
  draft: string | null
  reason: string | null
  /** In whose name it was sent, and that agent's project. */
  agent: string | null
  project: string | null
}

/** The row itself. */
export interface SendRecord extends SendEntry {
  scope: string
  key_hash: string
  token: string
  holder: string
  until_ms: number
  content_hash: string
  service_key: string | null
  /** In the address that answers to it go to. */
  reply_tag: string | null
  begun_ms: number
}

/** What is to be sent, as far as the ledger cares. */
export interface Intent {
  /** Where a key means the same: an account. */
  scope: string
  /** Nothing: a mail that is sent as often as it is asked for. */
  key: string | undefined
  content_hash: string
  /** Or another program that sends it, or hands it to an agent. */
  provider: ProviderName | 'server' | 'agent'
  recipients: string[]
  subject: string
  asked_by?: Asker | undefined
  reply_tag?: string | undefined
}

const states: SendState[] = ['prepared', 'sending', 'sent', 'drafted', 'failed', 'unknown']

export function recordOf(row: Row): SendRecord {
  const begun_ms = integer(row.begun_ms)
  const recipients: unknown = JSON.parse(text(row.recipients))
  return {
    id: text(row.id),
    state: states.find((state) => state === row.state) ?? 'unknown',
    provider: text(row.provider),
    to: Array.isArray(recipients) ? recipients.map(String) : [],
    subject: text(row.subject),
    begun_at: new Date(begun_ms).toISOString(),
    audited_at: textOrNull(row, 'audited_at'),
    message_id: textOrNull(row, 'message_id'),
    thread_id: textOrNull(row, 'thread_id'),
    sent_at: textOrNull(row, 'sent_at'),
    draft: textOrNull(row, 'draft'),
    reason: textOrNull(row, 'reason'),
    agent: textOrNull(row, 'agent'),
    project: textOrNull(row, 'agent_project'),
    scope: text(row.scope),
    key_hash: text(row.key_hash),
    token: text(row.token),
    holder: text(row.holder),
    until_ms: integer(row.until_ms),
    content_hash: text(row.content_hash),
    service_key: textOrNull(row, 'service_key'),
    reply_tag: textOrNull(row, 'reply_tag'),
    begun_ms,
  }
}

/** Without what is the ledger's own. */
export function sendEntryOf(record: SendRecord): SendEntry {
  const { scope, key_hash, token, holder, until_ms, content_hash, ...rest } = record
  const { service_key, reply_tag, begun_ms, ...entry } = rest
  return entry
}

/** Of a mail that was sent. */
export const receiptOf = ({ message_id, thread_id, sent_at, begun_at }: SendRecord): Receipt => ({
  message_id: message_id ?? '',
  thread_id: thread_id ?? undefined,
  sent_at: sent_at ?? begun_at,
})

const textOrNull = (row: Row, column: string): string | null => {
  const value = row[column]
  return value === null || value === undefined ? null : text(value)
}
