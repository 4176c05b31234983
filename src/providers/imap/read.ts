/** Reads one mail on an IMAP server, as far as it is read at all; nothing is marked as read. */
import type { FetchMessageObject } from 'imapflow'
import type { Original } from '../../mime/mail.ts'
import { headersOf } from '../../mime/mail-headers.ts'
import { readMime } from '../../mime/read-mime.ts'
import { threadId } from '../../mime/thread.ts'
import { rfc3339 } from '../../system/clock.ts'
import type { IncomingMail } from '../provider.ts'
import { type MailStart, maxMailBytes, originalIn, wholeLines } from '../raw-mail.ts'
import { goneMeanwhile, type ImapHead, type MailPlaces } from './places.ts'
import type { ImapSession } from './session.ts'

/** What a server gave of a mail, of which so many bytes were asked for. */
export function bytesOf(
  mail: FetchMessageObject | undefined,
  limit: number,
): MailStart | undefined {
  const bytes = mail?.source
  if (!bytes) return undefined
  const isWhole = bytes.length < limit
  return { bytes: isWhole ? bytes : wholeLines(bytes), isWhole }
}

export async function readMail(
  session: ImapSession,
  places: MailPlaces,
  id: string,
): Promise<IncomingMail> {
  const { head, content } = await parsed(session, places, id)
  const { subject, sender, to, text, html, others, attachment_names, isComplete } = content
  const date = content.date ?? rfc3339(head.arrived)
  return { id, subject, sender, to, date, text, html, others, attachment_names, isComplete }
}

export async function readOriginal(
  session: ImapSession,
  places: MailPlaces,
  id: string,
): Promise<Original> {
  const { head, content } = await parsed(session, places, id)
  return originalIn(content, threadOf(head))
}

/** A mail that belongs to no other is a thread of its own. */
export const threadOf = ({ id, block }: Pick<ImapHead, 'id' | 'block'>): string =>
  threadId(headersOf(block)) ?? id

async function parsed(session: ImapSession, places: MailPlaces, id: string) {
  const head = await places.find(session, id)
  const [mail] = await session.mails([head.uid], { source: { maxLength: maxMailBytes } })
  const read = bytesOf(mail, maxMailBytes)
  if (!read) throw goneMeanwhile()
  const content = await readMime(read.bytes)
  return { head, content: { ...content, isComplete: content.isComplete && read.isWhole } }
}
