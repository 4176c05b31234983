/** Characters in a name that nobody sees, or that end a line: with them, one note can pass for another. */

const hidden = String.raw`[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cc}\p{Cs}\u2028\u2029\u2800\ufff9-\ufffb]`

/** Pictures may be joined, and each may say whether it is one or a sign. */
const picture = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?[\ufe0e\ufe0f]?`
/** The black flag with the letters of England, Scotland or Wales. */
const flag = String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`

const inWordOf = (scripts: string[]): string => {
  const letter = `(?:${scripts.map((script) => `\\p{Script_Extensions=${script}}`).join('|')})`
  return String.raw`(?<=[\p{L}\p{M}])(?<=${letter})[\u200c\u200d](?=[\p{L}\p{M}])(?=${letter})`
}

const indic = [
  ...['Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada'],
  ...['Malayalam', 'Sinhala', 'Myanmar', 'Khmer', 'Meetei_Mayek', 'Ol_Chiki', 'Newa', 'Tirhuta'],
  ...['Grantha', 'Kaithi', 'Saurashtra', 'Balinese', 'Javanese', 'Tibetan', 'Limbu', 'Lepcha'],
]
/** After the sign that takes a consonant's vowel away, a joiner may end the word. */
const virama =
  '[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u103a\u17d2\u1b44\ua8c4\ua9c0\uaaf6\u{110b9}\u{1134d}\u{11442}\u{114c2}]'

/** Joiners and variation selectors may stand where emoji, Arabic and Indic words need them. */
const needed = [
  flag,
  String.raw`${picture}(?:\u200d${picture})*`,
  String.raw`[0-9#*]\ufe0f\u20e3`,
  inWordOf(['Arabic']),
  inWordOf(indic),
  String.raw`(?<=${virama})[\u200c\u200d]`,
  String.raw`(?<=\p{Script=Myanmar})\ufe00`,
]
const neededOrHidden = new RegExp(`(${needed.join('|')})|${hidden}`, 'gu')

/** The first of them, as U+200B; nothing where all that a name has can be seen. */
export function hiddenInName(name: string): string | undefined {
  if (/^[ -~]*$/.test(name)) return undefined // as most names, of which a vault may have many
  for (const [found, isNeeded] of name.matchAll(neededOrHidden)) {
    if (!isNeeded) return codePoint(found)
  }
  return undefined
}

/** A path as an error tells it. */
export const pathInSight = (path: string): string =>
  path.replace(neededOrHidden, (found, isNeeded?: string) => isNeeded ?? codePoint(found))

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
