/** Ways to take a whole element out of sight: no box, no size, cut away, or far off the page. */
import { split } from './css-scan.ts'
import { pixels } from './length.ts'
import type { Values } from './style-values.ts'

/** A page as wide as most mails; shares of it cannot be known better. */
export const page = 600
const sliver = 2

export function isOutOfSight(values: Values, em: number): boolean {
  if (values.size === 0) return false
  const is = (property: string, words: RegExp) => words.test(values.get(property) ?? '')
  return (
    is('display', /^none\b/) ||
    is('content-visibility', /^hidden$/) ||
    is('text-security', /^(disc|circle|square)$/) ||
    isFlat(factor(values.get('zoom') ?? '1')) ||
    hasNoSize(values, em) ||
    isOffPage(values, em) ||
    isCutAway(values, em) ||
    isMovedAway(values, em)
  )
}

function hasNoSize(values: Values, em: number): boolean {
  const cuts = ['overflow-x', 'overflow-y'].some((axis) =>
    /^(hidden|clip|scroll|auto)$/.test(values.get(axis) ?? ''),
  )
  if (!cuts) return false
  const px = (property: string) => pixels(values.get(property), { em, whole: page })
  const isNone = (side: 'height' | 'width', padding: string) =>
    [px(side), px(`max-${side}`)].some((size) => size !== undefined && size <= sliver) &&
    (px(`min-${side}`) ?? 0) <= sliver &&
    // What flows out of the box is seen as far as its padding reaches.
    (px(padding) ?? 0) < 8
  return isNone('height', 'padding-bottom') || isNone('width', 'padding-right')
}

function isOffPage(values: Values, em: number): boolean {
  const sides = ['left', 'right', 'top', 'bottom']
  const spaces = ['margin', 'padding'].flatMap((space) => sides.map((side) => `${space}-${side}`))
  return [...sides, ...spaces].some((property) =>
    isFar(pixels(values.get(property), { em, whole: page })),
  )
}

export const isFar = (distance: number | undefined): boolean =>
  distance !== undefined && (distance <= -500 || distance >= 1500)

function isCutAway(values: Values, em: number): boolean {
  const [, corners] = /^rect\((.*)\)$/.exec(values.get('clip') ?? '') ?? []
  const [top, right, bottom, left] = lengths(corners ?? '', em)
  if (top !== undefined && bottom !== undefined && bottom - top <= sliver) return true
  if (left !== undefined && right !== undefined && right - left <= sliver) return true
  const [, shape, inner = ''] = /^([a-z]+)\((.*)\)/.exec(values.get('clip-path') ?? '') ?? []
  if (shape === 'inset') {
    const [above = 0, after = above, below = above, before = after] = lengths(
      inner.replace(/ round .*/, ''),
      em,
    )
    return above + below >= page || before + after >= page
  }
  if (shape === 'circle' || shape === 'ellipse') {
    return lengths(inner.replace(/\bat .*/, ''), em).some(
      (radius) => radius !== undefined && radius <= sliver,
    )
  }
  if (shape !== 'polygon') return false
  const points = split(inner, ',').map((point) => lengths(point, em))
  return [0, 1].some((axis) => {
    const along = points.map((point) => point[axis]).filter((place) => place !== undefined)
    return (
      along.length > 0 &&
      Math.max(...along.slice(0, 99)) - Math.min(...along.slice(0, 99)) <= sliver
    )
  })
}

const lengths = (text: string, em: number) =>
  split(text, ' ,').map((part) => pixels(part, { em, whole: page }))

function isMovedAway(values: Values, em: number): boolean {
  const scale = split(values.get('scale') ?? '', ' ').map(factor)
  if (scale.some(isFlat)) return true
  if (lengths(values.get('translate') ?? '', em).some(isFar)) return true
  const transform = values.get('transform') ?? ''
  return [...transform.matchAll(/([a-z0-9]+)\(([^()]*(?:\([^()]*\))?[^()]*)\)/g)].some(
    ([, name = '', inner = '']) => {
      const parts = split(inner, ' ,')
      if (name.startsWith('scale')) return parts.map(factor).some(isFlat)
      if (name.startsWith('translate')) {
        return parts.some((part) => isFar(pixels(part, { em, whole: page / 2 })))
      }
      if (name === 'matrix') {
        const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = parts.map(Number)
        return Math.abs(a * d - b * c) < 0.003 || isFar(x) || isFar(y)
      }
      return /^rotate[xy]$/.test(name) && /^-?(90|270)deg$|^-?0?\.[27]5turn$/.test(parts[0] ?? '')
    },
  )
}

const factor = (text: string) =>
  text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text)
const isFlat = (scale: number) => Math.abs(scale) < 0.05
