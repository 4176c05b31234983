/** Labels as flags of a mail: those of the system, and keywords for all others. */

/** Labels that are a flag and no folder; unread is a flag that is not there. */
const flags = new Map([
  ['STARRED', '\\Flagged'],
  ['IMPORTANT', '$Important'],
])

export const isFlagLabel = (label: string): boolean => label === 'UNREAD' || flags.has(label)

export const flagOf = (label: string): string => flags.get(label) ?? keywordOf(label)

/** More are refused by some servers. */
const mostLetters = 50

/** Whether a label can be a keyword there. */
export const canKeep = (permitted: ReadonlySet<string> | undefined, label: string): boolean =>
  (permitted?.has('\\*') ?? false) && keywordOf(label).length <= mostLetters

/**
 * A keyword is an atom of ASCII. What may not stand in one is written as + and two digits for each byte, and so is the
 * first letter of what servers and programs call their own.
 */
export function keywordOf(label: string): string {
  const text = Array.from(Buffer.from(label.normalize('NFC')), (byte) => {
    const letter = String.fromCharCode(byte)
    return /[A-Za-z0-9_.$/-]/.test(letter) ? letter : escaped(byte)
  }).join('')
  return /^\.|^$/.test(text) || isTechnical(text)
    ? `${escaped(text.charCodeAt(0))}${text.slice(1)}`
    : text
}

const escaped = (byte: number): string => `+${byte.toString(16).padStart(2, '0')}`

function labelIn(keyword: string): string {
  const bytes = keyword
    .split(/(\+[0-9a-f]{2})/i)
    .flatMap((part) =>
      /^\+[0-9a-f]{2}$/i.test(part) ? [Number.parseInt(part.slice(1), 16)] : [...Buffer.from(part)],
    )
  return Buffer.from(bytes).toString()
}

/** What programs set for themselves: nobody's labels. */
const isTechnical = (keyword: string): boolean =>
  /^[$\\]|^(?:(?:not|non)?junk|redirected|forwarded|mdnsent|old)$/i.test(keyword)

/** The keywords among some flags, by the labels that they stand for. */
export const keywordLabels = (present: Iterable<string>): Map<string, string> =>
  new Map(
    [...present]
      .filter((keyword) => !isTechnical(keyword))
      .map((keyword) => [labelIn(keyword), keyword]),
  )

/** The labels that the flags of a mail stand for. */
export function labelsOfFlags(present: ReadonlySet<string>): string[] {
  const has = (flag: string) => [...present].some((one) => one.toLowerCase() === flag.toLowerCase())
  const system = [...flags].filter(([, flag]) => has(flag)).map(([label]) => label)
  return [...(has('\\Seen') ? [] : ['UNREAD']), ...system, ...keywordLabels(present).keys()]
}
