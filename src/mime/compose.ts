/** Writes a mail as RFC 5322: folded and encoded headers, text in UTF-8, attachments. */
import MailComposer from 'nodemailer/lib/mail-composer'
import { encodeWord } from 'nodemailer/lib/mime-funcs'
import { systemClock } from '../system/clock.ts'
import { uuid } from '../system/random.ts'
import { checkHeaders } from './check-headers.ts'
import type { Address, Attachment, Mail } from './mail.ts'
import { replyHeaders } from './thread.ts'

/** In which a service keeps the key of a mail, so that it can be found again. */
export const keyHeader = 'X-AgentMail-Key'

interface ComposeOptions {
  /** For a service that reads the recipients from the headers, and for the sender's own copy. */
  keepBcc?: boolean
}

export interface ComposedMail {
  message_id: string
  raw: Buffer
  /** The same with the Bcc, for the sender alone. */
  ownCopy(): Promise<Buffer>
}

/**
 * Every line is short and ASCII, whatever the mail holds. Line ends of the texts become CRLF,
 * attachments keep their bytes.
 */
export async function compose(mail: Mail, options: ComposeOptions = {}): Promise<ComposedMail> {
  checkHeaders(mail)
  const domain = mail.from?.address.split('@').at(-1) ?? 'agentmail.invalid'
  const message_id = `<${uuid()}@${domain}>`
  const composer = new MailComposer({
    ...(mail.from && { from: parts(mail.from) }),
    to: mail.to.map(parts),
    cc: mail.cc.map(parts),
    bcc: mail.bcc.map(parts),
    replyTo: mail.reply_to.map(parts),
    subject: unstructured(mail.subject),
    ...(mail.text !== undefined && { text: withCrlf(mail.text) }),
    ...(mail.html !== undefined && { html: withCrlf(mail.html) }),
    attachments: mail.attachments.map(attached),
    messageId: message_id,
    date: new Date(systemClock.now()),
    ...replyHeaders(mail.original),
    headers: mail.key === undefined ? {} : { [keyHeader]: unstructured(mail.key) },
    textEncoding: 'quoted-printable', // base64 looks like spam to some filters
    encoding: 'quoted-printable', // else a server may strip blanks at the ends of lines
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const message = composer.compile()
  message.keepBcc = options.keepBcc ?? false
  const raw = await message.build()
  return {
    message_id,
    raw,
    ownCopy() {
      message.keepBcc = true
      return message.build()
    },
  }
}

export const withCrlf = (text: string) => text.replace(/\r\n?|\n/g, '\r\n')

const parts = ({ name, address }: Address) => ({ name, address })

export const attached = ({ name, content, contentType }: Attachment) => ({
  filename: name,
  content,
  // A part that has parts of its own is no attachment; a type that is none would break its header.
  contentType: /^(?!multipart)[\w.+-]+\/[\w.+-]+(?:;|$)/i.test(contentType)
    ? contentType
    : 'application/octet-stream',
  contentDisposition: 'attachment' as const,
  contentTransferEncoding: 'base64' as const,
})

/** Encoded where a reader would otherwise see something else: blanks lost, a long word cut, a word decoded. */
export function unstructured(text: string): string {
  const isPlain = /^(?:[!-~]{1,60}(?: (?! )|$))*$/.test(text) && !text.includes('=?')
  return isPlain && !text.endsWith(' ') ? text : encodeWord(text, 'Q', 52)
}
