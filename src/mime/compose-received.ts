/** Writes a mail that came in as its parts as the RFC 5322 mail that it was: what a header cannot hold is taken out, never refused. */
import MailComposer from 'nodemailer/lib/mail-composer'
import { systemClock } from '../system/clock.ts'
import { sha256, unnameable } from '../system/text.ts'
import { attached, keyHeader, unstructured, withCrlf } from './compose.ts'
import { mailDate } from './header-values.ts'
import type { Address, Attachment } from './mail.ts'
import { isMessageId } from './thread.ts'

/** All of it from outside, as it stands there. */
export interface ReceivedParts {
  from: Address[]
  to: Address[]
  cc: Address[]
  bcc: Address[]
  reply_to: Address[]
  /** The address that it was delivered to, if that is known. */
  delivered_to: string | undefined
  subject: string
  date: string
  headers: Header[]
  text: string
  html: string
  attachments: Attachment[]
}

interface Header {
  name: string
  value: string
}

const mostHeaders = 200
const mostReferences = 100
const longestValue = 2000
/** Of which a mail has one, or which say how this one is written. */
const own = new RegExp(
  `^(?:from|to|cc|bcc|reply-to|delivered-to|x-original-to|subject|date|message-id|in-reply-to|references|mime-version|content-.*|${keyHeader})$`,
  'i',
)

/** The same parts give the same bytes, so that a mail which is brought again is the same mail. */
export async function composeReceived(mail: ReceivedParts): Promise<Buffer> {
  const ids = (name: string) =>
    (firstOf(mail.headers, name).match(/<[^<>\s]+>/g) ?? []).filter(isMessageId)
  const digest = digestOf(mail, ids('message-id'))
  const [messageId = `<${digest}@received.invalid>`] = ids('message-id')
  const [inReplyTo] = ids('in-reply-to')
  const references = ids('references').slice(-mostReferences)
  const composer = new MailComposer({
    from: written(mail.from.slice(0, 1)),
    to: written(mail.to),
    cc: written(mail.cc),
    bcc: written(mail.bcc),
    replyTo: written(mail.reply_to),
    subject: unstructured(cleaned(mail.subject)),
    text: withCrlf(mail.text),
    ...(mail.html !== '' && { html: withCrlf(mail.html) }),
    attachments: mail.attachments.map(({ name, content, contentType }) =>
      attached({ name: cleaned(name), content, contentType: cleaned(contentType) }),
    ),
    messageId,
    date: new Date(mailDate(mail.date) ?? systemClock.now()),
    ...(inReplyTo !== undefined && { inReplyTo }),
    ...(references.length > 0 && { references }),
    headers: [
      ...(mail.delivered_to === undefined
        ? []
        : [{ key: 'Delivered-To', value: mail.delivered_to }]),
      ...others(mail.headers),
    ],
    baseBoundary: digest,
    textEncoding: 'quoted-printable',
    encoding: 'quoted-printable',
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const message = composer.compile()
  message.keepBcc = true
  return message.build()
}

/** No text can hold it, so it can be the mark between the parts. To whom it was delivered is none of it: it is one mail for all of them. */
function digestOf(mail: ReceivedParts, ids: string[]): string {
  const { delivered_to, headers, attachments, ...rest } = mail
  const files = attachments.map(({ name, content }) => [name, sha256(content)])
  return sha256(JSON.stringify([rest, ids, files])).slice(0, 24)
}

/** The first of this name. */
const firstOf = (headers: Header[], name: string): string =>
  headers.find((header) => header.name.toLowerCase() === name)?.value ?? ''

function others(headers: Header[]): { key: string; value: string }[] {
  return headers
    .filter(({ name }) => /^[a-z0-9-]{1,100}$/i.test(name) && !own.test(name))
    .slice(0, mostHeaders)
    .map(({ name, value }) => ({ key: name, value: unstructured(cleaned(value)) }))
    .filter(({ value }) => value !== '')
}

/** A name must not be decoded as something else. */
const written = (addresses: Address[]) =>
  addresses
    .map(({ name, address }) => ({
      name: cleaned(name).replaceAll('=?', '= ?'),
      address: cleaned(address),
    }))
    .filter(({ address }) => address !== '')

/** What would end a line, or cannot be written, becomes a blank. */
const cleaned = (text: string): string =>
  text
    .slice(0, longestValue)
    .toWellFormed()
    .replace(new RegExp(unnameable, 'gu'), ' ')
    .replace(/ +/g, ' ')
    .trim()
