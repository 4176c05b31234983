/** What a tool or a command asks to be sent, before anything of it is checked. */
import type { PostmarkOptions } from '../../providers/provider.ts'

export interface MailRequest {
  /** Nothing: the account's own address. */
  from?: string | undefined
  /** One address or several, comma-separated; so are the other fields of addresses. */
  to: string
  cc?: string | undefined
  bcc?: string | undefined
  reply_to?: string | undefined
  subject: string
  text?: string | undefined
  html?: string | undefined
  attachments?: AttachmentRequest[] | undefined
  /** The provider's id of the mail that this one answers. */
  reply_to_message_id?: string | undefined
  /** The same key sends once, however often it is asked for. */
  idempotency_key?: string | undefined
  postmark?: PostmarkOptions | undefined
}

/** Either the bytes in base64, or a file of the vault. */
export type AttachmentRequest =
  | { name: string; content: string; contentType: string }
  | { path: string; name?: string | undefined; contentType?: string | undefined }
