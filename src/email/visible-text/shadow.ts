/** What the shadow of a box takes from what lies below it. */
import { parseColour } from './css/colour.ts'
import { split } from './css/css-tokens.ts'
import { pixels } from './css/length.ts'
import { doubtful } from './css/properties.ts'
import type { Values } from './css/style-values.ts'

interface Shadow {
  x: number
  y: number
  spread: number
  colour: string
}

const colours = /#[0-9a-f]+|(rgb|hsl)a?\([^()]*\)/

function shadowsOf(value: string): Shadow[] {
  return split(value, ',').map((one) => {
    const lengths = split(one.replace(colours, ''), ' ').flatMap(
      (word) =>
        pixels(word, { em: 16, whole: 0 }) ?? (word.includes('(') ? Number.POSITIVE_INFINITY : []),
    )
    const [x = 0, y = 0, , spread = 0] = lengths
    return { x, y, spread, colour: colours.exec(one)?.[0] ?? '' }
  })
}

/** How far from its box a shadow is painted that hides what is there: not by its blur alone. */
export function shadowReach(values: Values): number {
  const value = values.get('box-shadow') ?? 'none'
  if (value === doubtful) return Number.POSITIVE_INFINITY
  const reaches = shadowsOf(value).map(
    ({ x, y, spread }) => Math.abs(x) + Math.abs(y) + Math.max(0, spread),
  )
  return Math.max(...reaches)
}

/** No text is hidden by the shadows of a few boxes that stand right above it, if they are faint. */
const furthest = 25

/** How much they take away; those that fall elsewhere than right below their box, all. */
export function shadeOf(values: Values): number {
  const value = values.get('box-shadow') ?? 'none'
  if (value === 'none') return 0
  if (value === doubtful) return 1
  return shadowsOf(value).reduce((sum, { x, y, spread, colour }) => {
    const isBelow = x === 0 && y >= 0 && y <= furthest && spread <= 0
    return sum + (isBelow ? (parseColour(colour)?.alpha ?? 1) : 1)
  }, 0)
}
