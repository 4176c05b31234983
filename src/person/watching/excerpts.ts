/** The beginning of a text, for a list: on one line, and not in the middle of a character. */

const shownLetters = 200
/** Of a text that may be long, no more is looked at. */
const lookedAt = 2000

export const excerptOf = (text: string, letters = shownLetters): string =>
  [
    ...text
      .slice(0, lookedAt)
      .replaceAll(/\s*[\r\n\u2028\u2029]+\s*/g, ' ')
      .trim(),
  ]
    .slice(0, letters)
    .join('')
