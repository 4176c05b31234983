/** How large a note may be: a reply carries it twice, and escaped, and clients read lines of 10 MiB at most. */
import { AgentMailError } from '../errors.ts'
import { maxNoteBytes } from './note-file.ts'

const maxReplyBytes = 10_000_000

export function checkSize(path: string, bytes: number): void {
  if (bytes > maxNoteBytes) throw tooLarge(`${path} would be ${bytes} bytes`, { size: bytes })
}

export function checkReply<Reply extends { path: string; etag: string }>(note: Reply): Reply {
  const bytes = replyBytes(note)
  if (bytes <= maxReplyBytes) return note
  throw tooLarge(`a reply with ${note.path} would be ${bytes} bytes`, {
    size: bytes,
    etag: note.etag,
  })
}

export const fitsReply = (value: unknown): boolean => replyBytes(value) <= maxReplyBytes

function replyBytes(value: unknown): number {
  const text = JSON.stringify(value)
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text))
}

export const tooLarge = (message: string, details: { size: number; etag?: string | null }) =>
  new AgentMailError(
    'invalid_request',
    `${message}, more than a client can take (${maxNoteBytes} a note, ${maxReplyBytes} a reply)`,
    'Split it into several notes.',
    { details },
  )
