/** A mail in Postmark's words: the one place where our names become its names. */
import { addressList } from '../../mime/address.ts'
import { replyHeaders } from '../../mime/thread.ts'
import type { OutgoingMail } from '../provider.ts'

/** Under which Postmark keeps the key of a mail. */
export const keyName = 'agentmail-key'

export interface PostmarkRequest {
  path: '/email' | '/email/withTemplate'
  body: Record<string, unknown>
}

/** Only what was asked for; but a stream and tracking are always named, since Postmark's own settings would decide them. */
export function formatted(
  mail: OutgoingMail,
  defaults: { from: string; stream: string },
): PostmarkRequest {
  const { template, ...options } = mail.postmark ?? {}
  return {
    path: template ? '/email/withTemplate' : '/email',
    body: present({
      From: mail.from ? addressList([mail.from]) : defaults.from,
      To: addressList(mail.to),
      Cc: addressList(mail.cc),
      Bcc: addressList(mail.bcc),
      ReplyTo: addressList(mail.reply_to),
      ...(template
        ? {
            ...('id' in template ? { TemplateId: template.id } : { TemplateAlias: template.alias }),
            TemplateModel: options.template_model ?? {},
          }
        : { Subject: mail.subject, TextBody: mail.text, HtmlBody: mail.html }),
      TrackOpens: options.track_opens ?? false,
      TrackLinks: options.track_links,
      Tag: options.tag,
      Metadata: metadata(mail),
      Headers: threadHeaders(mail),
      Attachments: attachments(mail),
      MessageStream: options.message_stream ?? defaults.stream,
    }),
  }
}

/** What is empty was not asked for. */
const present = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  )

function metadata({ key, postmark }: OutgoingMail): Record<string, string> | undefined {
  if (key === undefined) return postmark?.metadata
  return { ...postmark?.metadata, [keyName]: key }
}

/** A reply alone has any. */
function threadHeaders({ original }: OutgoingMail): object[] | undefined {
  const thread = replyHeaders(original)
  if (!thread) return undefined
  return [
    { Name: 'In-Reply-To', Value: thread.inReplyTo },
    { Name: 'References', Value: thread.references.join(' ') },
  ]
}

function attachments(mail: OutgoingMail): object[] | undefined {
  if (mail.attachments.length === 0) return undefined
  return mail.attachments.map(({ name, content, contentType }) => ({
    Name: name,
    Content: content.toString('base64'),
    ContentType: contentType,
  }))
}
