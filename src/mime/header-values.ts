/** Reads what mail puts into headers: encoded words (RFC 2047), parameters (RFC 2231), dates; broken ones too. */
import { textIn } from './charset.ts'

const wordStart = /=\?([^?\s*]{1,40})(?:\*[^?\s]{0,40})?\?([bq])\?/iy

interface Word {
  charset: string
  bytes: Buffer
  /** As it stood in the header. */
  raw: string
}

/**
 * @example decodedHeader('=?utf-8?Q?Gr=C3=BC=C3=9Fe?= an alle') // 'Grüße an alle'
 */
export const decodedHeader = (value: string): string => decoded(value, (text) => text)

/**
 * For a header of addresses: a decoded name that holds what means something there is quoted, so
 * that no name can pass for an address.
 */
export const decodedAddresses = (value: string): string =>
  decoded(value, (text, isQuoted) => {
    if (!/["(),:;<>@[\\\]]/.test(text)) return text
    const escaped = text.replace(/["\\]/g, '\\$&')
    return isQuoted ? escaped : `"${escaped}"`
  })

type Finish = (text: string, isQuoted: boolean) => string

function decoded(value: string, finish: Finish): string {
  const header = value.replace(/\r?\n(?=[ \t])/g, '').replace(/[\r\n]+/g, ' ')
  const pieces: string[] = [] // a text that grows would be copied whole at each look at its end
  let at = 0
  let words: Word[] = []
  const unknown = new Set<string>()
  const lastEnd = header.lastIndexOf('?=')
  const flush = () => {
    const isQuoted = pieces.at(-1)?.endsWith('"') ?? false
    if (words.length > 0) pieces.push(finish(textOf(words, unknown), isQuoted))
    words = []
  }
  while (at < header.length) {
    const start = header.indexOf('=?', at)
    const word = start < 0 || start > lastEnd ? undefined : wordAt(header, start)
    const plain = header.slice(at, word ? start : start < 0 ? header.length : start + 2)
    // White space between two words only separates them.
    if (plain !== '' && !(word && words.length > 0 && plain.trim() === '')) {
      flush()
      pieces.push(plain)
    }
    at = word ? start + word.raw.length : at + plain.length
    if (word) words.push(word)
  }
  flush()
  return pieces
    .join('')
    .replace(/\p{Cc}+/gu, ' ')
    .trim() // an encoded line end must not become a real one
}

function wordAt(header: string, start: number): Word | undefined {
  wordStart.lastIndex = start
  const [opening, charset, encoding] = wordStart.exec(header) ?? []
  if (opening === undefined || charset === undefined || encoding === undefined) return undefined
  const from = start + opening.length
  const end = header.indexOf('?=', from)
  if (end < 0) return undefined
  const body = header.slice(from, end)
  const bytes =
    encoding.toLowerCase() === 'b' ? Buffer.from(body, 'base64') : bytesOf(body.replace(/_/g, ' '))
  return { charset, bytes, raw: header.slice(start, end + 2) }
}

/** Neighbours in one character set are put together first: a character may be split over two. */
function textOf(words: Word[], unknown: Set<string>): string {
  let text = ''
  for (let first = 0; first < words.length; ) {
    const charset = words[first]?.charset.toLowerCase() ?? ''
    let end = first + 1
    while (words[end]?.charset.toLowerCase() === charset) end++
    const run = words.slice(first, end)
    // To ask for a character set that is unknown is slow, and a header may name thousands.
    const isHopeless = unknown.has(charset) || unknown.size > 10
    const bytes = Buffer.concat(run.map(({ bytes }) => bytes))
    const readable = isHopeless ? undefined : textIn(charset, bytes)
    if (readable === undefined) unknown.add(charset)
    text += readable ?? run.map(({ raw }) => raw).join(' ')
    first = end
  }
  return text
}

/** Of text with `=C3` or `%C3` in it. */
const bytesOf = (text: string, mark: '=' | '%' = '='): Buffer =>
  Buffer.concat(
    text
      .split(mark === '=' ? /(=[0-9a-f]{2})/i : /(%[0-9a-f]{2})/i)
      .map((piece, index) => (index % 2 ? Buffer.from(piece.slice(1), 'hex') : Buffer.from(piece))),
  )

/**
 * A parameter of a header such as Content-Type, whether plain, in encoded words, or in pieces.
 *
 * @example parameter("attachment; filename*=utf-8''%E2%82%AC.txt", 'filename') // '€.txt'
 */
export function parameter(header: string, name: string): string | undefined {
  const pieces: { order: number; isEncoded: boolean; value: string }[] = []
  const pattern = /;\s*([^\s=;*]+)(?:\*(\d{1,3}))?(\*)?\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/gs
  for (const [, key, order, star, quoted, bare] of header.matchAll(pattern)) {
    if (key?.toLowerCase() !== name) continue
    const value = quoted?.replace(/\\(.)/gs, '$1') ?? bare?.trim() ?? ''
    if (order === undefined && star === undefined)
      pieces.push({ order: -1, isEncoded: false, value })
    else pieces.push({ order: Number(order ?? 0), isEncoded: star !== undefined, value })
  }
  const extended = pieces.filter(({ order }) => order >= 0).sort((a, b) => a.order - b.order)
  const first = extended[0]
  if (!first) return pieces[0] && decodedHeader(pieces[0].value)
  const [, charset = 'utf-8', start = first.value] =
    (first.isEncoded ? /^([^']*)'[^']*'(.*)$/s.exec(first.value) : undefined) ?? []
  const values = [{ ...first, value: start }, ...extended.slice(1)]
  const bytes = values.map(({ isEncoded, value }) =>
    isEncoded ? bytesOf(value, '%') : Buffer.from(value),
  )
  return textIn(charset || 'utf-8', Buffer.concat(bytes))
}

const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
const inMail = new RegExp(
  `\\b(\\d{1,2})[ -](${months})[a-z]*[ -](\\d{4}|\\d{2}),? +(\\d{1,2}):(\\d{2})(?::(\\d{2}))?(?:\\.\\d+)?(?: *([+-]\\d\\d:?\\d\\d|[A-Z]{1,4})\\b)?`,
  'i',
)
const iso = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?$/i

/**
 * Unix milliseconds, or nothing where it is no date of our time. Read by its form, since the
 * engine's own parser makes a date of nearly anything.
 */
export function mailDate(text: string): number | undefined {
  const time = parsed(text.replace(/\s+/g, ' ').trim())
  return time >= 0 && time < Date.UTC(10_000, 0) ? time : undefined
}

function parsed(text: string): number {
  if (iso.test(text)) return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`)
  const found = inMail.exec(text)
  if (!found) return Number.NaN
  const [, day, month, year, hour, minute, second = '00', zone = '+0000'] = found
  const inZone = (name: string) =>
    Date.parse(`${day} ${month} ${year} ${hour}:${minute}:${second} ${name}`)
  const time = inZone(zone.replace(':', ''))
  return Number.isNaN(time) ? inZone('+0000') : time // a zone that nobody knows
}
