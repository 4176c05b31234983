/** One attachment of a draft, as it would be sent, for a person to look at. */
import { draftOf } from '../../email/drafts/draft-note.ts'
import { readAttachment } from '../../email/outgoing/attachments.ts'
import { AgentMailError } from '../../errors.ts'
import { sha256 } from '../../system/text.ts'
import { readNote } from '../../vault/notes.ts'
import type { MailDesk } from './mail-desk.ts'

export interface AttachmentBytes {
  name: string
  content: Buffer
  /** What a browser may take it for: nothing that is run, whatever its name and its draft say. */
  type: string
  /** Whether it may be shown beside the draft; else it is kept as a file. */
  isInline: boolean
}

/** As much as any mail takes along. */
const maxBytes = 25 << 20

/** @param wanted.sha256 of the bytes that the draft was shown with: others are not given. */
export async function attachmentOf(
  desk: MailDesk,
  wanted: { path: string; index: number; sha256: string },
): Promise<AttachmentBytes> {
  const { vault } = desk.records()
  const asked = draftOf(await readNote(vault, wanted.path))
  const request = asked.kind === 'mail' ? asked.request.attachments?.[wanted.index] : undefined
  if (!request) {
    throw new AgentMailError(
      'not_found',
      `${wanted.path} has no attachment ${wanted.index + 1}`,
      'Look at the draft again.',
    )
  }
  const { name, content, contentType } = await readAttachment(request, () => vault, maxBytes)
  if (sha256(content) !== wanted.sha256) {
    throw new AgentMailError(
      'conflict',
      `${name} is not what you have seen: the file was changed since`,
      'Look at the draft again.',
    )
  }
  return { name, content, ...safeType(content, contentType) }
}

const pictures: [type: string, isIt: (bytes: Buffer) => boolean][] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ['image/gif', (bytes) => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))],
  ['image/webp', (bytes) => /^RIFF.{4}WEBP$/s.test(bytes.toString('latin1', 0, 12))],
]

/** A picture by its bytes, and text as nothing but text. */
function safeType(content: Buffer, contentType: string): { type: string; isInline: boolean } {
  const picture = pictures.find(([, isIt]) => isIt(content))
  if (picture) return { type: picture[0], isInline: true }
  const isText = /^text\//i.test(contentType)
  return isText
    ? { type: 'text/plain; charset=utf-8', isInline: true }
    : { type: 'application/octet-stream', isInline: false }
}
