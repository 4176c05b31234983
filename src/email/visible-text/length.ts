/** Lengths of CSS in pixels, as far as they can be known without laying out the page. */
import { split } from './css-scan.ts'

interface Measure {
  /** The font size in force. */
  em: number
  /** What 100% is. */
  whole: number
}

const units: Record<string, number> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 9.6 / 2.54,
  q: 2.4 / 2.54,
  rem: 16,
  vw: 8,
  vi: 8,
  vh: 6,
  vb: 6,
  vmin: 6,
  vmax: 8,
}

/** Nothing where it is no length that can be told. A bare number counts as pixels. */
export function pixels(value: string | undefined, { em, whole }: Measure): number | undefined {
  if (value === undefined || value.length > 300) return undefined
  const [, number, unit = ''] =
    /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]*|%)$/.exec(value) ?? []
  if (number === undefined) return calculated(value, { em, whole })
  if (unit === '%') return (Number(number) * whole) / 100
  if (unit === 'em') return Number(number) * em
  if (/^(ex|ch|cap|ic|lh|rlh)$/.test(unit)) return (Number(number) * em) / 2
  const factor = units[unit.replace(/^[sld](?=v)/, '')]
  return factor === undefined ? undefined : Number(number) * factor
}

/** `calc`, `min`, `max` and `clamp`, one inside another only where it is calc in calc. */
function calculated(value: string, measure: Measure): number | undefined {
  const [, name, inner = ''] = /^(?:-webkit-)?(calc|min|max|clamp)\((.*)\)$/.exec(value) ?? []
  if (name === undefined) return undefined
  const terms = split(inner.replace(/calc\(/g, '('), ',').map((term) => sum(term, measure))
  const known = terms.filter((term) => term !== undefined)
  const [first, second, third] = known
  if (known.length !== terms.length || first === undefined) return undefined
  if (name === 'min') return Math.min(...known)
  if (name === 'max') return Math.max(...known)
  if (name === 'calc') return first
  return second === undefined || third === undefined
    ? undefined
    : Math.max(first, Math.min(second, third))
}

const ranks: Record<string, number> = { '+': 1, '-': 1, '*': 2, '/': 2 }

/** Works out `1px + 2 * (3em - 4px)` with a stack of its own. */
function sum(text: string, measure: Measure): number | undefined {
  const numbers: number[] = []
  const signs: string[] = []
  const reduce = (rank: number) => {
    for (let sign = signs.at(-1); sign && (ranks[sign] ?? 0) >= rank; sign = signs.at(-1)) {
      signs.pop()
      const [right, left] = [numbers.pop() ?? Number.NaN, numbers.pop() ?? Number.NaN]
      numbers.push(
        sign === '+'
          ? left + right
          : sign === '-'
            ? left - right
            : sign === '*'
              ? left * right
              : left / right,
      )
    }
  }
  for (const [token] of text.matchAll(/[+-]?[\d.]+(?:e[+-]?\d+)?(?:[a-z]+|%)?|[-+*/()]|[^\s]/g)) {
    const rank = ranks[token]
    if (token === '(') signs.push(token)
    else if (token === ')') {
      reduce(1)
      signs.pop()
    } else if (rank) {
      reduce(rank)
      signs.push(token)
    } else numbers.push(pixels(token, measure) ?? Number.NaN)
  }
  reduce(1)
  const [result] = numbers
  return numbers.length === 1 && Number.isFinite(result) ? result : undefined
}
