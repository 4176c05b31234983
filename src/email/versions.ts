/** The versions of its text that a mail carries: one where they say the same, all that differ otherwise. */
import type { OtherText } from '../mime/mail.ts'
import type { IncomingMail } from '../providers/provider.ts'
import { type Agreement, compareTexts, isContained } from './alternatives.ts'
import type { Named } from './fence.ts'
import { cleanText } from './visible-text/clean-text.ts'
import { type HtmlReading, readHtml } from './visible-text/html-to-text.ts'
import { plainPart } from './visible-text/visible-text.ts'

type Texts = Pick<IncomingMail, 'text' | 'html' | 'others'>

/** The one that mail programs show comes first. */
export function versionsOf({ text = '', html = '', others = [] }: Texts): {
  versions: Named[]
  isComplete: boolean
} {
  const plain = plainPart(text)
  const rich = html.trim() === '' ? undefined : readHtml(html)
  const shown = rich ?? asReading(plain.text)
  const comparison = rich && plain.text !== '' ? compareTexts(plain.text, rich) : undefined
  const main = mainVersions(comparison, plain.text, rich)
  const known = [plain.text, shown.words, shown.text]
  const isOnly = main.every((version) => version.text === '')
  const further = others
    .map(otherVersion)
    .filter((other) => other.text !== '' && (isOnly || !isSaid(other, shown, known)))
  return {
    versions: isOnly && further.length > 0 ? further : [...main, ...further],
    isComplete: plain.isComplete && (rich?.isComplete ?? true),
  }
}

function mainVersions(
  comparison: Agreement | undefined,
  plain: string,
  rich: HtmlReading | undefined,
): Named[] {
  const asText = { type: 'text/plain', text: plain }
  if (!rich || comparison === 'same') return [asText]
  const asHtml = { type: 'text/html', text: rich.text }
  return comparison === 'different' ? [asHtml, asText] : [asHtml]
}

const asReading = (words: string): HtmlReading => ({
  text: words,
  words,
  isComplete: true,
  alts: [],
  addresses: [],
  numbers: new Set(),
  preheader: '',
})

interface OtherVersion extends Named {
  words: string
}

function otherVersion({ type, content }: OtherText): OtherVersion {
  if (type === 'text/calendar') {
    const text = calendarText(content)
    return { type, text, words: text }
  }
  if (/html/.test(type)) {
    const { text, words } = readHtml(withoutBoilerplate(content))
    return { type, text, words }
  }
  const text = cleanText(content.replace(/<\/?[a-z-]{1,60}>/gi, '').replaceAll('<<', '<')).trim()
  return { type, text, words: text }
}

function isSaid(other: OtherVersion, shown: HtmlReading, known: string[]): boolean {
  if (other.type === 'text/calendar') return isContained(other.text, known)
  return compareTexts(other.words, shown) === 'same'
}

/** AMP hides its page until a script has run, which runs where such a mail is shown. */
const withoutBoilerplate = (html: string) =>
  html.replace(/<style\s[^>]*\bamp4?(?:email)?-boilerplate\b[^>]*>[^<]*<\/style>/gi, '')

/** What a program shows of an invitation. */
const calendarText = (content: string) =>
  cleanText(
    [
      ...content
        .replace(/\r?\n[ \t]/g, '')
        .matchAll(/^(?:SUMMARY|LOCATION|DESCRIPTION)[^:\n]*:(.*)$/gim),
    ]
      .map(([, value = '']) => value.replace(/\\n/gi, '\n').replace(/\\(.)/g, '$1'))
      .join('\n'),
  ).trim()
