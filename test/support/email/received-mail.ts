/** A mail as it arrived, for comparing it with what was asked. */
import PostalMime, { type Address as Parsed } from 'postal-mime'
import type { Address, Attachment } from '../../../src/mime/mail.ts'

export interface ReceivedMail {
  from: Address | undefined
  to: Address[]
  cc: Address[]
  /** Who got it without being named in `to` or `cc`: addresses only. */
  bcc: string[]
  reply_to: Address[]
  subject: string
  text: string
  html: string
  attachments: Attachment[]
  /** As every recipient sees them, the names in lower case. */
  headers: Record<string, string>
}

/** `delivered_to`: the envelope, where there is one; else the Bcc header says who else got it. */
export async function receivedMail(raw: Buffer, delivered_to?: string[]): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer' })
  const [to, cc, bcc] = [people(mail.to), people(mail.cc), people(mail.bcc)]
  const named = [...to, ...cc].map(({ address }) => address)
  return {
    from: mail.from && people([mail.from])[0],
    to,
    cc,
    bcc: delivered_to
      ? delivered_to.filter((address) => !named.includes(address))
      : bcc.map(({ address }) => address),
    reply_to: people(mail.replyTo),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    attachments: mail.attachments.map(({ filename, content, mimeType }) => ({
      name: filename ?? '',
      content: Buffer.from(new Uint8Array(content instanceof ArrayBuffer ? content : [])),
      contentType: mimeType,
    })),
    headers: Object.fromEntries(mail.headers.map(({ key, value }) => [key, value])),
  }
}

/** The copy that the sender keeps names in `Bcc` those whom no recipient sees. */
export async function sendersCopy(raw: Buffer): Promise<ReceivedMail> {
  const mail = await receivedMail(raw)
  const { bcc: _, ...headers } = mail.headers
  return { ...mail, headers }
}

const people = (parsed: Parsed[] = []): Address[] =>
  parsed.flatMap((one) =>
    one.address === undefined ? [] : [{ name: one.name, address: one.address }],
  )
