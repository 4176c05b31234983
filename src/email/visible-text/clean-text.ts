/** Makes a text from outside safe to show: without what a person cannot see (format characters, controls, half characters). */

const newlines = /\r\n?|[\u0085\u2028\u2029\v\f]/g

/** A picture may be joined with others by U+200D and followed by U+FE0F; a keycap holds U+FE0F too. */
const picture = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\ufe0f?'
const emoji = `${picture}(?:\\u200d${picture})*|[0-9#*]\\ufe0f\\u20e3`

const unseen =
  '[\\p{Cf}\\p{Default_Ignorable_Code_Point}\\p{Cs}\\p{Noncharacter_Code_Point}\\0-\\x08\\x0e-\\x1f\\x7f-\\x9f]'

const emojiOrUnseen = new RegExp(`(${emoji})|${unseen}+`, 'gu')

/** Several lines: newlines of every kind become \n, and no more than two blank lines follow each other. */
export function cleanText(text: string): string {
  const lines: string[] = []
  let blank = 0
  for (const line of withoutUnseen(text.replace(newlines, '\n')).split('\n')) {
    const trimmed = line.trimEnd()
    blank = trimmed === '' ? blank + 1 : 0
    if (blank <= 2) lines.push(trimmed)
  }
  return lines.join('\n')
}

/** One line, for subjects, senders, snippets and names of files. */
export const cleanLine = (text: string): string =>
  withoutUnseen(text.replace(newlines, '\n')).replace(/\s+/g, ' ').trim()

export const withoutUnseen = (text: string): string =>
  text.replace(emojiOrUnseen, (_, kept: string | undefined) => kept ?? '')

/** With each of them as its number, for whoever is to see all that is there. @example markedUnseen('a\u200bb') // 'a<U+200B>b' */
export const markedUnseen = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .replace(emojiOrUnseen, (found, kept: string | undefined) => kept ?? numbersOf(found))
    .replace(/[\r\v\f\u2028\u2029\u2800]/g, numbersOf)

const numbersOf = (characters: string): string =>
  [...characters]
    .map((one) => `<U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`)
    .join('')

/** At most `limit` UTF-16 units of it, without half a character at the end. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text
  const window = 64
  const from = Math.max(0, limit - window)
  const around = text.slice(from, limit + window)
  const start = new Intl.Segmenter().segment(around).containing(limit - from)?.index
  const cut = from + (start || limit - from)
  return text.slice(0, isHalf(text, cut) ? cut - 1 : cut)
}

const isHalf = (text: string, at: number) =>
  /^[\udc00-\udfff]/.test(text.charAt(at)) && /^[\ud800-\udbff]/.test(text.charAt(at - 1))
