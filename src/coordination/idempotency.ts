/** A key that a caller gives to a write, so that a retry gets the first answer instead of a second write. */
import { createHash } from 'node:crypto'
import { AgentMailError } from '../errors.ts'
import { integer, text } from '../store/store.ts'
import type { Write } from '../store/write-queue.ts'

export interface KeyedCall {
  project: string
  agent_id: string
  tool: 'send_message' | 'announce_change'
  /** Nothing: the call is not keyed. */
  key: string | undefined
  /** What must be the same for the key to mean the same call. */
  content: string[]
}

export const sha256 = (value: string): string => createHash('sha256').update(value).digest('hex')

/** The id that the first call with this key was given; nothing if this is the first. */
export async function answeredBefore(write: Write, call: KeyedCall): Promise<number | undefined> {
  if (!call.key) return undefined
  const [row] = await write.all(
    'SELECT content_hash, result_id FROM idempotency_keys WHERE project = ? AND agent_id = ? AND tool = ? AND key_hash = ?',
    call.project,
    call.agent_id,
    call.tool,
    sha256(call.key),
  )
  if (!row) return undefined
  if (text(row.content_hash) === contentHash(call)) return integer(row.result_id)
  throw new AgentMailError(
    'invalid_request',
    'idempotency_key was used before with other content',
    'Take a new key for new content; repeat a key only to repeat the very same call.',
  )
}

export function rememberAnswer(write: Write, call: KeyedCall, resultId: number): void {
  if (!call.key) return
  write.append('idempotency_keys', {
    project: call.project,
    agent_id: call.agent_id,
    tool: call.tool,
    key_hash: sha256(call.key),
    content_hash: contentHash(call),
    result_id: resultId,
  })
}

const contentHash = ({ content }: KeyedCall) => sha256(JSON.stringify(content))
