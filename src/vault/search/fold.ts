/** Makes texts comparable: case, accents and Unicode composition are folded away, and words are told apart in every script. */

/** Accents, Hebrew points and Arabic vowel signs, and what is not seen at all. */
const marks =
  /[\u0300-\u036f]|[\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]|[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]|[\u00ad\u200b\u2060\ufeff]/g
/** Letters that Unicode does not take apart, and the quotes that editors put for typed ones. */
const letters = new Map(
  [...`ςσøołlđdħh’'‘'ʼ'“"”"`.matchAll(/(.)(.)/g)].map(([, from, to]) => [from, to]),
)
for (const [from, to] of Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe' })) letters.set(from, to)
const undivided = /[ςøłđħßæœ’‘ʼ“”]/g

/** No letter of ASCII joins with one outside it once accents are gone, so each run can be folded alone. */
const outsideAscii = /[\u0080-\uffff]+/g

/** @example fold('Ångström') // 'angstrom' */
export const fold = (text: string): string => text.replace(outsideAscii, foldRun).toLowerCase()

const foldRun = remembered((run) =>
  run
    .normalize('NFKD')
    .replace(marks, '')
    .toUpperCase() // ß and ı have no other form in common with their capitals
    .toLowerCase()
    .replace(undivided, (letter) => letters.get(letter) ?? letter)
    .normalize('NFC'),
)

/** Where in a text the position of its folded form is. */
export function unfoldedPosition(text: string, position: number): number {
  let done = 0 // in the text
  let folded = 0
  for (const { index, 0: run } of text.matchAll(outsideAscii)) {
    const plain = index - done
    if (folded + plain >= position) break
    folded += plain
    const length = foldRun(run).length
    if (folded + length > position) return index + positionInRun(run, position - folded)
    folded += length
    done = index + run.length
  }
  return Math.min(done + position - folded, text.length)
}

/** The start of the character whose folded form holds the position. */
function positionInRun(run: string, position: number): number {
  let [low, high] = [0, run.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (foldRun(run.slice(0, middle)).length <= position) low = middle
    else high = middle
  }
  return low
}

/** What words are made of, as a class of a regular expression with the flag v. */
const inWords = '[\\p{L}\\p{N}\\p{M}\\p{Co}]'
const scripts = ['Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Laoo', 'Khmr', 'Mymr']
/** Of them, those of scripts that are written without blanks between words. */
const inUnspaced = `[${inWords}&&[${scripts.map((script) => `\\p{scx=${script}}`).join('')}]]`
/** The other ones. */
export const inSpaced = `[${inWords}--${inUnspaced}]`
export const betweenWords = `[^${inWords}]`

const notWord = new RegExp(betweenWords, 'gv')
const unspaced = new RegExp(inUnspaced, 'gv')

const setApart = remembered((run) => run.replace(notWord, ' ').replace(unspaced, ' $& '))

/**
 * A folded text in which words are runs of ASCII letters and digits and of all that is outside
 * ASCII; of scripts without blanks, each character is one.
 *
 * @example spaced('c++ 東京') // 'c++  東  京 '
 */
export const spaced = (folded: string): string => folded.replace(outsideAscii, setApart)

/** @example tokensOf(spaced('foo-bar 東京')) // ['foo', 'bar', '東', '京'] */
export const tokensOf = (text: string): string[] => text.match(/[a-z0-9\u0080-\uffff]+/g) ?? []

/** Most runs are single letters with an accent, or quotation marks. */
function remembered(change: (run: string) => string): (run: string) => string {
  const known = new Map<string, string>()
  return (run) => {
    if (run.length > 2) return change(run)
    let changed = known.get(run)
    if (changed === undefined) {
      changed = change(run)
      if (known.size < 5000) known.set(run, changed)
    }
    return changed
  }
}
