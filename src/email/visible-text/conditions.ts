/** Says whether @media and @supports hold for the screen of a person who reads mail by day. */
import { lookup } from '../../system/text.ts'
import { split, tokenize } from './css-tokens.ts'
import { pixels } from './length.ts'
import { isSupported } from './properties.ts'
import { parseSelectors } from './selector.ts'
import { Work } from './work.ts'

/** Nothing where it cannot be told. */
type Verdict = boolean | undefined

const screen = lookup<number>({
  width: 800,
  height: 600,
  'device-width': 800,
  'device-height': 600,
  'inline-size': 800,
  'block-size': 600,
  color: 8,
  'color-index': 0,
  monochrome: 0,
  grid: 0,
  'aspect-ratio': 4 / 3,
  'device-aspect-ratio': 4 / 3,
  'device-pixel-ratio': 1,
  resolution: 1,
})

const facts = lookup<string>({
  'prefers-color-scheme': 'light',
  'prefers-reduced-motion': 'no-preference',
  'prefers-reduced-transparency': 'no-preference',
  'prefers-contrast': 'no-preference',
  'forced-colors': 'none',
  orientation: 'landscape',
  hover: 'hover',
  'any-hover': 'hover',
  pointer: 'fine',
  'any-pointer': 'fine',
  scripting: 'none',
  update: 'fast',
  'display-mode': 'browser',
  'color-gamut': 'srgb',
  'dynamic-range': 'standard',
  'video-dynamic-range': 'standard',
  'overflow-block': 'scroll',
  'overflow-inline': 'scroll',
})

export const appliesToScreen = (media: string, work: Work): boolean =>
  isShort(media, work) && (media === '' || split(media, ',').some(holds))

/** Taken to be as wide as the screen. */
export const appliesToContainer = (condition: string, work: Work): boolean =>
  isShort(condition, work) && judge(condition.replace(/^(?!not )[\w-]+ /, ''), feature) === true

export const isSupportedHere = (condition: string, work: Work): boolean =>
  isShort(condition, work) && judge(condition, support) === true

/** Nobody writes a longer one who does not want to be misread. */
function isShort(condition: string, work: Work): boolean {
  if (condition.length > 2000) work.spend(Number.POSITIVE_INFINITY)
  return condition.length <= 2000
}

function holds(query: string): boolean {
  const [, mark, type, rest = '(color)'] =
    /^(?:(not|only) )?(?!not\b)([a-z-]+)(?: and (.*))?$/.exec(query) ?? []
  if (type === undefined) return judge(query, feature) === true
  const verdict = split(rest, ' ').includes('or') ? undefined : judge(rest, feature)
  if (verdict === undefined || /^(only|and|or|layer)$/.test(type)) return false
  return (verdict && /^(screen|all)$/.test(type)) !== (mark === 'not')
}

/** `not X`, `X and Y`, `X or Y`, where each may stand in brackets again. */
function judge(text: string, leaf: (text: string) => Verdict): Verdict {
  const words = split(text, ' ')
  const group = (word = ''): Verdict => {
    const inner = word.startsWith('(') ? word.slice(1, -1).trim() : undefined
    if (inner === undefined) return leaf(word)
    return /^(\(|not |selector\()/.test(inner) ? judge(inner, leaf) : leaf(inner)
  }
  if (words[0] === 'not') {
    const verdict = words.length === 2 && words[1]?.startsWith('(') ? group(words[1]) : undefined
    return verdict === undefined ? undefined : !verdict
  }
  const sign = words[1] ?? 'and'
  const isOne = words.every((word, at) => (at % 2 === 1 ? word === sign : /[()]/.test(word)))
  if (!isOne || words.length % 2 === 0 || !/^(and|or)$/.test(sign)) return undefined
  const verdicts = words.filter((_, at) => at % 2 === 0).map(group)
  const decisive = sign === 'or'
  if (verdicts.includes(decisive)) return decisive
  return verdicts.includes(undefined) ? undefined : !decisive
}

function feature(term: string): Verdict {
  const [name = '', value] = term.split(/ ?: ?/, 2)
  const plain = name.replace(/^-webkit-/, '').replace(/^((?:min|max)-)?-?webkit-/, '$1')
  if (value === undefined) return isRange(term) ?? isPresent(plain)
  const fact = facts[plain]
  if (fact !== undefined) return fact === value
  const [, bound, measured = ''] = /^(min-|max-)?(.*)$/.exec(plain) ?? []
  const [own, wanted] = [screen[measured], amount(value, measured)]
  if (own === undefined || wanted === undefined) return undefined
  return bound === 'min-' ? own >= wanted : bound === 'max-' ? own <= wanted : own === wanted
}

function isPresent(name: string): Verdict {
  const [fact, own] = [facts[name], screen[name]]
  if (fact !== undefined) return fact !== 'none' && fact !== 'no-preference'
  return own === undefined ? undefined : own !== 0
}

/** `width >= 600px`, `100px < width < 900px` */
function isRange(term: string): Verdict {
  const parts = term.split(/ ?([<>]=?|=) ?/, 5)
  const measured = parts.find((part) => screen[part] !== undefined)
  if (parts.length < 3 || measured === undefined) return undefined
  const sides = parts.map((part, at) =>
    at % 2 === 0 ? (part === measured ? screen[part] : amount(part, measured)) : undefined,
  )
  if (sides.some((side, at) => at % 2 === 0 && side === undefined)) return undefined
  return parts.every((sign, at) => at % 2 === 0 || compare(sides[at - 1], sign, sides[at + 1]))
}

function compare(left = 0, sign = '=', right = 0): boolean {
  if (sign === '=') return left === right
  const [low, high] = sign.startsWith('<') ? [left, right] : [right, left]
  return sign.endsWith('=') ? low <= high : low < high
}

const densities = lookup<number>({ dppx: 1, x: 1, dpi: 1 / 96, dpcm: 2.54 / 96 })

function amount(value: string, measured: string): number | undefined {
  const [, number, unit = ''] = /^([+-]?[\d.]+(?:e[+-]?\d+)?)([a-z]*)$/.exec(value) ?? []
  if (measured === 'resolution') {
    const density = densities[unit]
    return density && number !== undefined ? Number(number) * density : undefined
  }
  if (/ratio$/.test(measured)) {
    const [wide, high = '1'] = value.split(/ ?\/ ?/)
    return Number(wide) / Number(high)
  }
  const isLength = /width|height|size/.test(measured)
  if (number !== undefined && unit === '')
    return isLength && Number(number) !== 0 ? undefined : Number(number)
  return isLength ? pixels(value, { em: 16, whole: 800 }) : undefined
}

function support(term: string): Verdict {
  const [, selector] = /^selector\((.*)\)$/.exec(term) ?? []
  if (selector !== undefined) {
    const work = new Work(100_000)
    const place = { isQuirky: false, prefixes: new Set<string>(), depth: 0, work }
    return parseSelectors(tokenize(selector, work), place) !== undefined
  }
  if (/^font-(tech|format)\(/.test(term)) return true
  const [, property, value] = /^([^:]+?) ?: ?(.+)$/.exec(term) ?? []
  return property === undefined || value === undefined ? undefined : isSupported(property, value)
}
