/** Bytes to text in whatever character set they came. */
import { mendWindows1252 } from './mail-text.ts'

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
