/** What others have written and nobody would see: controls, and what turns round or hides what is read. */

/** Controls but for line breaks and tabs, and all that programs show as nothing. */
const unseen = /(?![\n\r\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Joiners and variations belong to emoji and to some scripts. */
const joining = ['\u200c', '\u200d', '\ufe0e', '\ufe0f']

/** Whether what stands before it is such a letter or picture. */
const isJoined = (found: string, before: string): boolean =>
  joining.includes(found) && /[^\p{Script=Latin}\p{Cc}\s]$/u.test(before)

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** A text in parts: as it is, and the code of what nobody would see. */
export function partsOf(text: string): { text: string; isCode: boolean }[] {
  const parts: { text: string; isCode: boolean }[] = []
  let from = 0
  for (const { index, 0: found } of text.matchAll(unseen)) {
    if (isJoined(found, text.slice(Math.max(0, index - 2), index))) continue
    parts.push(
      { text: text.slice(from, index), isCode: false },
      { text: codeOf(found), isCode: true },
    )
    from = index + found.length
  }
  return [...parts, { text: text.slice(from), isCode: false }]
}

/** For where nothing but text can stand: choices, labels, titles, notices. */
export const plain = (text: string): string =>
  partsOf(text)
    .map((part) => (part.isCode ? `⟨${part.text}⟩` : part.text))
    .join('')
