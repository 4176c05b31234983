/** The body of a mail as an agent gives it: plain text, or HTML that goes out with a text beside it. */
import { htmlToText } from '../visible-text/html-to-text.ts'
import { looksLikeHtml } from '../visible-text/visible-text.ts'

/** There is always a text, also beside a picture alone. */
export const bodyOf = (body: string): { text: string; html?: string } =>
  looksLikeHtml(body) ? { text: htmlToText(body) || ' ', html: body } : { text: body }
