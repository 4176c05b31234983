/** The colours of a text, and what it stands on: one, or all that it may be. */
import type { Box } from './box.ts'
import { black, type Colour, gradientColours, over, parseColour, white } from './css/colour.ts'
import { pixels, ratio } from './css/length.ts'
import { doubtful, isWide } from './css/properties.ts'
import type { Values } from './css/style-values.ts'
import type { Look } from './look.ts'
import { shadowReach } from './shadow.ts'

/** What an element says, or what stands around it. */
export const inherited = <T>(value: string | undefined, outer: T, read: (value: string) => T): T =>
  value === undefined || value === 'inherit' || value === 'unset' ? outer : read(value)

/** Nothing where a colour cannot be told; then the text counts as hidden. */
export type Ink = Colour | undefined
export type Inks = readonly Colour[] | undefined

export const opacityOf = (value: string | undefined) =>
  value === doubtful ? 0 : Math.min(1, Math.max(0, ratio(value) ?? 1))

export function colourOf(value: string | undefined, outer: Ink, current: Ink): Ink {
  if (value === undefined) return outer
  if (value === 'inherit' || value === 'unset' || value === 'currentcolor') return current
  return isWide(value) ? (value === 'initial' ? black : outer) : parseColour(value)
}

export function fillOf(value: string | undefined, outer: Look['fill']): Look['fill'] {
  return inherited(value, outer, (own) =>
    own === 'currentcolor' || isWide(own) ? 'colour' : parseColour(own),
  )
}

const isContext = /^(table-cell|inline-.*|flow-root|flex|grid|-webkit-.*)$/

type Ground = Pick<Look, 'backgrounds' | 'blockBackgrounds' | 'behind'>

export function backgroundsOf(
  tag: string,
  values: Values,
  outer: Look,
  own: Box & { colour?: Ink },
): Ground {
  const { display, colour } = own
  const isInline = display === 'inline'
  const isBlock = !isInline && display !== 'contents'
  const isRaised = !/^(baseline|unset|initial)?$/.test(values.get('vertical-align') ?? '')
  const isFloat = /left|right|start|end/.test(values.get('float') ?? '')
  const isOutside =
    isFloat ||
    tag === 'caption' ||
    tag === 'legend' ||
    (own.isTight && own.x + own.room > outer.box.x + outer.box.room + 1) ||
    (pixels(values.get('text-indent'), { em: 16, whole: 0 }) ?? 0) < 0
  let base = outer.backgrounds
  // A line paints nothing behind a box in it, and a box nothing behind what floats out of it.
  if ((isBlock || isRaised) && outer.box.display === 'inline')
    base = joined(base, outer.blockBackgrounds)
  if (isOutside) base = joined(base, outer.behind)
  const backgrounds = display === 'contents' ? base : paintedOn(values, base, colour)
  const isRoot = isFloat || isContext.test(display) || own.clips
  const behind = display === 'table' ? base : isRoot ? [] : joined(outer.behind, base)
  return { backgrounds, blockBackgrounds: isInline ? outer.blockBackgrounds : backgrounds, behind }
}

function joined(one: Inks, other: Inks): Inks {
  if (!one || !other) return undefined
  return other.every((colour) => one.includes(colour)) ? one : distinct([...one, ...other])
}

const distinct = (colours: readonly Colour[]): readonly Colour[] => {
  const known = new Map(colours.map((one) => [JSON.stringify(one), one]))
  return known.size > 20 ? [white, black] : [...known.values()]
}

/** A picture of another server is not there, since nothing is fetched. */
function paintedOn(values: Values, base: Inks, text: Ink): Inks {
  if (!base) return undefined
  const value = values.get('background-color') ?? 'transparent'
  const colour = value === 'currentcolor' ? text : isWide(value) ? undefined : parseColour(value)
  if (!colour && !isWide(value)) return undefined
  const below = colour ? base.map((one) => over(colour, one)) : base
  const image = values.get('background-image') ?? 'none'
  const isInset = /\binset\b/.test(values.get('box-shadow') ?? '') && shadowReach(values) > 8
  if (image === doubtful || isInset || /url\((?!x\)|"https? )/.test(image)) return undefined
  if (!/gradient\(/.test(image)) return below
  const stops = gradientColours(image.replace(/url\([^()]*\)/g, ''))
  const isWhole =
    stops?.every(({ alpha }) => alpha === 1) &&
    ['size', 'repeat', 'position'].every((name) =>
      /^(auto|repeat|initial|unset)?$/.test(values.get(`background-${name}`) ?? ''),
    )
  if (isWhole && stops) return distinct(stops)
  return (
    stops && distinct([...below, ...stops.flatMap((stop) => below.map((one) => over(stop, one)))])
  )
}
