/** The body as it was asked for, which is what a person is shown of a mail. */
import type { OutgoingMail, ProviderName } from '../../providers/provider.ts'

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
