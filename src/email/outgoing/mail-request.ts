/** What a tool or a command asks to be sent, before anything of it is checked; and its body and subject as a person is shown them, and as they go out. */
import type { OutgoingMail, PostmarkOptions, ProviderName } from '../../providers/provider.ts'
import { htmlToText } from '../visible-text/html-to-text.ts'
import { looksLikeHtml } from '../visible-text/visible-text.ts'

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
  /** In whose name it is sent, where that is not whoever this process belongs to; null for nobody's. */
  asked_by?: Asker | null
}

/** An agent that has a mail sent. */
export interface Asker {
  agent: string
  /** Nothing where that was not known. */
  project: string | undefined
}

/** Either the bytes in base64, or a file of the vault. */
export type AttachmentRequest =
  | { name: string; content: string; contentType: string }
  | { path: string; name?: string | undefined; contentType?: string | undefined }

/** There is always a text, also beside a picture alone. */
export const bodyOf = (body: string): { text: string; html?: string } =>
  looksLikeHtml(body) ? { text: htmlToText(body) || ' ', html: body } : { text: body }

/** Gmail is given one body, from which the text beside an HTML one is made. */
export const takesOneBody = (provider: ProviderName): boolean =>
  provider === 'gmail' || provider === 'imap' || provider === 'local'

export function askedBody(provider: ProviderName, mail: OutgoingMail): string {
  const { text, html, postmark } = mail
  const bodies = takesOneBody(provider) ? [html, text] : [text, html]
  const body = bodies.find((one) => one !== undefined)
  return body ?? (postmark?.template_model ? JSON.stringify(postmark.template_model) : '')
}

/** A template brings its own. */
export function askedSubject({ subject, postmark }: OutgoingMail): string {
  const template = postmark?.template
  if (!template) return subject
  return `template ${'id' in template ? template.id : template.alias}`
}

/** What was asked for, if it says the same but for its `Re:`. */
export function replySubject(asked: string, original: string): string {
  const line = original.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()
  if (bare(asked) === bare(line)) return asked
  return bare(line) === line ? `Re: ${line}`.trimEnd() : line
}

const bare = (subject: string): string => subject.replace(/^(\s*re\s*:)+/i, '').trim()
