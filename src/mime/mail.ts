/** A mail that goes out, as its parts. */

export interface Address {
  /** As a person reads it; empty where there is none. */
  name: string
  /** `local@domain`, the domain in ASCII. */
  address: string
}

export interface Attachment {
  name: string
  content: Buffer
  contentType: string
}

/** A mail as it is to be written. */
export interface Mail {
  /** Nothing: the account's own address. */
  from: Address | undefined
  to: Address[]
  cc: Address[]
  bcc: Address[]
  reply_to: Address[]
  subject: string
  /** At least one of the two, unless a template makes them. */
  text: string | undefined
  html: string | undefined
  attachments: Attachment[]
  /** The mail that this one answers. */
  original: Original | undefined
  /** A name that the service keeps with the mail, so that it can be found again; none for a mail that nobody will ask for. */
  key: string | undefined
}

/** The mail that a reply belongs to. */
export interface Original {
  thread_id: string
  subject: string
  /** Its Message-ID with the angle brackets; empty where it has none. */
  message_id: string
  /** The Message-IDs of the mails before it, oldest first. */
  references: string[]
  /** Every address that its headers say it went or was delivered to, as they stand there. */
  recipients?: string
  /** When the service got it, in Unix milliseconds, where that is not what its sender says. */
  received_ms?: number | undefined
}

/** A text of a mail that is neither plain nor HTML. */
export interface OtherText {
  /** In lower case, as in `text/x-amp-html`. */
  type: string
  content: string
}

/** What a Content-Type says of such a text; nothing where it is none, or a strange one. */
export const otherTextType = (type: string): string | undefined =>
  /^text\/(?!plain$|html$|csv$|x?-?vcard$)[a-z0-9.+-]{1,40}$/.exec(type.toLowerCase())?.[0]
