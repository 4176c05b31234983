/** Takes secrets out of texts, and makes one from outside fit to be passed on: nothing invisible in it, one short line. */

export const mask = '********'
const maxCharacters = 500
/** What is looked through; much more than is told, since masks are short. */
const maxRead = 8000

/** A shorter one would mask half of any text, and protects nothing. */
const minSecretCharacters = 4
const minKeyCharacters = 8
const minEncodedCharacters = 8

/** What is known to be a secret by its looks; a group that matches is kept. */
const looksSecret: RegExp[] = [
  /(\/\/[^\s:@/]*:)\S*(?=@)/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b((?:bearer|basic)\s+)(?=[\w.~+/=-]*\d|[\w.~+/=-]{16})[\w.~+/=-]{6,}/gi,
  /((?:passw(?:or)?d|passphrase|secret|token|api[_-]?key)[\w-]{0,40}["'\\]*\s*=\s*["'\\]*)[^\s"'\\&,;]+/gi,
  /((?:passw(?:or)?d|passphrase|secret|token|api[_-]?key)[\w-]{0,40}["'\\]*\s*:\s*["'\\]*)(?=[^\s"'\\,;]*\d)[^\s"'\\,;]{6,}/gi,
  /(\bcookie["'\\]*\s*:\s*["'\\]*)[^\s"'\\<>;=]+=[^\s"'\\<>;]*(?:;\s*[^\s"'\\<>;]+)*/gi,
  /\b[sr]k[-_][\w-]{8,}/g,
  /\bya29\.[\w.-]+/g,
  /\b1\/\/[\w-]{20,}/g,
  /\bGOCSPX-[\w-]+/g,
  /\bAIza[\w-]{20,}/g,
  /\beyJ[\w-]{6,}(?:\.[\w-]*){0,2}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /\b(?:gh[a-z]_|github_pat_|glpat-|npm_)[\w-]{16,}/g,
  /\bxox[a-z]-[\w-]{8,}/g,
  /\bSG\.[\w.-]{16,}/g,
]

/** Remembers secrets, so that they can be taken out of any text. */
export class Secrets {
  readonly #known = new Set<string>()

  add(...secrets: (string | undefined)[]): void {
    for (const secret of secrets) {
      // What is shorter is no secret, and would take whole words with it.
      if (secret !== undefined && secret.length >= 6) {
        this.#known.add(secret)
        this.#known.add(encodeURIComponent(secret))
      }
    }
  }

  redact(text: string): string {
    const longestFirst = [...this.#known].sort((a, b) => b.length - a.length)
    return longestFirst.reduce((cleaned, secret) => cleaned.replaceAll(secret, mask), text)
  }
}

/**
 * The text with these secrets masked, in any case and encoding, and whatever else looks like one.
 *
 * @example redacted('Bad token 1234-abcd\n', ['1234-ABCD']) // 'Bad token ********'
 */
export function redacted(text: string, secrets: string[]): string {
  // What is invisible goes first: it could stand in the midst of a secret.
  let clean = text
    .replace(/[\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  // Half a secret would not be known as one, so the cut is between words.
  if (clean.length > maxRead) clean = clean.slice(0, Math.max(0, clean.lastIndexOf(' ', maxRead)))
  for (const spelling of secrets.flatMap(spellings).sort((a, b) => b.length - a.length)) {
    clean = clean.replaceAll(literally(spelling), mask)
  }
  clean = withoutSecretLooks(clean)
  if (secrets.some((secret) => isDisguised(secret, clean))) return withheld
  const characters = Array.from(clean)
  if (characters.length <= maxCharacters) return clean
  return `${characters.slice(0, maxCharacters - 1).join('')}…`
}

/** With nothing changed but what looks like a secret. */
export const withoutSecretLooks = (text: string): string =>
  looksSecret.reduce(
    (clean, pattern) =>
      clean.replace(pattern, (_, kept) => (typeof kept === 'string' ? kept : '') + mask),
    text,
  )

const withheld = '(these words of the service held a secret, so they are not shown)'

/** So much of a secret in a row is no chance. */
const telling = 12

/** Whether a good part of it is still there: spaced, wrapped, cut, escaped, or in letters that only look alike. */
function isDisguised(secret: string, text: string): boolean {
  const wanted = squeezed(secret)
  const there = squeezed(unescaped(text))
  for (let start = 0; start + telling <= wanted.length; start++) {
    if (there.includes(wanted.slice(start, start + telling))) return true
  }
  return false
}

const squeezed = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

const unescaped = (text: string): string =>
  text.replace(
    /%([0-9a-f]{2})|&#x([0-9a-f]{1,5});|&#(\d{1,6});|\\u([0-9a-f]{4})/gi,
    (_, ...codes) => {
      const [percent, hexadecimal, decimal, unicode] = codes.map((code) => code ?? '')
      const hex = `${percent}${hexadecimal}${unicode}`
      const code = hex === '' ? Number(decimal) : Number.parseInt(hex, 16)
      return code > 0x10ffff ? '' : String.fromCodePoint(code)
    },
  )

/** As it is, and as a service may repeat it: URL-encoded, in hexadecimal, in base64, without its dashes. */
function spellings(secret: string): string[] {
  const plain = secret.trim()
  if (plain.length < minSecretCharacters) return []
  const bytes = Buffer.from(plain)
  const encoded = [
    encodeURIComponent(plain.toWellFormed()),
    bytes.toString('hex'),
    plain.replaceAll('-', ''),
    ...inBase64(bytes),
  ].filter((spelling) => spelling.length >= minEncodedCharacters)
  return [...new Set([plain, ...encoded])]
}

/** Wherever it begins within a longer text: only the letters that depend on nothing but the secret. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes])
    const range = [Math.ceil((shift * 8) / 6), Math.floor((shifted.length * 8) / 6)] as const
    return [
      shifted.toString('base64').slice(...range),
      shifted.toString('base64url').slice(...range),
    ]
  })
}

const literally = (text: string) => new RegExp(text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'gi')

/** A key that servers on one's own machine are content with, such as `ollama` or `none`, is a word like any other. */
export const isSecret = (key: string): boolean => key.trim().length >= minKeyCharacters
