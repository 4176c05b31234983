/** How large a note may be: a reply carries it twice, and escaped, and clients read lines of 10 MiB at most. */
import { AgentMailError } from '../errors.ts'
import { maxNoteBytes } from './note-file.ts'

const maxReplyBytes = 10_000_000

export function checkSize(path: string, bytes: number): void {
  if (bytes > maxNoteBytes) throw tooLarge(`${path} would be ${shownSize(bytes)} bytes`)
}

export function checkReply<Reply extends { path: string; etag: string }>(note: Reply): Reply {
  const bytes = replyBytes(note)
  if (bytes <= maxReplyBytes) return note
  throw tooLarge(`a reply with ${note.path} would be ${shownSize(bytes)} bytes`, {
    etag: note.etag,
  })
}

export const fitsReply = (value: unknown): boolean => replyBytes(value) <= maxReplyBytes

function replyBytes(value: unknown): number {
  const text = JSON.stringify(value)
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text))
}

export const shownSize = (bytes: number) => bytes.toLocaleString('en')

export const tooLarge = (message: string, details?: Record<string, unknown>) =>
  new AgentMailError(
    'invalid_request',
    `${message}, more than a client can take (${shownSize(maxNoteBytes)} a note, ${shownSize(maxReplyBytes)} a reply)`,
    'Split it into several notes.',
    details ? { details } : {},
  )
