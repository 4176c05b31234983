/** By what an answer to an agent's mail is known, and which agent asked: nobody answers who has not got the mail. */
import type { Original } from '../../mime/mail.ts'
import type { Receipt } from '../../providers/provider.ts'
import type { Write } from '../../store/batch.ts'
import { integer, type Reader, type Row, text } from '../../store/store.ts'
import { sha256 } from '../../system/text.ts'
import type { Asker } from './mail-request.ts'
import type { SendRecord } from './send-record.ts'

/** The tag in the address that answers go to. */
export const tagKey = (tag: string): string => keyOf('tag', tag.toLowerCase())

const messageIdKey = (id: string): string => keyOf('message-id', id.toLowerCase())

/** Threads are counted by each account for itself. */
const threadKey = (scope: string, thread: string): string => keyOf('thread', scope, thread)

const keyOf = (...parts: string[]): string => sha256(JSON.stringify(parts))

/** Of a mail that was sent. The thread counts only where nobody knows the Message-ID: others write in it too. */
export function replyKeysOf(scope: string, { header_id, thread_id }: Receipt): string[] {
  if (header_id !== undefined) return [messageIdKey(header_id)]
  return thread_id === undefined ? [] : [threadKey(scope, thread_id)]
}

/** Also of a person's mail, where agents have sent any: what answers it is theirs. In a thread, the last mail is the one that is answered. */
export async function keepReplyKeys(
  write: Write,
  { scope, key_hash }: Pick<SendRecord, 'scope' | 'key_hash'>,
  keys: readonly string[],
  kept_ms: number,
): Promise<void> {
  for (const reply_key of keys) {
    await write.run('DELETE FROM reply_keys WHERE reply_key = ?', reply_key)
    write.append('reply_keys', { reply_key, scope, key_hash, kept_ms })
  }
}

/** Where it is not so, no mail answers an agent, and none needs to be looked at. */
export async function mayBeAnswered(reader: Reader): Promise<boolean> {
  return (await reader.all('SELECT reply_key FROM reply_keys LIMIT 1')).length > 0
}

/** A mail that came in. */
export interface Incoming {
  /** The provider's. */
  id: string
  /** Of the account that it came to. */
  scope: string
  original: Original
  /** Those in the addresses that it came to. */
  tags: readonly string[]
}

const mostReferences = 50
/** How far the clocks of a service and of this machine may be apart. */
const slackMs = 60_000

/** Nothing where it answers no agent: the nearest mail before it that the ledger knows decides. What it says of itself counts for nothing. */
export async function askerOf(reader: Reader, incoming: Incoming): Promise<Asker | undefined> {
  const { id, scope, original, tags } = incoming
  const own = messageIdKey(original.message_id)
  // The mail that it answers comes last.
  const before = original.references.slice(-mostReferences).reverse()
  const known = [...tags.map(tagKey), ...before.map(messageIdKey)]
  const thread = before.length > 0 ? threadKey(scope, original.thread_id) : undefined
  const keys = [...known, ...(thread === undefined ? [] : [thread])]
  if (keys.length === 0) return undefined
  const rows = await reader.all(
    `SELECT r.reply_key, s.agent, s.agent_project, s.begun_ms, s.message_id FROM reply_keys r JOIN sends s ON s.scope = r.scope AND s.key_hash = r.key_hash WHERE r.reply_key IN (${[own, ...keys].map(() => '?').join(', ')})`,
    ...[own, ...keys],
  )
  const found = new Map(rows.map((row) => [text(row.reply_key), row]))
  // What was sent from here to its own address comes from nobody else, whomever it answers.
  if (found.has(own)) return undefined
  for (const key of keys) {
    const row = found.get(key)
    const isLater = key !== thread || isAfter(row, { id, received_ms: original.received_ms })
    if (!row || !isLater) continue
    return row.agent == null ? undefined : { agent: text(row.agent), project: projectIn(row) }
  }
  return undefined
}

const projectIn = ({ agent_project }: Row): string | undefined =>
  agent_project == null ? undefined : text(agent_project)

/** What was in the thread before, or is the mail itself, is no answer to it. */
function isAfter(
  row: Row | undefined,
  { id, received_ms }: { id: string; received_ms: number | undefined },
): boolean {
  if (!row || row.message_id === id) return false
  return received_ms === undefined || received_ms + slackMs >= integer(row.begun_ms)
}
