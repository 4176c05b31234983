/** Small things that are done with texts: parse JSON that anybody may have written, hash, make a file name. */

/** The value, or nothing where the text is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What steers a terminal, or turns round what is read; line breaks and tabs do no harm. */
export const steering = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu

/** What would make a second line of a name where it is shown, or steer the terminal: no registered agent is called so. */
export const unnameable = /[\p{Cc}\u2028\u2029]/u

/** What nobody sees and a model reads all the same; but for what joins letters, or the parts of an emoji. */
export const unseen =
  /(?<![\p{L}\p{M}\p{Emoji_Modifier}\p{Extended_Pictographic}])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{Extended_Pictographic}])|(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** In hex. */
export const sha256 = (value: string | Buffer): string =>
  // Loaded here, not at the top: it takes 4 ms, and most commands never need it.
  process.getBuiltinModule('node:crypto').createHash('sha256').update(value).digest('hex')

/** Letters that are not made of another one and a mark. */
const spelled: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  œ: 'oe',
  þ: 'th',
}

/** A file name that tells what it is about. @example slug('Re: Olé, more!') // 're-ole-more' */
export function slug(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæøđłœþ]/g, (letter) => spelled[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50)
    .replace(/-+$/, '')
  return plain === '' ? 'mail' : plain
}

/** A table for words from outside: a plain object knows `constructor`, too. */
export const lookup = <T>(entries: Record<string, T>): Record<string, T> =>
  Object.assign(Object.create(null), entries)

/**
 * For lines that a person pastes into a shell.
 *
 * @example shellWord("my vault") // "'my vault'"
 */
export const shellWord = (text: string): string =>
  /^[\w./~@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
