/** Ways to take a whole element out of sight: no box, no size, cut away, or far off the page. */
import { gradientColour } from './colour.ts'
import { type Declaration, split } from './css-tokens.ts'
import { degrees, type Measure, pixels, ratio } from './length.ts'
import { callsOf } from './properties.ts'
import type { Values } from './style-values.ts'

/** A page as wide as most mails; shares of it cannot be known better. */
export const page = 600
const sliver = 2

type Sizes = Omit<Measure, 'whole'>

export function isOutOfSight(values: Values, sizes: Sizes): boolean {
  if (values.size === 0) return false
  const is = (property: string, words: RegExp) => words.test(values.get(property) ?? '')
  return (
    is('display', /^(none|table-column(-group)?)$/) ||
    is('content-visibility', /^hidden$/) ||
    is('text-security', /^(disc|circle|square)$/) ||
    isFlat(ratio(values.get('zoom'))) ||
    hasNoSize(values, sizes) ||
    isOffPage(values, sizes) ||
    isCutAway(values, sizes) ||
    isMasked(values.get('mask-image') ?? 'none') ||
    isMovedAway(values, sizes)
  )
}

function hasNoSize(values: Values, sizes: Sizes): boolean {
  const contain = values.get('contain') ?? ''
  const cuts =
    /strict|content|paint/.test(contain) ||
    ['overflow-x', 'overflow-y'].some((axis) =>
      /^(hidden|clip|scroll|auto|overlay)$/.test(values.get(axis) ?? ''),
    )
  if (!cuts) return false
  const px = (property: string) => pixels(values.get(property), { ...sizes, whole: page })
  const isNone = (side: 'height' | 'width', padding: string) =>
    [px(side), px(`max-${side}`)].some((size) => size !== undefined && size <= sliver) &&
    (px(`min-${side}`) ?? 0) <= sliver &&
    // What flows out of the box is seen as far as its padding reaches.
    (px(padding) ?? 0) < 8
  const isEmpty = /strict|(^| )size/.test(contain) && px('height') === undefined
  return isEmpty || isNone('height', 'padding-bottom') || isNone('width', 'padding-right')
}

function isOffPage(values: Values, measure: Sizes): boolean {
  const sides = ['left', 'right', 'top', 'bottom']
  const spaces = ['margin', 'padding'].flatMap((space) => sides.map((side) => `${space}-${side}`))
  return [...sides, ...spaces].some((property) =>
    isFar(pixels(values.get(property), { ...measure, whole: page })),
  )
}

export const isFar = (distance: number | undefined): boolean =>
  distance !== undefined && (distance <= -500 || distance >= 1500)

function isMasked(mask: string): boolean {
  return gradientColour(mask)?.alpha === 0
}

const lengths = (text: string, sizes: Sizes) =>
  split(text, ' ,').map((part) => pixels(part, { ...sizes, whole: page }))

/** The old `clip` holds for what is taken out of the flow. */
function isClipped(values: Values, sizes: Sizes): boolean {
  const [, corners = ''] = /^rect\((.*)\)$/.exec(values.get('clip') ?? '') ?? []
  if (!/^(absolute|fixed)$/.test(values.get('position') ?? '')) return false
  const [top, right, bottom, left] = lengths(corners, sizes)
  return isThin(top, bottom) || isThin(left, right)
}

const isThin = (from: number | undefined, to: number | undefined) =>
  to !== undefined && to - (from ?? 0) <= sliver

function isCutAway(values: Values, sizes: Sizes): boolean {
  if (isClipped(values, sizes)) return true
  const path = values.get('clip-path') ?? ''
  const [, shape, inner = ''] = /(?:^| )([a-z]+)\((.*)\)/.exec(path) ?? []
  if (shape === 'inset') {
    const [above = 0, after = above, below = above, before = after] = lengths(
      inner.replace(/ round .*/, ''),
      sizes,
    )
    return above + below >= page || before + after >= page
  }
  if (shape === 'circle' || shape === 'ellipse') {
    const [radii = '', centre = ''] = inner.split(/(?:^| )at /)
    const known = lengths(radii, sizes).filter((radius) => radius !== undefined)
    const reach = Math.max(0, ...known)
    const isOutside = lengths(centre, sizes).some((at) => at !== undefined && at + reach <= 0)
    return known.some((radius) => radius <= sliver) || (known.length > 0 && isOutside)
  }
  if (shape === 'rect') {
    const [top, right, bottom, left] = lengths(inner, sizes)
    return isThin(top, bottom) || isThin(left, right)
  }
  if (shape === 'xywh') {
    return lengths(inner, sizes)
      .slice(2, 4)
      .some((side) => side !== undefined && side <= sliver)
  }
  // A path that goes to no second point has no inside.
  if (shape === 'path') return (inner.match(/-?[\d.]+/g) ?? []).length < 4
  if (shape !== 'polygon') return false
  const points = split(inner, ',')
    .filter((point) => !/^(evenodd|nonzero)$/.test(point))
    .map((point) => lengths(point, sizes))
  return [0, 1].some((axis) => {
    const along = points.map((point) => point[axis]).filter((place) => place !== undefined)
    const most = Math.max(...along.slice(0, 99))
    return along.length > 0 && (most <= 0 || most - Math.min(...along.slice(0, 99)) <= sliver)
  })
}

function isMovedAway(values: Values, sizes: Sizes): boolean {
  if (split(values.get('scale') ?? '', ' ').some((part) => isFlat(ratio(part)))) return true
  if (lengths(values.get('translate') ?? '', sizes).some(isFar)) return true
  const [first = '', ...angle] = split(values.get('rotate') ?? '', ' ')
  const turned = angle.at(-1)
  const isAcross = /^[xy]$/.test(first) || (angle.length === 3 && angle[1] === '0')
  if (isAcross && isEdge(turned)) return true
  const isOneSided = values.get('backface-visibility') === 'hidden'
  return (callsOf(values.get('transform') ?? '') ?? []).some(({ name, given }) => {
    if (name.startsWith('scale')) return given.some((part) => isFlat(ratio(part)))
    if (name.startsWith('translate'))
      return given.some((part) => isFar(pixels(part, { ...sizes, whole: page / 2 })))
    const numbers = given.map((part) => ratio(part) ?? 0)
    if (name === 'matrix') {
      const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = numbers
      return Math.abs(a * d - b * c) < 0.003 || isFar(x) || isFar(y)
    }
    if (name === 'matrix3d') {
      const [a = 1, b = 0, , , c = 0, d = 1] = numbers
      return Math.abs(a * d - b * c) < 0.003 || isFar(numbers[12]) || isFar(numbers[13])
    }
    if (/^skew/.test(name)) return given.some(isEdge)
    const isTurned = /^rotate[xy]$/.test(name) || (name === 'rotate3d' && numbers[2] === 0)
    return isTurned && (isEdge(given.at(-1)) || (isOneSided && isBack(given.at(-1))))
  })
}

/** Seen from the side, where there is nothing to see. */
const isEdge = (angle: string | undefined) =>
  Math.abs(Math.cos(((degrees(angle) ?? 0) * Math.PI) / 180)) < 0.03
const isBack = (angle: string | undefined) => Math.cos(((degrees(angle) ?? 0) * Math.PI) / 180) < 0
const isFlat = (scale: number | undefined) => scale !== undefined && Math.abs(scale) < 0.05

type Attributes = ReadonlyMap<string, string>

/** An image that nobody sees is there to tell on its reader. */
export function isTiny(attributes: Attributes, list: Declaration[]): boolean {
  const styled = list
    .filter(({ property }) => /^(max-)?(width|height)$/.test(property))
    .map(({ value }) => value)
  return [attributes.get('width'), attributes.get('height'), ...styled].some((size) => {
    const px = pixels(size?.trim(), { em: 16, whole: page })
    return px !== undefined && px <= 2
  })
}
