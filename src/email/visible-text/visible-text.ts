/** Which of its texts a mail shows to a person, as plain text without what is hidden. */
import { cleanText } from './clean-text.ts'
import { readHtml } from './html-to-text.ts'
import { looksLikeHtml } from './looks-like-html.ts'

interface Texts {
  text?: string | undefined
  html?: string | undefined
}

/** The text part, unless there is nothing to see in it. */
export function visibleText({ text = '', html = '' }: Texts): {
  text: string
  isComplete: boolean
} {
  const clean = isHtmlAlone(text) ? undefined : cleanText(text).trim()
  if (clean) return { text: clean, isComplete: true }
  const own = clean === undefined ? readHtml(text) : undefined
  return own?.text || html.trim() === '' ? (own ?? { text: '', isComplete: true }) : readHtml(html)
}

/** Some programs put their HTML where the text belongs. */
const isHtmlAlone = (text: string) =>
  /^\s*</.test(text) && />\s*$/.test(text.slice(-1000)) && looksLikeHtml(text)
