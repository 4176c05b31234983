/** Values written as YAML the way people write it in notes, or as JSON where that could be misread. */

/** `head` goes behind a key or a dash; `lines` follow it, to be indented below it. */
export interface Rendered {
  head: string
  lines: string[]
}

/** block: lists and maps a line each; flow: in brackets; json: in brackets, and every string in quotes. */
export type Style = 'block' | 'flow' | 'json'

const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/
const everyUnprintable = new RegExp(unprintable, 'g')

/** Words and numbers of YAML 1.2, and those that older readers of YAML 1.1 would take for more than text. */
const otherThanText = [
  /^(?:~|null|true|false|yes|no|on|off|=|<<)$/i,
  /^[-+]?(?:0x[\da-f_]+|0b[01_]+|0o[0-7]+|[\d_]*\.?[\d_]*(?:e[-+]?\d+)?|\.inf)$/i,
  /^\.nan$/i,
  /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.\d*)?$/,
]

export function renderValue(value: unknown, style: Style): Rendered {
  if (style !== 'block') return { head: inBrackets(value, style), lines: [] }
  if (typeof value === 'string') return literal(value) ?? { head: text(value, style), lines: [] }
  if (Array.isArray(value) && value.length > 0)
    return { head: '', lines: value.flatMap(renderItem) }
  const entries = entriesOf(value)
  if (entries.length > 0) {
    return { head: '', lines: entries.flatMap(([key, one]) => renderPair(key, one, style)) }
  }
  return { head: value === null ? '' : inBrackets(value, style), lines: [] }
}

export function renderPair(key: string, value: unknown, style: Style): string[] {
  const { head, lines } = renderValue(value, style)
  return [`${renderKey(key, style)}:${head && ` ${head}`}`, ...indented(lines)]
}

export const renderKey = (key: string, style: Style): string => text(key, style)

/** Empty lines stay empty: an editor would strip their blanks anyway. */
export const indented = (lines: string[], by = '  '): string[] =>
  lines.map((line) => line && by + line)

export function renderItem(value: unknown): string[] {
  if (value === null) return ['- null']
  const { head, lines } = renderValue(value, 'block')
  if (head) return [`- ${head}`, ...indented(lines)]
  return [`- ${lines[0]}`, ...indented(lines.slice(1))]
}

function inBrackets(value: unknown, style: Style): string {
  if (typeof value === 'string') return text(value, style)
  if (typeof value === 'number') return number(value)
  if (Array.isArray(value)) return `[${value.map((one) => inBrackets(one, style)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const pairs = entriesOf(value).map(
    ([key, one]) => `${text(key, style)}: ${inBrackets(one, style)}`,
  )
  return `{${pairs.join(', ')}}`
}

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []

/** As digits alone, a whole number that is rounded would be read as text. */
const number = (value: number): string =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value)

const text = (value: string, style: Style): string =>
  style !== 'json' && isPlain(value, style) ? value : quoted(value)

/** JSON's escapes are YAML's too; what JSON leaves raw and YAML forbids is escaped as well. */
const quoted = (value: string): string =>
  JSON.stringify(value).replace(
    everyUnprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

function isPlain(value: string, style: Style): boolean {
  const isMisread =
    /^[\s\-?:,[\]{}#&*!|>'"%@`]|^\.\.\.|[\n\t]|: | #|[:\s]$/.test(value) ||
    (style === 'flow' && /[,[\]{}]/.test(value)) ||
    unprintable.test(value) ||
    otherThanText.some((pattern) => pattern.test(value))
  return value !== '' && !isMisread && value.isWellFormed()
}

/** Text of several lines as a literal block, where none of it could be taken for indentation. */
function literal(value: string): Rendered | undefined {
  const isFit =
    value.includes('\n') &&
    !/^[ \t\n]|\n[ \t]+(?:\n|$)|\n\n$/.test(value) &&
    !unprintable.test(value) &&
    value.isWellFormed()
  if (!isFit) return undefined
  const isEnded = value.endsWith('\n')
  const lines = (isEnded ? value.slice(0, -1) : value).split('\n')
  return { head: isEnded ? '|' : '|-', lines }
}
