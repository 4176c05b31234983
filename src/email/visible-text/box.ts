/** Where the box of an element is and how much of it is seen, as far as that can be told without laying out the page. */
import type { ReadingScreen } from './css/conditions.ts'
import type { Declaration } from './css/css-tokens.ts'
import { pixels } from './css/length.ts'
import { doubtful } from './css/properties.ts'
import type { Values } from './css/style-values.ts'
import type { ElementFacts } from './element-facts.ts'

export interface Box {
  /** Out of sight, whatever stands inside. */
  isGone: boolean
  /** It has no box at all. */
  isAbsent: boolean
  /** Not where it would be by itself: it may lie on top of other things. A little, it may lie on a line at most. */
  moved: 'no' | 'little' | 'far'
  display: string
  /** Pixels from the left of the page. */
  x: number
  /** How wide a line in it may be. */
  room: number
  /** Where what stands in it is cut off at its right. */
  right: number
  /** How much of a line, or of a row, it takes at least. */
  claim: number
  /** How high it is at least. */
  least: number
  /** It is wider than the page, so that what stands at its right is not seen. */
  isBroad: boolean
  /** It stands in a row after a cell of which nobody knows how wide it is. */
  isAfterUnclaimed: boolean
  /** It is as wide as it is told to, whatever stands in it. */
  isTight: boolean
  /** What does not fit is cut off. */
  clips: boolean
  /** What is higher than this is cut off, or lies on top of what follows. */
  limit: number | undefined
  /** What it adds to the height of what it holds. */
  padding: number
  isFixedTable: boolean
}

interface Sizes {
  em: number
  rem: number
}

export const pageBox = ({ width }: ReadingScreen): Box => ({
  isGone: false,
  isAbsent: false,
  moved: 'no',
  display: 'block',
  x: 8,
  room: width - 16,
  right: width,
  claim: 0,
  least: 0,
  isBroad: false,
  isAfterUnclaimed: false,
  isTight: false,
  clips: false,
  limit: undefined,
  padding: 0,
  isFixedTable: false,
})

/** Further than anybody scrolls for the rest of a mail. */
const far = 1500
/** Wider than the page: what stands at its right is not seen. */
const widest = 1100
/** Boxes of text overlap by so much without harm. */
const nudge = 4
/** As a small figure stands above a line. */
const raised = 8
const lowest = 200
/** A cell is as wide as a word in it at least, whatever it says. */
const narrowest = 24

const inTable = /^table(-cell|-row|-row-group|-header-group|-footer-group)?$|^inline-table$/
const hiddenBoxes = /^(none|table-column(-group)?|\ufffd)$/
const cuts = /^(hidden|clip|scroll|auto|overlay|\ufffd)$/

export function boxOf(
  { tag, parent }: ElementFacts,
  values: Values,
  outer: Box,
  sizes: Sizes,
  ownDisplay: string,
): Box {
  const display = plainDisplay(values.get('display'), ownDisplay, outer)
  if (hiddenBoxes.test(display)) return { ...outer, display, isGone: true, isAbsent: true }
  const px = (name: string) => pixels(values.get(name), { ...sizes, whole: outer.room })
  const shareless = (name: string) => (isShare(values.get(name)) ? undefined : px(name))
  const isPage = !parent || tag === 'body'
  const inline = display === 'inline' || display === 'contents'
  const sides = offsets(px)
  const isCell = display === 'table-cell'
  const isFixedTable = inTable.test(display) ? outer.isFixedTable || isFixed(values) : false
  const isTold = !inline && !(inTable.test(display) && !isFixedTable)
  const clips = !inline && (!inTable.test(display) || isFixedTable) && hasCuts(values)
  const width = isTold ? widthOf(px, outer.room) : undefined
  const cellWidth = isCell ? px('width') : undefined
  const auto = outer.room - sides.left - sides.right
  const tableWidth = display === 'table' ? (px('width') ?? 0) : 0
  const room =
    (width ?? Math.max(tableWidth, Math.min(auto, Math.max(narrowest, cellWidth ?? auto)))) -
    (isBorderBox(values) ? sides.padding : 0)
  const x = outer.x + sides.left
  const most = px('max-width')
  const isBeyond = outer.isBroad || outer.x + outer.room > outer.right
  return {
    isGone:
      (inline && isMeantToVanish(values, px)) ||
      x < -nudge ||
      (/flex|grid|box/.test(outer.display) && claimOf('', px, shareless) > outer.room + 8) ||
      (isCell && outer.isBroad && outer.isAfterUnclaimed) ||
      isTooBig(values, px, sides, outer.room) ||
      (isCell && most !== undefined && most < 40) ||
      (isPage &&
        /^(hidden|clip)$/.test(values.get('overflow-y') ?? '') &&
        px('height') !== undefined &&
        !isShare(values.get('height'))),
    isAbsent: false,
    isAfterUnclaimed: false,
    moved: movedBy(values, px, sides, inline),
    display,
    x,
    room: inline ? outer.room : room,
    isTight: inline
      ? outer.isTight
      : isCell && !isFixedTable
        ? false
        : outer.isTight || width !== undefined,
    right: clips && !isPage ? Math.min(outer.right, x + room) : outer.right,
    claim: inline
      ? sides.left + sides.right
      : claimOf(isCell && !isFixedTable && !isBeyond ? '' : display, px, shareless),
    least: inline ? 0 : Math.max(shareless('height') ?? 0, shareless('min-height') ?? 0),
    isBroad:
      outer.isBroad ||
      (px('width') ?? 0) > outer.right - 8 ||
      (px('min-width') ?? 0) > outer.right - 8,
    clips: outer.clips || (clips && !isPage),
    limit:
      inline ||
      (isPage && !values.has('background-color')) ||
      (inTable.test(display) && !isFixedTable)
        ? undefined
        : limitOf(values, px, clips),
    padding: inline ? 0 : sides.height + borders(values) + ownMargins(tag, values, sizes.em),
    isFixedTable,
  }
}

/** Of a line, or a row that is as wide as it is told to, also by its share of that. */
function claimOf(display: string, px: Px, shareless: Px): number {
  const read = /^(inline|table-cell)/.test(display) ? px : shareless
  return Math.max(read('width') ?? 0, read('min-width') ?? 0)
}

const paragraphs = /^(p|h[1-6]|blockquote|ul|ol|dl|pre|figure|fieldset|hr)$/

const ownMargins = (tag: string, values: Values, em: number) =>
  paragraphs.test(tag) && !values.has('margin-top') ? 2 * em : 0

/** At most this, of the lines around a box. */
function borders(values: Values): number {
  let sum = 0
  for (const [name, value] of values) {
    if (!/^border(-top|-bottom|-block.*)?(-width)?$/.test(name)) continue
    const [size] = /\d+(\.\d+)?(?=px|pt)/.exec(value) ?? ['0']
    sum += 2 * Number(size)
  }
  return sum
}

function plainDisplay(value: string | undefined, own: string, outer: Box): string {
  if (value === undefined || value === 'revert') return own
  if (value === 'inherit') return outer.display
  return value === 'initial' || value === 'unset' ? 'inline' : value
}

type Px = (name: string) => number | undefined

interface Sides {
  /** Margin and padding. */
  left: number
  right: number
  /** The padding at both sides. */
  padding: number
  /** All above and below. */
  height: number
  /** The most negative of the margins above and below, and of the others. */
  vertical: number
  horizontal: number
}

function offsets(px: Px): Sides {
  const [top = 0, right = 0, bottom = 0, left = 0] = ['top', 'right', 'bottom', 'left'].map(
    (side) => px(`margin-${side}`) ?? 0,
  )
  const [above = 0, after = 0, below = 0, before = 0] = ['top', 'right', 'bottom', 'left'].map(
    (side) => px(`padding-${side}`) ?? 0,
  )
  return {
    left: left + before,
    right: right + after,
    padding: before + after,
    height: Math.max(0, top) + Math.max(0, bottom) + above + below,
    vertical: Math.min(top, bottom),
    horizontal: Math.min(left, right),
  }
}

function movedBy(values: Values, px: Px, sides: Sides, inline: boolean): Box['moved'] {
  const position = values.get('position') ?? 'static'
  if (/^(absolute|fixed|(-webkit-)?sticky|\ufffd)$/.test(position)) return 'far'
  const names = ['top', 'right', 'bottom', 'left']
  const off = Math.max(
    ...names.map((side) => (values.get(side) === doubtful ? far : Math.abs(px(side) ?? 0))),
  )
  if (position === 'relative' && off > (inline ? raised : nudge)) return 'far'
  if (names.some((side) => values.get(`margin-${side}`) === doubtful)) return 'far'
  if (sides.vertical < -24 || sides.horizontal < (inline ? -nudge : -40)) return 'far'
  return sides.vertical < -nudge || (position === 'relative' && off > nudge) ? 'little' : 'no'
}

const isFixed = (values: Values) => values.get('table-layout') === 'fixed'
const isBorderBox = (values: Values) => values.get('box-sizing') === 'border-box'
const isShare = (value = '') => value.endsWith('%')

const hasCuts = (values: Values) =>
  ['overflow-x', 'overflow-y'].some((axis) => cuts.test(values.get(axis) ?? ''))

function widthOf(px: Px, outer: number): number | undefined {
  const [own, most, least = 0] = [px('width'), px('max-width'), px('min-width')]
  if (own === undefined && most === undefined) return undefined
  return Math.max(least, Math.min(own ?? outer, most ?? Number.POSITIVE_INFINITY))
}

/** Something in it that is not understood, or so large that the text is pushed away. */
function isTooBig(values: Values, px: Px, { height, left }: Sides, room: number): boolean {
  const names = ['width', 'max-width', 'min-width', 'height', 'max-height', 'min-height']
  if (names.some((name) => values.get(name) === doubtful)) return true
  const most = Math.max(widest, room) // what fills a large window pushes nothing away
  if ((px('width') ?? 0) > most || (px('min-width') ?? 0) > most) return true
  const vertical = ['height', 'min-height'].map((name) => px(name) ?? 0)
  if (vertical.some((size) => size > far) || height > far || left > widest) return true
  if (['left', 'top'].some((side) => (px(side) ?? 0) <= -500)) return true
  const z = values.get('z-index')
  return z === doubtful || Number(z ?? 0) < 0
}

function limitOf(values: Values, px: Px, clips: boolean): number | undefined {
  const heights = ['height', 'max-height'].filter((name) => {
    const value = values.get(name) ?? ''
    return /\d/.test(value) && !/^\d{3,}(\.\d+)?%$/.test(value)
  })
  if (heights.length === 0) return undefined
  // A share of a height is no height where that around it has none.
  const sizes = heights.map((name) => (isShare(values.get(name)) ? 0 : (px(name) ?? 0)))
  const least = px('min-height') ?? 0
  const own = isBorderBox(values) ? (px('padding-top') ?? 0) + (px('padding-bottom') ?? 0) : 0
  const below = clips ? (px('padding-bottom') ?? 0) : 0
  const limit = Math.max(least, Math.min(...sizes)) - own + below
  // What comes out of it does not stand on its background.
  const isPainted = values.has('background-color')
  return clips || isPainted || limit < lowest ? limit : undefined
}

/** A box in a line has no height of its own; who says otherwise means it not to be seen. */
const isMeantToVanish = (values: Values, px: Px) =>
  hasCuts(values) && ['height', 'width'].some((name) => (px(name) ?? px(`max-${name}`) ?? 9) <= 2)

/** An image that nobody sees is there to tell on its reader. */
export const isTiny = (list: readonly Declaration[]): boolean =>
  list.some(({ property, value }) => {
    const px = pixels(value, { em: 16, whole: 600 })
    return /^(max-)?(width|height)$/.test(property) && px !== undefined && px <= 2
  })

/** Whether a box that is out of its place has no size, or is far from the page. */
export function isNowhere(values: Values, sizes: Sizes): boolean {
  const px = (name: string) => pixels(values.get(name), { ...sizes, whole: 600 })
  const isNone = (name: string) => (px(name) ?? px(`max-${name}`) ?? 99) <= 2
  if (hasCuts(values) && (isNone('width') || isNone('height'))) return true
  const isAway = ['left', 'top', 'margin-left', 'margin-top'].some(
    (side) => (px(side) ?? 0) <= -5000,
  )
  return isAway && !values.has('width') && !values.has('height') && !values.has('padding-right')
}
