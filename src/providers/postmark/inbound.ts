/** A mail in the words of Postmark's inbound webhook: taken as it came where that is there, else written anew from its parts. */
import { addressParser } from 'postal-mime'
import * as z from 'zod'
import { AgentMailError } from '../../errors.ts'
import { checkAddress } from '../../mime/address.ts'
import { composeReceived } from '../../mime/compose-received.ts'
import type { Address } from '../../mime/mail.ts'

const text = (field: string) =>
  z
    .string(`${field} must be a text`)
    .nullish()
    .transform((value) => value ?? '')

const listOf = <Item extends z.ZodType>(field: string, item: Item) =>
  z
    .array(item, `${field} must be a list`)
    .nullish()
    .transform((list) => list ?? [])

const party = (field: string) =>
  z.object(
    { Email: text(`${field}.Email`), Name: text(`${field}.Name`) },
    `${field} must hold Email and Name`,
  )

/** Looks for what must not be there, since a pattern of all that may be would remember every character. */
function isBase64(content: string): boolean {
  const end = content.indexOf('=')
  const digits = end < 0 ? content : content.slice(0, end)
  const isEnd = end < 0 || /^={1,2}$/.test(content.slice(end, end + 3))
  return isEnd && digits.length % 4 !== 1 && !/[^A-Za-z0-9+/]/.test(digits)
}

/** What else is there is left alone. */
const inboundMail = z.object(
  {
    MessageID: text('MessageID'),
    From: text('From'),
    FromFull: party('FromFull').nullish(),
    To: text('To'),
    ToFull: listOf('ToFull', party('ToFull')),
    Cc: text('Cc'),
    CcFull: listOf('CcFull', party('CcFull')),
    Bcc: text('Bcc'),
    BccFull: listOf('BccFull', party('BccFull')),
    ReplyTo: text('ReplyTo'),
    OriginalRecipient: text('OriginalRecipient'),
    MailboxHash: text('MailboxHash'),
    Subject: text('Subject'),
    Date: text('Date'),
    TextBody: text('TextBody'),
    HtmlBody: text('HtmlBody'),
    RawEmail: text('RawEmail'),
    Headers: listOf(
      'Headers',
      z.object(
        { Name: text('Headers.Name'), Value: text('Headers.Value') },
        'Headers must hold Name and Value',
      ),
    ),
    Attachments: listOf(
      'Attachments',
      z.object(
        {
          Name: text('Attachments.Name'),
          ContentType: text('Attachments.ContentType'),
          Content: z
            .string('Attachments.Content must be a text')
            .transform((content) => content.replace(/\s+/g, ''))
            .refine(isBase64, 'Attachments.Content must be base64'),
        },
        'Attachments must hold Name, ContentType and Content',
      ),
    ),
  },
  'the body must be the JSON of a mail',
)

type InboundMail = z.infer<typeof inboundMail>

/** @returns `identity` by which Postmark knows the mail, however often it brings it. */
export async function inboundFromPostmark(
  body: unknown,
): Promise<{ raw: Buffer; identity?: string }> {
  const { success, data: mail, error } = inboundMail.safeParse(body)
  if (!success) throw notPostmark(error.issues[0]?.message ?? 'the body is none of Postmark')
  if (mail.From === '' && !mail.FromFull && mail.RawEmail === '') {
    throw notPostmark('the mail has neither From nor RawEmail')
  }
  const raw = mail.RawEmail === '' ? await written(mail) : asItCame(mail)
  return { raw, ...(mail.MessageID !== '' && { identity: `postmark ${mail.MessageID}` }) }
}

const notPostmark = (message: string) =>
  new AgentMailError(
    'invalid_request',
    message,
    'Send what the inbound webhook of Postmark sends, or a whole mail to /inbound/raw/.',
  )

/** With the address that it was delivered to in front of it, as every mail server does. */
function asItCame(mail: InboundMail): Buffer {
  const address = deliveredTo(mail)
  const isField = /^[!-9;-~]+[ \t]*:/.test(mail.RawEmail.slice(0, 1000))
  const added = address !== undefined && isField ? `Delivered-To: ${address}\r\n` : ''
  return Buffer.from(added + mail.RawEmail)
}

function written(mail: InboundMail): Promise<Buffer> {
  return composeReceived({
    from: mail.FromFull ? [asAddress(mail.FromFull)] : addressesIn(mail.From),
    to: mail.ToFull.length > 0 ? mail.ToFull.map(asAddress) : addressesIn(mail.To),
    cc: mail.CcFull.length > 0 ? mail.CcFull.map(asAddress) : addressesIn(mail.Cc),
    bcc: mail.BccFull.length > 0 ? mail.BccFull.map(asAddress) : addressesIn(mail.Bcc),
    reply_to: addressesIn(mail.ReplyTo),
    delivered_to: deliveredTo(mail),
    subject: mail.Subject,
    date: mail.Date,
    headers: mail.Headers.map(({ Name, Value }) => ({ name: Name, value: Value })),
    text: mail.TextBody,
    html: mail.HtmlBody,
    attachments: mail.Attachments.map(({ Name, ContentType, Content }) => ({
      name: Name,
      contentType: ContentType,
      content: Buffer.from(Content, 'base64'),
    })),
  })
}

const asAddress = ({ Name, Email }: { Name: string; Email: string }): Address => ({
  name: Name,
  address: Email,
})

const addressesIn = (list: string): Address[] =>
  addressParser(list.slice(0, 16 << 10), { flatten: true }).flatMap(({ name, address }) =>
    address ? [{ name, address }] : [],
  )

/** Whose +tag is told apart from it where a rule of Postmark's has taken it off. */
function deliveredTo({ OriginalRecipient, MailboxHash }: InboundMail): string | undefined {
  const [local = '', domain = ''] = OriginalRecipient.trim().split('@')
  const isTagged = MailboxHash === '' || local.includes('+')
  const checked = checkAddress(
    isTagged ? OriginalRecipient.trim() : `${local}+${MailboxHash}@${domain}`,
  )
  return 'address' in checked ? checked.address : undefined
}
