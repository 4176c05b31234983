/** The approved drafts of a vault, in the ledger of mails: which note each came from, and what became of its mail. */
import type { SendLedger } from '../email/outgoing/send-ledger.ts'
import type { SendRecord, SendState } from '../email/outgoing/send-record.ts'
import type { Identity } from '../store/identity.ts'
import { integer, type Reader, type Row, type SqlValue, text } from '../store/store.ts'
import { rfc3339 } from '../system/clock.ts'
import { notFarAway } from '../system/retry.ts'
import { sha256 } from '../system/text.ts'

/** What is known of the note that a mail is sent from. */
export interface DraftNote {
  key: string
  /** Of the way out that it was given to: within it, the key means one mail. */
  scope: string
  /** Of the note, without its folder. */
  name: string
  /** Of what was approved. */
  sha256: string
  /** Of the approval by command that it was begun with. */
  approval_id: string | undefined
  reply_to_message_id: string | undefined
  begun_at: string
  attempts: number
  /** Not before then, in Unix milliseconds. */
  next_ms: number
  /** Whether what was called a failure left a doubt. */
  is_vague: boolean
  /** When it was known how it stands: sent, or that nobody knows. */
  ended_at: string | undefined
  /** Why it waits. */
  reason: string | undefined
  /** Where its note is filed; chosen before it is moved. */
  filed_to: string | undefined
  is_filed: boolean
}

/** What the ledger says of its mail: `approved` where nothing was given to anybody yet. */
interface Fate {
  state: 'approved' | Exclude<SendState, 'drafted'>
  to: string
  message_id: string | undefined
  sent_at: string | undefined
}

export type DraftSend = DraftNote & Fate

/** Of mails that were sent and filed; one that comes back to Approved/ is known by them. */
const keptFiled = 5000
const mostOpen = 100_000

/** Of what is handed to agents, which is no mail. */
export const agentScope = (): string => sha256('agent')

type TellOfUnknown = (record: SendRecord) => Promise<void>

export class DraftSends {
  readonly ledger: SendLedger
  readonly #vault: string
  readonly #tell: TellOfUnknown
  #entries = new Map<string, DraftSend>()

  private constructor(ledger: SendLedger, vaultId: string, tell: TellOfUnknown) {
    this.ledger = ledger
    this.#vault = sha256(vaultId)
    this.#tell = tell
  }

  /** @param tell is given every mail of which nobody knows whether it has left, each time that this is found. */
  static async open(
    ledger: SendLedger,
    vaultId: string,
    tell: TellOfUnknown = async () => {},
  ): Promise<DraftSends> {
    const sends = new DraftSends(ledger, vaultId, tell)
    for (const entry of await readSends(ledger.reader, vaultId)) {
      sends.#entries.set(entry.key, { ...entry, next_ms: notFarAway(entry.next_ms) })
    }
    return sends
  }

  /** What others have settled meanwhile. What this run knows to have left has left, whatever could be written down of it. */
  async refresh(): Promise<void> {
    for (const entry of await readOpen(this.ledger.reader, this.#vault)) {
      const known = this.#entries.get(entry.key)
      const isNews = ['sent', 'failed', 'unknown'].includes(entry.state)
      if (!known || known.state === 'sent' || !isNews) continue
      const { state, to, message_id, sent_at } = entry
      if (known.state === 'unknown' && state === 'failed') known.next_ms = 0
      Object.assign(known, { state, to, message_id, sent_at })
    }
  }

  list(): DraftSend[] {
    return [...this.#entries.values()]
  }

  get(key: string): DraftSend | undefined {
    return this.#entries.get(key)
  }

  /** Whether a sent mail is that of a draft of ours. */
  hasSent(message_id: string): boolean {
    return this.list().some((send) => send.message_id === message_id)
  }

  /** Written before anything can leave. Where that fails, nothing was begun. */
  async begin(note: DraftNote): Promise<DraftSend> {
    await this.#put(note)
    const entry = { ...note, ...(await this.#fate(note)) }
    this.#entries.set(note.key, entry)
    return entry
  }

  /** How it stands with its mail, whoever found that out: what the ledger knows better stays. */
  async settle(entry: DraftSend, state: 'sent' | 'unknown'): Promise<void> {
    const record = await this.ledger.byKey(entry.scope, entry.key)
    const isKnown = record === undefined || record.state === 'sent' || record.state === state
    if (!isKnown && state === 'sent') {
      const { message_id = '', sent_at = record.begun_at } = entry
      const receipt = { message_id, thread_id: undefined, sent_at }
      await this.ledger.settle(record, 'sent', { receipt })
    } else if (!isKnown && entry.reason !== undefined) {
      await this.ledger.settle(record, 'unknown', { reason: entry.reason })
    }
    if (record && record.state !== 'sent' && state === 'unknown') await this.#tell(record)
    await this.#put(entry)
  }

  /** On disk when it returns. */
  save(entry: DraftSend): Promise<void> {
    return this.#put(entry)
  }

  /** A person has dealt with its note; the ledger keeps what became of the mail. */
  async forget({ key }: Pick<DraftNote, 'key'>): Promise<void> {
    this.#entries.delete(key)
    await this.ledger.queue.write(async (write) => {
      await write.run('DELETE FROM draft_notes WHERE vault = ? AND draft_key = ?', this.#vault, key)
    })
  }

  /** For a start by hand: what was wrong may have been mended. */
  tryAgain(): void {
    for (const entry of this.#entries.values()) entry.next_ms = 0
  }

  async #fate(note: DraftNote): Promise<Fate> {
    const [row] = await this.ledger.reader.all(
      'SELECT state, provider, recipients, message_id, sent_at FROM sends WHERE scope = ? AND key_hash = ?',
      note.scope,
      sha256(note.key),
    )
    return fateOf(note, row)
  }

  async #put(note: DraftNote): Promise<void> {
    const values: Record<string, SqlValue> = {
      scope: note.scope,
      key_hash: sha256(note.key),
      name: note.name,
      sha256: note.sha256,
      approval_id: note.approval_id ?? null,
      reply_to_message_id: note.reply_to_message_id ?? null,
      begun_ms: Date.parse(note.begun_at),
      attempts: note.attempts,
      next_ms: note.next_ms,
      is_vague: Number(note.is_vague),
      ended_at: note.ended_at ?? null,
      reason: note.reason ?? null,
      filed_to: note.filed_to ?? null,
      is_filed: Number(note.is_filed),
    }
    const key = { vault: this.#vault, draft_key: note.key }
    await this.ledger.queue.write(async (write) => {
      const [there] = await write.all(
        'SELECT 1 FROM draft_notes WHERE vault = ? AND draft_key = ?',
        ...Object.values(key),
      )
      if (!there) write.append('draft_notes', { ...key, ...values })
      else {
        const set = Object.keys(values).map((column) => `${column} = ?`)
        await write.run(
          `UPDATE draft_notes SET ${set.join(', ')} WHERE vault = ? AND draft_key = ?`,
          ...Object.values(values),
          ...Object.values(key),
        )
      }
    })
  }
}

/** The ids of the approvals whose mails have left. */
export const sentApprovals = (sends: readonly DraftSend[]): ReadonlySet<string> =>
  new Set(sends.flatMap(({ state, approval_id }) => (state === 'sent' ? [approval_id ?? ''] : [])))

/** Whether it is the one of this id, or a copy of it. */
export const isLedger = (identity: Identity | undefined, id: string): boolean =>
  identity !== undefined && (identity.database_id === id || identity.copied_from === id)

/** The note's own columns, and what the ledger has of its mail; names that both have are the note's. */
const columns = `n.draft_key, n.scope, n.name, n.sha256, n.approval_id, n.reply_to_message_id,
  n.begun_ms, n.attempts, n.next_ms, n.is_vague, n.ended_at, n.reason, n.filed_to, n.is_filed,
  s.state, s.provider, s.recipients, s.message_id, s.sent_at`

/** All of a vault, oldest first; of those that are filed the newest. */
export async function readSends(reader: Reader, vaultId: string): Promise<DraftSend[]> {
  const vault = sha256(vaultId)
  return [...(await read(reader, vault, 1, keptFiled)), ...(await readOpen(reader, vault))]
}

const readOpen = (reader: Reader, vault: string): Promise<DraftSend[]> =>
  read(reader, vault, 0, mostOpen)

/** Oldest first. */
async function read(
  reader: Reader,
  vault: string,
  is_filed: 0 | 1,
  limit: number,
): Promise<DraftSend[]> {
  const rows = await reader.all(
    `SELECT ${columns} FROM draft_notes n LEFT JOIN sends s ON s.scope = n.scope AND s.key_hash = n.key_hash WHERE n.vault = ? AND n.is_filed = ? ORDER BY n.begun_ms DESC, n.draft_key LIMIT ?`,
    vault,
    is_filed,
    limit,
  )
  return rows.reverse().map(draftSendOf)
}

function draftSendOf(row: Row): DraftSend {
  const note: DraftNote = {
    key: text(row.draft_key),
    scope: text(row.scope),
    name: text(row.name),
    sha256: text(row.sha256),
    approval_id: textIfAny(row.approval_id),
    reply_to_message_id: textIfAny(row.reply_to_message_id),
    begun_at: rfc3339(integer(row.begun_ms)),
    attempts: integer(row.attempts),
    next_ms: integer(row.next_ms),
    is_vague: integer(row.is_vague) === 1,
    ended_at: textIfAny(row.ended_at),
    reason: textIfAny(row.reason),
    filed_to: textIfAny(row.filed_to),
    is_filed: integer(row.is_filed) === 1,
  }
  const fate = fateOf(note, row)
  // A person has found that it was not sent: then it need not rest any longer.
  const isSettled = fate.state === 'failed' && note.ended_at !== undefined
  return { ...note, ...fate, ...(isSettled && { next_ms: 0 }) }
}

const states: Fate['state'][] = ['prepared', 'sending', 'sent', 'failed', 'unknown']

function fateOf({ reason }: DraftNote, row: Row | undefined): Fate {
  const state = states.find((one) => one === row?.state)
  const recipients: unknown = row?.recipients ? JSON.parse(text(row.recipients)) : []
  return {
    state: state ?? (reason === undefined ? 'approved' : 'failed'),
    to: Array.isArray(recipients) ? recipients.join(', ') : '',
    // What was handed to an agent is no mail.
    message_id: row?.provider === 'agent' ? undefined : textIfAny(row?.message_id),
    sent_at: textIfAny(row?.sent_at),
  }
}

const textIfAny = (value: SqlValue | undefined): string | undefined =>
  value === null || value === undefined ? undefined : text(value)
