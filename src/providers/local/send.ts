/** "Sends" a local mail: writes it to sent/, complete or not at all. */
import { type AgentMailError, hasCode, notSent, unclear } from '../../errors.ts'
import { compose } from '../../mime/compose.ts'
import { headersOf, readHeaders } from '../../mime/mail-headers.ts'
import { threadId } from '../../mime/thread.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { createIn } from '../../system/files.ts'
import type { Folder } from '../../system/folder.ts'
import { randomId } from '../../system/random.ts'
import { slug } from '../../system/text.ts'
import type { OutgoingMail, Receipt } from '../provider.ts'
import { openBox } from './folder.ts'
import { contentId } from './id.ts'

export async function writeSent(
  root: string,
  mail: OutgoingMail,
  signal: AbortSignal,
): Promise<Receipt> {
  const { raw, message_id: header_id } = await compose(mail, { keepBcc: true }).catch(() => {
    throw notSent('send_failed', 'the mail was not sent: it could not be composed')
  })
  if (signal.aborted) throw notSent('send_failed', 'the mail was not sent: it took too long')
  const block = readHeaders(raw)
  const headers = headersOf(block)
  const sentAt = headers.date ?? systemClock.now()
  const name = fileName(sentAt, mail.subject)
  putInPlace(root, name, raw)
  const id = contentId('sent', block, raw.subarray(block.bodyStart))
  const thread_id = mail.original?.thread_id ?? threadId(headers) ?? id
  return { message_id: id, thread_id, sent_at: rfc3339(sentAt), header_id }
}

/** @example '2025-06-01T12-00-00Z-hello-world-3fZk0aQ9Lm.eml' */
function fileName(time: number, subject: string): string {
  const when = rfc3339(time).replace(/\.\d+/, '').replaceAll(':', '-')
  return `${[when, slug(subject), randomId(10)].join('-')}.eml`
}

function putInPlace(root: string, name: string, raw: Buffer): void {
  let folder: Folder | undefined
  try {
    folder = openBox(root, 'sent')
    const temporary = `.${name}.new` // nobody takes what begins with a dot for a mail
    if (createIn(folder, name, { content: [raw], temporary })) return
  } catch (error) {
    if (folder?.stat(name)) {
      throw unclear('the mail was written to sent/, but perhaps not for good')
    }
    throw notWritten(error)
  } finally {
    folder?.close()
  }
  throw notWritten(new Error('the name is taken'))
}

function notWritten(error: unknown): AgentMailError {
  const isFull = hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG')
  const words = isFull ? 'the disk is full' : 'sent/ cannot be written to'
  const next = isFull
    ? 'Make room on the disk of AGENTMAIL_MAIL_DIR, then send it again.'
    : 'See that AGENTMAIL_MAIL_DIR names a folder that you may write to, then send it again.'
  return notSent('send_failed', `the mail was not sent: ${words}`, next)
}
