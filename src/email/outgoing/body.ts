/** The body and subject of a mail: as they were asked for, as a person is shown them, and as they go out. */
import type { OutgoingMail, ProviderName } from '../../providers/provider.ts'
import { htmlToText } from '../visible-text/html-to-text.ts'
import { looksLikeHtml } from '../visible-text/visible-text.ts'

/** There is always a text, also beside a picture alone. */
export const bodyOf = (body: string): { text: string; html?: string } =>
  looksLikeHtml(body) ? { text: htmlToText(body) || ' ', html: body } : { text: body }

/** Gmail is given one body, from which the text beside an HTML one is made. */
export const takesOneBody = (provider: ProviderName): boolean =>
  provider === 'gmail' || provider === 'local'

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
