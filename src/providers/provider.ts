/** The port to a mail service: the little that a provider must be able to do. */
import type { providerNames } from '../mail-settings.ts'
import type { Mail, Original, OtherText } from '../mime/mail.ts'

export type ProviderName = (typeof providerNames)[number]

/** A mail that has passed every check, as it is to go out. */
export interface OutgoingMail extends Mail {
  postmark: PostmarkOptions | undefined
}

/** What only Postmark knows. */
export interface PostmarkOptions {
  template?: { id: number } | { alias: string }
  template_model?: Record<string, unknown>
  track_opens?: boolean
  track_links?: 'None' | 'HtmlAndText' | 'HtmlOnly' | 'TextOnly'
  tag?: string
  metadata?: Record<string, string>
  message_stream?: string
}

export interface Receipt {
  message_id: string
  /** Nothing where the service knows no threads. */
  thread_id: string | undefined
  /** ISO 8601. */
  sent_at: string
  /** What the service adds, such as whom it will not deliver to. */
  remark?: string
  /** The Message-ID that went out, with its angle brackets, by which an answer names it; nothing where the service puts one that it does not tell. */
  header_id?: string
}

/** A mail that may have been sent, to be looked for. */
export interface Trace {
  key: string
  /** The addresses it went to. */
  to: string[]
  subject: string
  /** When it was begun, in Unix milliseconds. */
  since: number
}

/** What a service takes. */
export interface Limits {
  recipients: number
  /** Of a body as text, and of one as HTML, in bytes. */
  body: number
  /** Of all together, attachments in base64. */
  total: number
  /** Endings of files that it refuses. */
  forbidden: ReadonlySet<string>
}

export interface Provider {
  readonly name: ProviderName
  /** Less than what any service takes. */
  readonly limits?: Limits | undefined
  /** Which account sends, as far as that is known without asking: a mail is the same only within it. */
  readonly account: string
  /** Where mail can be read too. */
  readonly inbox?: Inbox
  /**
   * Sends once, without trying again. Throws `notSent(…)` where it is certain that nothing was sent;
   * any other error means that nobody knows.
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<Receipt>
  /** Looks for a mail that was sent with this key. Not found does not mean that it was not sent. */
  find?(trace: Trace, signal: AbortSignal): Promise<Receipt | undefined>
  /** Ends what it keeps open. */
  close?(): Promise<void>
}

/** Reading marks nothing as read. Texts are decoded and otherwise as the sender wrote them: whoever passes them on makes them safe. */
export interface Inbox {
  /** Newest first. */
  list(request: ListRequest): Promise<{ mails: MailHead[]; next_page_token?: string }>
  get(id: string): Promise<IncomingMail>
  /** Adds the label and takes the mail out of the inbox; gives the names of its labels then. */
  move(id: string, label: string): Promise<string[]>
  label(id: string, label: string): Promise<string[]>
  original(id: string): Promise<Original>
  /**
   * Calls `onNews` when mail may have come, until the signal ends it: a service that tells of new mail by itself.
   * Goes on through broken connections; rejects only where it never can, as with a login that is refused.
   */
  watch?(onNews: () => void, signal: AbortSignal): Promise<void>
}

export interface ListRequest {
  query: string
  limit: number
  page_token?: string | undefined
}

export interface MailHead {
  id: string
  subject: string
  /** Its From, never its Reply-To. */
  sender: string
  /** ISO 8601. */
  date: string
  snippet: string
}

export interface IncomingMail {
  id: string
  subject: string
  sender: string
  to: string
  date: string
  text: string | undefined
  html: string | undefined
  /** Further versions of the text: AMP, an invitation, and whatever else a mail program may show instead. */
  others?: OtherText[]
  attachment_names: string[]
  /** False where the provider has left out some of the text. */
  isComplete?: boolean
}
