/** How a mail says which others it follows. */
import type { Original } from './mail.ts'

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
