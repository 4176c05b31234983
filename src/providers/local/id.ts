/** Ids of local mails and threads: short, safe in every place, and the same as long as the file keeps its name. */
import type { MailHeaders } from '../../mime/mail-headers.ts'
import { sha256 } from '../../system/text.ts'
import type { BoxName } from './folder.ts'

const hashOf = (text: string): string => sha256(text).slice(0, 24)

export const isLocalId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text)

export const mailId = (box: BoxName, name: string): string => hashOf(`${box}/${name}`)

type Origin = Pick<MailHeaders, 'references' | 'in_reply_to' | 'message_id'>

/** A thread is known by the mail that began it. */
export function threadId(headers: Origin, id: string): string {
  const first = headers.references[0] || headers.in_reply_to || headers.message_id
  return first ? hashOf(`thread ${first}`) : id
}
