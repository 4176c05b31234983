/** Writes a mail as RFC 5322: folded and encoded headers, text in UTF-8, attachments. */
import MailComposer from 'nodemailer/lib/mail-composer'
import { systemClock } from '../../clock.ts'
import { uuid } from '../../random.ts'
import type { Address, OutgoingMail } from './provider.ts'

/** In which a service keeps the key of a mail, so that it can be found again. */
export const keyHeader = 'X-AgentMail-Key'

interface ComposeOptions {
  /** For a service that reads the recipients from the headers, and for the sender's own copy. */
  keepBcc?: boolean
}

export interface ComposedMail {
  message_id: string
  raw: Buffer
}

export async function compose(
  mail: OutgoingMail,
  options: ComposeOptions = {},
): Promise<ComposedMail> {
  const domain = mail.from?.address.split('@').at(-1) ?? 'agentmail.invalid'
  const message_id = `<${uuid()}@${domain}>`
  const { original } = mail
  const references = original ? [...original.references, original.message_id] : []
  const composer = new MailComposer({
    ...(mail.from && { from: parts(mail.from) }),
    to: mail.to.map(parts),
    cc: mail.cc.map(parts),
    bcc: mail.bcc.map(parts),
    replyTo: mail.reply_to.map(parts),
    subject: mail.subject,
    ...(mail.text !== undefined && { text: mail.text }),
    ...(mail.html !== undefined && { html: mail.html }),
    attachments: mail.attachments.map(({ name, content, contentType }) => ({
      filename: name,
      content,
      contentType,
    })),
    messageId: message_id,
    date: new Date(systemClock.now()),
    ...(original?.message_id && {
      inReplyTo: original.message_id,
      references: [...new Set(references)],
    }),
    headers: mail.key === undefined ? {} : { [keyHeader]: mail.key },
    textEncoding: 'quoted-printable', // flowed text would come out of some readers changed
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const message = composer.compile()
  message.keepBcc = options.keepBcc ?? false
  return { message_id, raw: await message.build() }
}

const parts = ({ name, address }: Address) => ({ name, address })
