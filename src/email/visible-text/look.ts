/** How the text of an element looks to a person, and whether it can be seen at all. */
import { lookup } from '../../system/text.ts'
import { black, type Colour, gradientColour, isNear, over, parseColour, white } from './colour.ts'
import { type Declaration, split } from './css-tokens.ts'
import type { ElementFacts } from './element-facts.ts'
import { pixels, ratio } from './length.ts'
import { isFar, isOutOfSight, page } from './out-of-sight.ts'
import { callsOf, isWide } from './properties.ts'
import { type Values, type Variables, valuesOf, variablesOf } from './style-values.ts'
import type { Work } from './work.ts'

/** Nothing where a colour cannot be told; then the text counts as seen. */
type Ink = Colour | undefined

export interface Look {
  /** The whole element is out of sight, whatever stands inside. */
  isGone: boolean
  isVisible: boolean
  fontSize: number
  /** The font size of the page. */
  rem: number
  opacity: number
  /** The line is so low that its text is cut off. */
  isThin: boolean
  hasThinLines: boolean
  isIndentedAway: boolean
  isSqueezed: boolean
  colour: Ink
  /** What the letters are filled with, where it is not their colour. */
  fill: Ink
  background: Ink
  /** What else is painted where the letters are: a background through them, a line around them, a shadow. */
  traces: Ink[]
  /** A box around it would cover what lies behind it. */
  hasCover: boolean
  keepsLines: boolean
  variables: Variables | undefined
}

export const pageLook: Look = {
  isGone: false,
  isVisible: true,
  fontSize: 16,
  rem: 16,
  opacity: 1,
  isThin: false,
  hasThinLines: false,
  isIndentedAway: false,
  isSqueezed: false,
  colour: black,
  fill: undefined,
  background: white,
  traces: [],
  hasCover: false,
  keepsLines: false,
  variables: undefined,
}

/** 3 pt, the largest that nobody reads. */
const smallest = 4
const faintest = 0.1
/** The page where a mail asks for a dark one. */
const night: Colour = { red: 18, green: 18, blue: 18, alpha: 1 }

export function isTextSeen(look: Look): boolean {
  const { isVisible, fontSize, isThin, isIndentedAway, isSqueezed } = look
  if (!isVisible || fontSize <= smallest || isThin || isIndentedAway || isSqueezed) return false
  return [look.fill ?? look.colour, ...look.traces].some((ink) => isSeenOn(ink, look.background))
}

const isSeenOn = (ink: Ink, background: Ink) =>
  !ink || (ink.alpha > faintest && !(background && isNear(over(ink, background), background)))

export function lookOf(element: ElementFacts, list: Declaration[], around: Look, work: Work): Look {
  const { tag, attributes, parent } = element
  const isLink = tag === 'a' && attributes.has('href')
  if (list.length === 0) return isLink ? { ...around, colour: undefined } : around
  const variables = variablesOf(list, around.variables)
  const values = valuesOf(list, { variables, attributes, work })
  const isDark = !parent && /^(only )?dark( only)?$/.test(values.get('color-scheme') ?? '')
  const outer = isDark ? { ...around, colour: white, background: night } : around
  const fontSize = fontSizeOf(values.get('font-size'), outer)
  const rem = parent ? outer.rem : fontSize
  const sizes = { em: fontSize, rem }
  const filters = callsOf(values.get('filter') ?? '') ?? []
  const opacity = outer.opacity * opacityOf(values)
  const colour = colourOf(values.get('color'), isLink ? undefined : outer.colour, outer.colour)
  const hasThinLines = lineIsThin(values.get('line-height'), sizes, outer.hasThinLines)
  const cutsOff = /^(hidden|clip)$/.test(values.get('overflow-y') ?? '')
  const spacing = values.get('letter-spacing')
  const space = values.get('white-space')
  const below =
    filters.filter(inverts).length % 2 === 1 ? inverse(outer.background) : outer.background
  const painted = backgroundOf(values, below, colour)
  const isThrough = /\btext\b/.test(values.get('background-clip') ?? '')
  const isHiddenByWord = values.get('mso-hide') === 'all' && !(isLink && paints(values))
  return {
    isGone:
      opacity <= faintest ||
      isHiddenByWord ||
      filters.some(blurs) ||
      isBehind(values, outer) ||
      isOutOfSight(values, sizes),
    isVisible: isVisible(values.get('visibility'), outer.isVisible),
    fontSize,
    rem,
    opacity,
    hasThinLines,
    isThin: hasThinLines && (cutsOff || outer.isThin),
    isIndentedAway: inherited(values.get('text-indent'), outer.isIndentedAway, (value) => {
      const length = split(value, ' ').find((word) => /\d/.test(word))
      const indent = pixels(length, { ...sizes, whole: page })
      if (/hanging/.test(value)) return false
      return isFar(indent) || (cutsOff && indent !== undefined && indent >= page)
    }),
    isSqueezed:
      ratio(values.get('font-size-adjust')) === 0 ||
      inherited(spacing, outer.isSqueezed, (value) => {
        const gap = pixels(value, { ...sizes, whole: fontSize }) ?? 0
        return gap <= -fontSize || isFar(gap)
      }),
    colour,
    fill: fillOf(values.get('text-fill-color'), outer.fill, colour),
    background: isThrough ? below : painted,
    traces: tracesOf(values, outer.traces, colour, isThrough ? ownPaint(values, painted) : []),
    hasCover: isLayer(values)
      ? false
      : outer.hasCover || (paints(values) && parent?.parent !== undefined),
    keepsLines: space === undefined ? outer.keepsLines : /^(pre|break-spaces)/.test(space),
    variables,
  }
}

interface Call {
  name: string
  given: string[]
}

const inverts = ({ name, given }: Call) => name === 'invert' && (ratio(given[0] ?? '1') ?? 0) > 0.9
const blurs = ({ name, given }: Call) =>
  name === 'blur' && (pixels(given[0], { em: 16, whole: 0 }) ?? 0) >= 20

const inverse = (ink: Ink): Ink =>
  ink && { ...ink, red: 255 - ink.red, green: 255 - ink.green, blue: 255 - ink.blue }

/** What lies behind the box of an element around it. */
const isBehind = (values: Values, { hasCover }: Look) =>
  hasCover && isPlaced(values) && Number(values.get('z-index') ?? 0) < 0

const isPlaced = (values: Values) => !/^(static)?$/.test(values.get('position') ?? '')

/** It is painted as one: nothing in it lies behind its own box. */
const isLayer = (values: Values) =>
  (isPlaced(values) && /\d/.test(values.get('z-index') ?? '')) ||
  ['transform', 'filter', 'opacity'].some((one) => !/^(none|1)?$/.test(values.get(one) ?? ''))

/** Nothing is painted through the letters where the element has no background. */
const ownPaint = (values: Values, painted: Ink): Ink[] =>
  paints(values) || !/^(none)?$/.test(values.get('background-image') ?? '') ? [painted] : []

function tracesOf(values: Values, outer: Ink[], colour: Ink, through: Ink[]): Ink[] {
  const [shadow, stroke] = [values.get('text-shadow'), values.get('text-stroke')]
  if (shadow === undefined && stroke === undefined) return through.length > 0 ? through : outer
  const lines = [shadow, stroke].filter((one) => one !== undefined && one !== 'none')
  const inks = lines.flatMap((line = '') => {
    const words = split(line, ' ')
    const lengths = words
      .map((word) => pixels(word, { em: 16, whole: 0 }))
      .filter((one) => one !== undefined)
    const ink = words.map((word) => parseColour(word, colour)).find((one) => one !== undefined)
    const isNear = lengths.length > 0 && lengths.every((length) => Math.abs(length) <= 5)
    return isNear ? [ink ?? colour ?? black] : []
  })
  return [...through, ...inks]
}

/** A link with a background of its own is a button, which Outlook is given in another form. */
const paints = (values: Values) =>
  values.has('background-color') && values.get('background-color') !== 'transparent'

function inherited(value: string | undefined, outer: boolean, judge: (value: string) => boolean) {
  return value === undefined || value === 'inherit' || value === 'unset' ? outer : judge(value)
}

const isVisible = (value: string | undefined, outer: boolean) =>
  value === undefined || value === 'inherit' || value === 'unset'
    ? outer
    : value !== 'hidden' && value !== 'collapse'

const keywords = lookup<number>({ smaller: 1 / 1.2, larger: 1.2 })

function fontSizeOf(value: string | undefined, { fontSize, rem }: Look): number {
  if (value === undefined || value === 'inherit' || value === 'unset') return fontSize
  const factor = keywords[value]
  if (factor) return fontSize * factor
  return pixels(value, { em: fontSize, whole: fontSize, rem }) ?? 16
}

function lineIsThin(
  value: string | undefined,
  sizes: { em: number; rem: number },
  outer: boolean,
): boolean {
  return inherited(value, outer, (line) => {
    const factor = ratio(line.endsWith('%') ? undefined : line)
    const height =
      factor === undefined ? pixels(line, { ...sizes, whole: sizes.em }) : factor * sizes.em
    return height !== undefined && height <= 2
  })
}

function opacityOf(values: Values): number {
  const filter = values.get('filter') ?? ''
  // The old form `alpha(opacity=0)` counts in hundredths.
  const old = /opacity ?= ?([\d.]+)/.exec(filter)?.[1]
  const calls = (callsOf(filter) ?? []).filter(({ name }) => name === 'opacity')
  return [values.get('opacity'), old && `${old}%`, ...calls.map(({ given }) => given[0])]
    .map((text) => Math.min(1, Math.max(0, ratio(text) ?? 1)))
    .reduce((product, one) => product * one, 1)
}

function colourOf(value: string | undefined, outer: Ink, current: Ink): Ink {
  if (value === undefined) return outer
  if (value === 'inherit' || value === 'unset') return current
  return isWide(value) ? black : parseColour(value, current)
}

function fillOf(value: string | undefined, outer: Ink, current: Ink): Ink {
  if (value === undefined || value === 'inherit' || value === 'unset') return outer
  return isWide(value) ? current : parseColour(value, current)
}

function backgroundOf(values: Values, outer: Ink, text: Ink): Ink {
  const value = values.get('background-color')
  let below = outer
  if (value !== undefined && !isWide(value)) below = covered(parseColour(value, text), below)
  const image = values.get('background-image') ?? 'none'
  const isShown = image !== 'none' && !isWide(image) && !hasNoSize(values.get('background-size'))
  if (isShown) below = covered(image.includes('url(') ? undefined : gradientColour(image), below)
  const [, shadow] = /^(?=.*\binset\b)(.*)$/.exec(values.get('box-shadow') ?? '') ?? []
  const words = split(shadow ?? '', ' ')
  const spread = words
    .map((word) => pixels(word, { em: 16, whole: 0 }))
    .filter((one) => one !== undefined)[3]
  if ((spread ?? 0) < 20) return below
  const ink = words.map((word) => parseColour(word, text)).find((one) => one !== undefined)
  return covered(ink ?? text, below)
}

const covered = (own: Ink, below: Ink): Ink =>
  !own ? undefined : own.alpha === 1 ? own : own.alpha === 0 ? below : below && over(own, below)

const hasNoSize = (size = 'auto') =>
  split(size, ' ,').some((one) => ratio(one) === 0 || /^0[a-z]+$/.test(one))
