/** How the text of an element looks to a person, and whether it can be seen at all. */
import { black, type Colour, gradientColour, isNear, over, parseColour, white } from './colour.ts'
import type { Declaration } from './css-scan.ts'
import type { ElementFacts } from './element-facts.ts'
import { pixels } from './length.ts'
import { isFar, isOutOfSight, page } from './out-of-sight.ts'
import { isWide } from './properties.ts'
import { type Values, type Variables, valuesOf, variablesOf } from './style-values.ts'
import type { Work } from './work.ts'

export interface Look {
  /** The whole element is out of sight, whatever stands inside. */
  isGone: boolean
  isVisible: boolean
  fontSize: number
  opacity: number
  /** The line is so low that its text is cut off. */
  isThin: boolean
  hasThinLines: boolean
  isIndentedAway: boolean
  isSqueezed: boolean
  /** Nothing where it cannot be told; then the text counts as seen. */
  colour: Colour | undefined
  fill: Colour | undefined
  background: Colour | undefined
  /** The background is painted through the letters. */
  isPaintedThrough: boolean
  keepsLines: boolean
  variables: Variables | undefined
}

export const pageLook: Look = {
  isGone: false,
  isVisible: true,
  fontSize: 16,
  opacity: 1,
  isThin: false,
  hasThinLines: false,
  isIndentedAway: false,
  isSqueezed: false,
  colour: black,
  fill: undefined,
  background: white,
  isPaintedThrough: false,
  keepsLines: false,
  variables: undefined,
}

/** 3 pt, the largest that nobody reads. */
const smallest = 4
const faintest = 0.1

export function isTextSeen(look: Look): boolean {
  const { isVisible, fontSize, isThin, isIndentedAway, isSqueezed } = look
  if (!isVisible || fontSize <= smallest || isThin || isIndentedAway || isSqueezed) return false
  const text = look.fill ?? look.colour
  if (!text || look.isPaintedThrough) return true
  if (text.alpha <= faintest) return false
  return !look.background || !isNear(over(text, look.background), look.background)
}

export function lookOf(element: ElementFacts, list: Declaration[], outer: Look, work: Work): Look {
  const isLink = element.tag === 'a' && element.attributes.has('href')
  if (list.length === 0) return isLink ? { ...outer, colour: undefined } : outer
  const variables = variablesOf(list, outer.variables)
  const values = valuesOf(list, variables, work)
  const fontSize = fontSizeOf(values.get('font-size'), outer.fontSize)
  const opacity = outer.opacity * opacityOf(values)
  const colour = colourOf(values.get('color'), isLink ? undefined : outer.colour, outer.colour)
  const hasThinLines = lineIsThin(values.get('line-height'), fontSize, outer.hasThinLines)
  const cutsOff = /^(hidden|clip)$/.test(values.get('overflow-y') ?? '')
  const spacing = values.get('letter-spacing')
  const clip = values.get('background-clip')
  const space = values.get('white-space')
  const isHiddenByWord = values.get('mso-hide') === 'all' && !(isLink && paints(values))
  return {
    isGone: opacity <= faintest || isHiddenByWord || isOutOfSight(values, fontSize),
    isVisible: isVisible(values.get('visibility'), outer.isVisible),
    fontSize,
    opacity,
    hasThinLines,
    isThin: hasThinLines && (cutsOff || outer.isThin),
    isIndentedAway: inherited(values.get('text-indent'), outer.isIndentedAway, (value) => {
      const indent = pixels(value.split(' ')[0], { em: fontSize, whole: page })
      return isFar(indent) || (cutsOff && indent !== undefined && indent >= page)
    }),
    isSqueezed: inherited(spacing, outer.isSqueezed, (value) => {
      const gap = pixels(value, { em: fontSize, whole: fontSize }) ?? 0
      return gap <= -fontSize || isFar(gap)
    }),
    colour,
    fill: fillOf(values.get('text-fill-color'), outer.fill, colour),
    background: backgroundOf(values, outer.background, colour),
    isPaintedThrough: clip === undefined ? outer.isPaintedThrough : clip.includes('text'),
    keepsLines: space === undefined ? outer.keepsLines : /^(pre|break-spaces)/.test(space),
    variables,
  }
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

const keywords: Record<string, number> = { smaller: 1 / 1.2, larger: 1.2 }

function fontSizeOf(value: string | undefined, outer: number): number {
  if (value === undefined || value === 'inherit' || value === 'unset') return outer
  const factor = keywords[value]
  if (factor) return outer * factor
  return pixels(value, { em: outer, whole: outer }) ?? 16
}

function lineIsThin(value: string | undefined, em: number, outer: boolean): boolean {
  return inherited(value, outer, (line) => {
    const isFactor = /^[\d.]+$/.test(line)
    const height = isFactor ? Number(line) * em : pixels(line, { em, whole: em })
    return height !== undefined && height <= 2
  })
}

function opacityOf(values: Values): number {
  const own = amount(values.get('opacity'))
  const filters = [...(values.get('filter') ?? '').matchAll(/opacity\s*(\(|=)\s*([\d.]+%?)/g)].map(
    // The old form `alpha(opacity=0)` counts in hundredths.
    ([, sign, text]) => (sign === '=' ? Number(text) / 100 : amount(text)),
  )
  return filters.reduce((product, filter) => product * filter, own)
}

function amount(text = '1'): number {
  const number = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text)
  const known = Number.isNaN(number) ? (pixels(text, { em: 1, whole: 1 }) ?? 1) : number
  return Math.min(1, Math.max(0, known))
}

function colourOf(
  value: string | undefined,
  outer: Colour | undefined,
  current: Colour | undefined,
): Colour | undefined {
  if (value === undefined) return outer
  if (value === 'inherit' || value === 'unset' || value === 'currentcolor') return current
  return isWide(value) ? black : parseColour(value)
}

function fillOf(
  value: string | undefined,
  outer: Colour | undefined,
  current: Colour | undefined,
): Colour | undefined {
  if (value === undefined || value === 'inherit' || value === 'unset') return outer
  return value === 'currentcolor' || isWide(value) ? current : parseColour(value)
}

function backgroundOf(
  values: Values,
  outer: Colour | undefined,
  text: Colour | undefined,
): Colour | undefined {
  const value = values.get('background-color')
  let below = outer
  if (value !== undefined && !isWide(value)) {
    const own = value === 'currentcolor' ? text : parseColour(value)
    if (!own) below = undefined
    else if (own.alpha === 1) below = own
    else if (own.alpha > 0) below = outer && over(own, outer)
  }
  const image = values.get('background-image')
  if (image === undefined || image === 'none' || isWide(image)) return below
  const gradient = image.includes('url(') ? undefined : gradientColour(image)
  return gradient && (gradient.alpha === 1 ? gradient : below && over(gradient, below))
}
