/** Says whether a media query holds for the screen of a person who reads mail by day. */
import { split } from './css-scan.ts'
import { pixels } from './length.ts'

const screen: Record<string, number> = {
  width: 800,
  height: 600,
  'device-width': 800,
  'device-height': 600,
  color: 8,
  'device-pixel-ratio': 1,
}

const facts: Record<string, string> = {
  'prefers-color-scheme': 'light',
  'prefers-reduced-motion': 'no-preference',
  'prefers-contrast': 'no-preference',
  'forced-colors': 'none',
  orientation: 'landscape',
  hover: 'hover',
  'any-hover': 'hover',
  pointer: 'fine',
  'any-pointer': 'fine',
  scripting: 'none',
  update: 'fast',
}

export const appliesToScreen = (media: string): boolean =>
  media.trim() === '' || split(media.slice(0, 2000).toLowerCase(), ',').some(holds)

function holds(query: string): boolean {
  const isNot = /^not\s/.test(query)
  const words = split(query.replace(/^(not|only)\s+/, ''), ' \t\n\r\f')
  const isTrue = words.includes('or')
    ? words.some((word) => word.startsWith('(') && isTerm(word))
    : words.every((word) => word === 'and' || isTerm(word))
  return isTrue !== isNot
}

function isTerm(word: string): boolean {
  if (!word.startsWith('(')) return word === 'screen' || word === 'all'
  const [name = '', value] = word
    .slice(1, -1)
    .replace(/^-webkit-/, '')
    .split(':', 2)
    .map((part) => part.trim())
  if (value === undefined) return isRange(name) ?? (name in screen || facts[name] !== undefined)
  if (facts[name] !== undefined) return facts[name] === value
  const [, bound, feature = ''] = /^(min-|max-)?(.*)$/.exec(name.replace('webkit-', '')) ?? []
  const [own, wanted] = [screen[feature], amount(value)]
  if (own === undefined || wanted === undefined) return feature === 'resolution' && bound === 'min-'
  return bound === 'min-' ? own >= wanted : bound === 'max-' ? own <= wanted : own === wanted
}

/** `width >= 600px`, `100px < width < 900px` */
function isRange(term: string): boolean | undefined {
  const parts = term.split(/\s*([<>]=?|=)\s*/, 5)
  if (parts.length < 3) return undefined
  const sides = parts.map((part, at) => (at % 2 === 0 ? (screen[part] ?? amount(part)) : undefined))
  return parts.every((sign, at) => at % 2 === 0 || compare(sides[at - 1], sign, sides[at + 1]))
}

function compare(left: number | undefined, sign: string, right: number | undefined): boolean {
  if (left === undefined || right === undefined) return false
  if (sign === '=') return left === right
  const [low, high] = sign.startsWith('<') ? [left, right] : [right, left]
  return sign.endsWith('=') ? low <= high : low < high
}

const amount = (value: string) => pixels(value, { em: 16, whole: 800 })
