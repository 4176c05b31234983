/** Reads the bytes of a mail as text where nothing, or the wrong thing, says what they are. */
import { isUtf8 } from 'node:buffer'

/** What 0x80 to 0x9f are in windows-1252; five of them are nothing. */
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** Node 20 reads windows-1252 as ISO 8859-1, in which these bytes are control characters that no mail means. */
export const mendWindows1252 = (text: string): string =>
  text.replace(/[\u0080-\u009f]/g, (control) => windows1252.charAt(control.charCodeAt(0) - 0x80))

/** UTF-8, else windows-1252, as mail programs guess it. */
export const guessedText = (bytes: Buffer): string =>
  isUtf8(bytes) ? bytes.toString('utf8') : mendWindows1252(bytes.toString('latin1'))

/** The words of an HTML text, good enough to look for something in it: tags, styles and comments are left out. */
export function wordsOfHtml(html: string): string {
  const withoutHidden = html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/<(style|script|head|title)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
  return withoutHidden
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, entityText)
}

const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))

function entityText(_: string, decimal = '', hexadecimal = '', name = ''): string {
  if (name !== '') return entities.get(name.toLowerCase()) ?? ' '
  const code = decimal === '' ? Number.parseInt(hexadecimal, 16) : Number(decimal)
  return code > 0x10ffff ? ' ' : String.fromCodePoint(code)
}
