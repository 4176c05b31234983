/** The ledger of mails: written before and after each step of a send, so that none goes out twice. */

import { notSent } from '../../errors.ts'
import type { Receipt } from '../../providers/provider.ts'
import type { Write } from '../../store/batch.ts'
import { withWords } from '../../store/reading.ts'
import type { Reader, SqlValue, Store } from '../../store/store.ts'
import { WriteQueue } from '../../store/write-queue.ts'
import { type Clock, systemClock } from '../../system/clock.ts'
import type { Holder } from '../../system/holder.ts'
import { randomId, uuid } from '../../system/random.ts'
import { growingPause } from '../../system/retry.ts'
import { sha256 } from '../../system/text.ts'
import { keepReplyKeys, mayBeAnswered, replyKeysOf, tagKey } from './reply-keys.ts'
import { type Intent, recordOf, type SendRecord, type SendState } from './send-record.ts'

/** Beyond the time that a service has to answer, for what stands before and after it. */
const graceMs = 15_000

interface LedgerOptions {
  store: Store
  holder: Holder
  /** How long a service may take to send. */
  timeoutMs: number
  clock?: Clock
}

/** What is known when a step is done. */
interface Change {
  /** A reply takes that of its thread. */
  subject?: string
  audited_at?: string
  receipt?: Receipt
  draft?: string
  reason?: string
}

/** Whose turn it is: `mine` to send, or how it ended before. */
export type Turn = { isMine: boolean; record: SendRecord }

export class SendLedger {
  /** What it says is in words where it cannot be read. */
  readonly reader: Reader
  readonly queue: WriteQueue
  readonly #store: Store
  readonly #holder: Holder
  readonly #timeoutMs: number
  readonly #clock: Clock

  constructor({ store, holder, timeoutMs, clock = systemClock }: LedgerOptions) {
    this.#store = store
    this.reader = withWords(store)
    this.queue = new WriteQueue(store)
    this.#holder = holder
    this.#timeoutMs = timeoutMs
    this.#clock = clock
  }

  /** Writes that a mail is to be sent. Where another process is at it, waits for how that ends. */
  async begin(intent: Intent): Promise<Turn> {
    this.#holder.hold()
    if (intent.key === undefined) return this.#first(intent, sha256(uuid()))
    const key_hash = sha256(intent.key)
    for (let attempt = 1; ; attempt++) {
      const found = await find(this.reader, intent.scope, key_hash)
      if (found && found.content_hash !== intent.content_hash) throw otherContent()
      const turn = found ? await this.#takeOverOrTell(found) : await this.#first(intent, key_hash)
      if (turn && !isUnderWay(turn)) return turn
      await growingPause(attempt, { firstMs: 20, longestMs: 250 })
    }
  }

  async #first(intent: Intent, key_hash: string): Promise<Turn> {
    const { scope, content_hash, provider, recipients, subject, asked_by, reply_tag } = intent
    const now = this.#clock.now()
    const row = {
      scope,
      key_hash,
      id: randomId(8),
      state: 'prepared',
      ...this.#mark(),
      begun_ms: now,
      changed_ms: now,
      content_hash,
      provider,
      service_key: intent.key === undefined ? null : sha256(`${scope} ${key_hash}`).slice(0, 32),
      recipients: JSON.stringify(recipients),
      subject,
      audited_at: null,
      message_id: null,
      thread_id: null,
      sent_at: null,
      draft: null,
      reason: null,
      agent: asked_by?.agent.slice(0, 255) ?? null,
      agent_project: asked_by?.project ?? null,
      reply_tag: reply_tag ?? null,
    }
    return this.queue.write(async (write) => {
      const found = await find(write, scope, key_hash)
      if (found) return { isMine: false, record: found }
      write.append('sends', row)
      // Before it can leave, in whatever way: its draft may outlive this process.
      if (reply_tag !== undefined) await keepReplyKeys(write, row, [tagKey(reply_tag)], now)
      return { isMine: true, record: recordOf(row) }
    })
  }

  /** What was given to a service before may have been sent, also where that cannot be written down now. */
  async #takeOverOrTell(found: SendRecord): Promise<Turn | undefined> {
    try {
      return await this.#takeOver(found)
    } catch (error) {
      if (found.state !== 'sending') throw error
      return { isMine: false, record: { ...found, state: 'unknown' } }
    }
  }

  /** A mail that was never given to the service may be sent; one that was, and whose sender died, is unclear. */
  async #takeOver(found: SendRecord): Promise<Turn | undefined> {
    const isOver =
      found.until_ms < this.#clock.now() || (isOpen(found) && this.#holder.isGone(found.holder))
    if (found.state === 'failed' || (found.state === 'prepared' && isOver)) {
      const record = await this.#change(found, 'prepared')
      return record && { isMine: true, record }
    }
    if (found.state === 'sending' && isOver) {
      const reason = 'its sender ended before the service had answered'
      const record = await this.#change(found, 'unknown', { reason })
      return record && { isMine: false, record }
    }
    return { isMine: false, record: found }
  }

  /** The last step before the service is called; fails where another process has taken it over. */
  async sending(
    record: SendRecord,
    change: { subject: string; audited_at?: string },
  ): Promise<SendRecord> {
    const changed = await this.#change(record, 'sending', change)
    if (changed) return changed
    throw notSent(
      'send_failed',
      'nothing was sent by this call: another process has taken it over',
      'See agentmail mail log for how it went there.',
    )
  }

  /** How it ended. Whoever has called the same sending `unknown` meanwhile knows less. */
  async settle(record: SendRecord, state: SendState, change: Change): Promise<void> {
    if (await this.#change(record, state, change)) return
    const now = await find(this.reader, record.scope, record.key_hash)
    const isSame = record.state !== 'prepared' && now?.audited_at === record.audited_at
    if (now?.state === 'unknown' && isSame) await this.#change(now, state, change)
  }

  /** Writes of a mail that it may have left before; how it ended stays where that is known. */
  async keep(intent: Intent): Promise<void> {
    const { isMine, record } = await this.begin(intent)
    if (isMine) await this.settle(record, 'unknown', {})
  }

  byKey(scope: string, key: string): Promise<SendRecord | undefined> {
    return find(this.reader, scope, sha256(key))
  }

  /** The mails of our own services, newest first: another server keeps its own log, and what was handed to an agent is no mail. */
  async list(limit: number): Promise<SendRecord[]> {
    const rows = await this.reader.all(
      "SELECT * FROM sends WHERE provider NOT IN ('agent', 'server') ORDER BY begun_ms DESC, scope, key_hash LIMIT ?",
      limit,
    )
    return Promise.all(rows.map((row) => this.#told(recordOf(row))))
  }

  async byId(id: string): Promise<SendRecord | undefined> {
    const [row] = await this.reader.all('SELECT * FROM sends WHERE id = ?', id)
    return row && this.#told(recordOf(row))
  }

  /** One that is `sending` while its sender is dead is told as `unknown`. */
  async #told(record: SendRecord): Promise<SendRecord> {
    if (record.state !== 'sending') return record
    return (await this.#takeOver(record))?.record ?? record
  }

  async close(): Promise<void> {
    await this.queue.drained()
    this.#holder.close()
    await this.#store.close()
  }

  /** Only if nobody else has changed it; nothing otherwise. */
  async #change(
    record: SendRecord,
    state: SendState,
    { receipt, reason, ...change }: Change = {},
  ): Promise<SendRecord | undefined> {
    const columns: Record<string, SqlValue> = {
      state,
      ...this.#mark(),
      changed_ms: this.#clock.now(),
      reason: reason?.slice(0, 1000) ?? null,
      ...change,
      ...(receipt && {
        message_id: receipt.message_id,
        thread_id: receipt.thread_id ?? null,
        sent_at: receipt.sent_at,
      }),
    }
    return this.queue.write(async (write: Write) => {
      const changed = await write.run(
        `UPDATE sends SET ${Object.keys(columns)
          .map((column) => `${column} = ?`)
          .join(', ')} WHERE scope = ? AND key_hash = ? AND token = ?`,
        ...Object.values(columns),
        record.scope,
        record.key_hash,
        record.token,
      )
      if (changed !== 1) return undefined
      if (receipt && (record.agent !== null || (await mayBeAnswered(write)))) {
        const keys = replyKeysOf(record.scope, receipt)
        await keepReplyKeys(write, record, keys, this.#clock.now())
      }
      return await find(write, record.scope, record.key_hash)
    })
  }

  /** Found when the mail was under way or had left already. */
  async inProject({ scope, key_hash }: SendRecord, project: string): Promise<void> {
    await this.queue.write(async (write) => {
      await write.run(
        'UPDATE sends SET agent_project = ? WHERE scope = ? AND key_hash = ?',
        ...[project, scope, key_hash],
      )
    })
  }

  #mark() {
    const until_ms = this.#clock.now() + this.#timeoutMs + graceMs
    return { token: uuid(), holder: this.#holder.name, until_ms }
  }
}

const isOpen = ({ state }: SendRecord) => state === 'prepared' || state === 'sending'
const isUnderWay = ({ isMine, record }: Turn) => !isMine && isOpen(record)

async function find(
  reader: Reader,
  scope: string,
  key_hash: string,
): Promise<SendRecord | undefined> {
  const rows = await reader.all(
    'SELECT * FROM sends WHERE scope = ? AND key_hash = ?',
    scope,
    key_hash,
  )
  return rows[0] && recordOf(rows[0])
}

const otherContent = () =>
  notSent(
    'invalid_request',
    'idempotency_key was used before with other content',
    'Take a new key for a new mail; repeat a key only to repeat the very same mail.',
  )
