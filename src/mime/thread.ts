/** How a mail says which others it follows. */
import { sha256 } from '../system/text.ts'
import type { Original } from './mail.ts'
import type { MailHeaders } from './mail-headers.ts'

/** What stands in a mail from outside is taken over only where it is an id. */
export const isMessageId = (text: string): boolean => /^<[!-;=?-~]{1,500}>$/.test(text)

/** The headers of a reply, in the names of the composer; none where the mail that it answers has no id. */
export function replyHeaders(original: Original | undefined) {
  if (!original || !isMessageId(original.message_id)) return undefined
  const { message_id, references } = original
  return {
    inReplyTo: message_id,
    references: [...new Set([...references.filter(isMessageId), message_id])],
  }
}

type Origin = Pick<MailHeaders, 'references' | 'in_reply_to' | 'message_id'>

/** A thread is known by the mail that began it; nothing where that has no id of its own. */
export function threadId(headers: Origin): string | undefined {
  const first = headers.references[0] || headers.in_reply_to || headers.message_id
  return first ? sha256(`thread ${first}`).slice(0, 24) : undefined
}
