/** Text that goes into a header: what would end the line, or hide from a reader, never gets in. */
import { AgentMailError } from '../errors.ts'

const controls = /[\p{Cc}\u2028\u2029]/u

/** Joiners that a script or an emoji needs, the form of an emoji, the variant of a Han character. */
const needed = new RegExp(
  [
    String.raw`(?<=[\p{L}\p{M}\p{Emoji}])(?<![\p{ASCII}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\u200c\u200d](?=[\p{L}\p{Emoji}])(?!\p{ASCII})`,
    String.raw`(?<=\p{Emoji})[\ufe0e\ufe0f]`,
    String.raw`(?<=\p{Script=Han})[\u{e0100}-\u{e01ef}]`,
  ].join('|'),
  'gu',
)
const hidden =
  /[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cs}\u2800\ufff9-\ufffb]/u

const longest = 2000

/** Gives the text back, for a header that says it as it is. */
export function checkHeaderText(field: string, text: string): string {
  refuseControls(field, text)
  if (text.length > longest) {
    throw refusal(`${field} is longer than ${longest} characters`)
  }
  if (!text.isWellFormed()) throw refusal(`${field} has half a character in it`)
  return text
}

export function refuseControls(field: string, text: string): void {
  if (hasControls(text)) throw refusal(noControls(field))
}

export const hasControls = (text: string): boolean => controls.test(text)
export const noControls = (field: string): string =>
  `${field} must not contain line breaks or control characters`

/** Whether a reader does not see a character of it, or sees it elsewhere than it stands. */
export const hasHidden = (text: string): boolean => hidden.test(text.replace(needed, ''))

/** What a mail program would decode: `=?utf-8?Q?…?=`. */
export const hasEncodedWord = (text: string): boolean => /=\?[^?\s]+\?/.test(text)

/** As an error shows it: short, and with nothing in it that could not be seen. */
export function inSight(text: string): string {
  const visible = text
    .slice(0, 60)
    .replace(new RegExp(`${hidden.source}|${controls.source}`, 'gu'), codePoint)
  return `"${visible}${text.length > 60 ? '…' : ''}"`
}

const codePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

const refusal = (message: string) => new AgentMailError('invalid_request', message)
