/** Bytes to text in whatever character set they came, also where nothing, or the wrong thing, says which. */
import { isUtf8 } from 'node:buffer'

/** What 0x80 to 0x9f are in windows-1252; five of them are nothing. */
const highWindows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** Node 20 reads windows-1252 as ISO 8859-1, in which these bytes are control characters that no mail means. */
export const mendWindows1252 = (text: string): string =>
  text.replace(/[\u0080-\u009f]/g, (control) =>
    highWindows1252.charAt(control.charCodeAt(0) - 0x80),
  )

/** UTF-8, else windows-1252, as mail programs guess it. */
export const guessedText = (bytes: Buffer): string =>
  isUtf8(bytes) ? bytes.toString('utf8') : windows1252(bytes)

const windows1252 = (bytes: Uint8Array): string =>
  mendWindows1252(Buffer.from(bytes).toString('latin1'))

/** In these, bytes below 0x80 are not always ASCII, so that they look like UTF-8 and are not. */
const isShifted = (charset: string, bytes: Uint8Array): boolean =>
  (/^(csiso2022|iso-2022|hz-gb)/i.test(charset) &&
    (bytes.includes(0x1b) || bytes.includes(0x7e))) ||
  (/^utf-16/i.test(charset) && bytes.includes(0))

/** Nothing where nobody knows the character set. */
export function textIn(charset: string, bytes: Uint8Array): string | undefined {
  try {
    const decoder = new TextDecoder(charset.trim())
    // The names of Latin-1 and ASCII mean windows-1252 everywhere on the web, and in mail.
    return decoder.encoding === 'windows-1252' ? windows1252(bytes) : decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * The text of a body. UTF-8 first, whatever is declared: Google turns bodies into UTF-8 and leaves
 * the old name in the header, and other text is hardly ever valid UTF-8 by chance.
 */
export function bodyText(bytes: Uint8Array, charset: string | undefined): string {
  if (charset === undefined || !isShifted(charset, bytes)) {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch {
      // Then it is what it says that it is.
    }
  }
  // Declared as UTF-8 and broken: what is whole of it stays readable.
  const declared = charset === undefined ? undefined : textIn(charset, bytes)
  return declared ?? windows1252(bytes)
}
