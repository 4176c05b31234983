/** How the text of an element looks to a person, and whether it can be shown to be seen. */
import { lookup } from '../../system/text.ts'
import { type Box, boxOf, isNowhere, pageBox } from './box.ts'
import { isDot, isLayer, mayPaint, moves, paints } from './cover.ts'
import type { ElementStyle } from './css/cascade.ts'
import { black, isReadOn, parseColour, white } from './css/colour.ts'
import type { ReadingScreen } from './css/conditions.ts'
import { pixels, ratio } from './css/length.ts'
import { doubtful, isUnsafe } from './css/properties.ts'
import {
  isPlain,
  isPlainBeside,
  type Values,
  type Variables,
  valuesOf,
  variablesOf,
} from './css/style-values.ts'
import { type ElementFacts, ownDisplay } from './element-facts.ts'
import {
  backgroundsOf,
  colourOf,
  fillOf,
  type Ink,
  type Inks,
  inherited,
  opacityOf,
} from './inks.ts'
import { shadeOf, shadowReach } from './shadow.ts'
import { alignOf, garbledOf, mayReach, reachOf, spaceOf } from './text-look.ts'
import type { Work } from './work.ts'

export interface Look {
  box: Box
  /** Out of its place, so that it depends on what stands in it whether it covers others. */
  isOut: boolean
  /** It may lie on top of other texts. */
  covers: boolean
  isVisible: boolean
  /** Its letters are those of a font of signs, lie on each other or far apart, or begin outside of the page. */
  garbled: { bySigns: boolean; bySpace: boolean; byIndent: boolean }
  fontSize: number
  /** The font size of the page. */
  rem: number
  /** In pixels, or as a part of the font size. */
  line: { px: number } | { factor: number }
  letterSpacing: number
  opacity: number
  colour: Ink
  linkColour: Ink
  /** What the letters are filled with, where it is not their colour. */
  fill: Ink | 'colour'
  /** What the text stands on: one, or all that it may be. */
  backgrounds: Inks
  /** The same for the nearest box, where the element is a part of a line in it. */
  blockBackgrounds: Inks
  /** What lies around the box, where what stands in it may come out of it. */
  behind: Inks
  wraps: boolean
  keepsLines: boolean
  align: 'left' | 'center' | 'right'
  /** How far it paints over the lines above and below. */
  reach: number
  /** How much of what lies below the shadows of it and of those around it is taken away. */
  shade: number
  variables: Variables | undefined
}

const blue = parseColour('#0000ee')
const night = parseColour('#121212')
const pale = parseColour('#9e9eff')

export const pageLook = (screen: ReadingScreen): Look => ({
  box: pageBox(screen),
  isOut: false,
  covers: false,
  isVisible: true,
  garbled: { bySigns: false, bySpace: false, byIndent: false },
  fontSize: 16,
  rem: 16,
  line: { factor: 1.2 },
  letterSpacing: 0,
  opacity: 1,
  colour: black,
  linkColour: blue,
  fill: 'colour',
  backgrounds: [white],
  blockBackgrounds: [white],
  behind: [],
  wraps: true,
  keepsLines: false,
  align: 'left',
  reach: 0,
  shade: 0,
  variables: undefined,
})

/** Smaller letters are not read. */
const smallest = 7
/** Below this size, letters must stand out. */
const small = 9
const faintest = 0.3
/** Through as much of a shadow a text is still read. */
const darkest = 0.5

export const lineHeight = ({ line, fontSize }: Look): number =>
  'px' in line ? line.px : line.factor * fontSize

const seen = new WeakMap<Look, boolean>()

export function isTextSeen(look: Look): boolean {
  const before = seen.get(look)
  if (before !== undefined) return before
  const isSeen = isReadable(look)
  seen.set(look, isSeen)
  return isSeen
}

function isReadable(look: Look): boolean {
  const { isVisible, garbled, fontSize, backgrounds, colour, fill } = look
  if (!isVisible || fontSize < smallest || !backgrounds) return false
  if (garbled.bySigns || garbled.bySpace || garbled.byIndent) return false
  const height = lineHeight(look)
  if (height < 0.75 * fontSize || height > 300) return false
  const ink = fill === 'colour' ? colour : fill
  const least = fontSize < small ? 1.6 : 1.2
  return (
    ink !== undefined && isReadOn({ ...ink, alpha: ink.alpha * look.opacity }, backgrounds, least)
  )
}

export interface Context {
  screen: ReadingScreen
  isQuirky: boolean
  hasPlainVariables: boolean
  work: Work
}

export function lookOf(
  element: ElementFacts,
  style: ElementStyle,
  around: Look,
  context: Context,
): Look {
  const { tag, attributes, parent } = element
  const isLink = tag === 'a' && attributes.has('href')
  const isPlainOne = style.sure.length + style.unsure.length + style.beside.length === 0
  if (isPlainOne && parent && !isLink && !/^(svg|math|body|caption|legend)$/.test(tag))
    return plainLook(around, ownDisplay(tag))
  const variables = variablesOf(style.sure, around.variables)
  const values = valuesOf(style.sure, { variables, ...context })
  const outer = parent ? around : onPage(values, around, context.screen)
  const fontSize = fontSizeOf(values.get('font-size'), outer)
  const sizes = { em: fontSize, rem: parent ? outer.rem : fontSize }
  const line = lineOf(values.get('line-height'), outer.line, sizes)
  const box = boxOf(element, values, outer.box, sizes, ownDisplay(tag))
  const colour = colourOf(
    values.get('color'),
    isLink ? outer.linkColour : outer.colour,
    outer.colour,
  )
  const opacity = outer.opacity * opacityOf(values.get('opacity'))
  const beside = style.beside.filter(
    ({ property, value }) => property !== 'display' || value !== 'none',
  )
  const uncertain = [
    ...style.unsure.filter((one) => !isPlain(one)),
    ...beside.filter((one) => !isPlainBeside(one)),
  ]
  const isUncertain =
    [...values].some(([property, value]) => isUnsafe(property, value)) ||
    uncertain.length > 0 ||
    (values.get('mso-hide') === 'all' && !(isLink && paints(values)))
  const isUnsureMoved = uncertain.some((one) => moves.test(one.property))
  const isShown = isVisible(values.get('visibility'), outer.isVisible)
  const isMoved =
    box.moved === 'far' || (box.moved === 'little' && mayPaint(element, values, isShown))
  const isOut =
    box.moved !== 'no' ||
    [...values].some(([name, value]) => moves.test(name) && isUnsafe(name, value))
  const shade = outer.shade + shadeOf(values)
  const isThere = !box.isAbsent && opacity > 0.05 && fontSize > 1
  return {
    box: { ...box, isGone: box.isGone || isUncertain || isMoved || opacity < faintest },
    isOut,
    covers:
      isUnsureMoved ||
      (/^col(group)?$/.test(tag) &&
        [...values.keys()].some((name) => /^(visib|backg|display)/.test(name))) ||
      (tag === 'math' && mayPaint(element, values, true)) ||
      (tag === 'svg' &&
        /^(visible|auto|scroll|\ufffd)$/.test(values.get('overflow-x') ?? 'hidden')) ||
      (isThere &&
        ((isLayer(values, box) && shadowReach(values) > 8 && shade > darkest) ||
          ((isMoved || (isOut && box.moved === 'no')) &&
            mayPaint(element, values, isShown) &&
            !isNowhere(values, sizes) &&
            !isDot(tag, values)))),
    isVisible: isShown,
    garbled: garbledOf(values, outer, box, fontSize),
    fontSize,
    rem: sizes.rem,
    line,
    letterSpacing: inherited(
      values.get('letter-spacing'),
      outer.letterSpacing,
      (value) => pixels(value, { ...sizes, whole: fontSize }) ?? 0,
    ),
    opacity,
    colour,
    linkColour: tag === 'body' ? (bodyLink(attributes) ?? outer.linkColour) : outer.linkColour,
    fill: fillOf(values.get('text-fill-color'), outer.fill),
    ...backgroundsOf(tag, values, outer, { ...box, colour }),
    ...spaceOf(values, outer),
    align: alignOf(values, outer.align),
    reach: box.display === 'inline' && mayReach(values) ? reachOf(values, sizes, line) : 0,
    shade,
    variables,
  }
}

/** Those of elements without a style, by what they stand in and the kind of their box. */
const plainLooks = new WeakMap<Look, Map<string, Look>>()

/** Most elements say nothing, and a hostile mail has very many of them. */
function plainLook(outer: Look, display: string): Look {
  const known = plainLooks.get(outer) ?? new Map<string, Look>()
  plainLooks.set(outer, known)
  const before = known.get(display)
  if (before) return before
  const box = {
    ...outer.box,
    display,
    moved: 'no' as const,
    limit: undefined,
    padding: 0,
    claim: 0,
    least: 0,
  }
  if (!/^table(?!-cell)/.test(display)) box.isFixedTable = false
  if (display === 'table-cell' && !outer.box.isFixedTable) box.isTight = false
  const look = {
    ...outer,
    box,
    isOut: false,
    covers: false,
    ...backgroundsOf('', noValues, outer, box),
  }
  known.set(display, look)
  if (display !== 'table-cell') plainLooks.set(look, new Map([[display, look]]))
  return look
}

const noValues: Values = new Map()

const bodyLink = (attributes: ElementFacts['attributes']) => {
  const link = attributes.get('link')
  return link ? parseColour(link.trim().toLowerCase()) : undefined
}

/** A page that asks for darkness is dark where its reader wants that, or where it asks for nothing else. */
function onPage(values: Values, outer: Look, { isDark }: ReadingScreen): Look {
  const words = (values.get('color-scheme') ?? '').split(' ')
  if (!words.includes('dark') || (!isDark && words.includes('light'))) return outer
  const backgrounds = night && [night]
  return { ...outer, colour: white, linkColour: pale, backgrounds, blockBackgrounds: backgrounds }
}

const isVisible = (value: string | undefined, outer: boolean) =>
  inherited(value, outer, (own) => !/^(hidden|collapse|\ufffd)$/.test(own))

const keywords = lookup<number>({ smaller: 1 / 1.2, larger: 1.2 })

function fontSizeOf(value: string | undefined, { fontSize, rem }: Look): number {
  return inherited(value, fontSize, (own) => {
    const factor = keywords[own]
    if (factor) return fontSize * factor
    if (own === doubtful) return 0
    return pixels(own, { em: fontSize, whole: fontSize, rem }) ?? (/small/.test(own) ? 10 : 16)
  })
}

function lineOf(
  value: string | undefined,
  outer: Look['line'],
  sizes: { em: number; rem: number },
): Look['line'] {
  return inherited(value, outer, (own) => {
    if (own === doubtful) return { px: 0 }
    const factor = own.endsWith('%') ? undefined : ratio(own)
    if (factor !== undefined) return { factor }
    const px = pixels(own, { ...sizes, whole: sizes.em })
    return px === undefined ? { factor: 1.2 } : { px }
  })
}
