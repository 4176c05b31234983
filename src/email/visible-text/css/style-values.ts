/** The values in force on an element: long forms, with the mail's own variables put in. */

import { lookup } from '../../../system/text.ts'
import type { Work } from '../work.ts'
import { parseColour } from './colour.ts'
import { type Declaration, split } from './css-tokens.ts'
import {
  doubtful,
  fontParts,
  images,
  isNeutral,
  isWide,
  standIn,
  understood,
} from './properties.ts'

/** The variables that an element sets, and below them those it inherits. */
export interface Variables {
  own: ReadonlyMap<string, string>
  outer: Variables | undefined
}

export type Values = ReadonlyMap<string, string>

/** From where values are put in. */
interface Source {
  variables: Variables | undefined
  isQuirky: boolean
  hasPlainVariables: boolean
  work: Work
}

export function variablesOf(
  list: Declaration[],
  outer: Variables | undefined,
): Variables | undefined {
  const own = list.filter(({ property }) => property.startsWith('--'))
  if (own.length === 0) return outer
  return { own: new Map(own.map(({ property, value }) => [property, value])), outer }
}

/** The declarations come weakest first, so that a later one overrides. */
export function valuesOf(list: Declaration[], source: Source): Values {
  const values = new Map<string, string>()
  for (const { property, value } of list) {
    if (property.startsWith('--')) continue
    source.work.spend(8 * Math.max(0, value.length - 40)) // what is long takes long, for each element anew
    const plain = standIn.test(value) ? substituted(property, value, source) : value
    if (plain !== undefined)
      for (const [name, part] of longForms(property, plain)) values.set(name, part)
    else for (const [name] of longForms(property, 'unset')) values.set(name, 'unset')
  }
  return values
}

function substituted(property: string, value: string, source: Source): string | undefined {
  if (!source.hasPlainVariables || /(?<![\w-])(attr|env|if)\(/.test(value)) return doubtful
  const plain = new Substitution(source).resolve(value)
  return plain === undefined ? undefined : understood(property, plain, source.isQuirky)
}

/** Nobody needs more who does not want to be misread. */
const mostSteps = 50

interface Found {
  name: string
  value: string
  scope: Variables
}

/** Puts in what `var` stands for, each once. */
class Substitution {
  readonly #source: Source
  #steps = 0

  constructor(source: Source) {
    this.#source = source
  }

  /** Nothing where a variable is set nowhere. */
  resolve(
    value: string,
    scope = this.#source.variables,
    open: readonly Found[] = [],
  ): string | undefined {
    let text = value
    for (let at = lastStandIn(text); at !== -1; at = lastStandIn(text)) {
      if (++this.#steps > mostSteps || text.length > 2000) return doubtful
      const bracket = text.indexOf('(', at)
      const end = closing(text, bracket)
      const kind = text.slice(at, bracket)
      // A value that is put in may stand for one of the others.
      if (kind !== 'var') return doubtful
      const put = this.#put(text.slice(bracket + 1, end), scope, open)
      if (put === undefined || put === doubtful) return put
      text = `${text.slice(0, at)} ${put} ${text.slice(end + 1)}`
    }
    return text.replace(/ +/g, ' ').trim()
  }

  #put(inner: string, scope: Variables | undefined, open: readonly Found[]) {
    const comma = inner.indexOf(',')
    const fallback = comma === -1 ? undefined : inner.slice(comma + 1)
    const [name = '', type] = split(comma === -1 ? inner : inner.slice(0, comma), ' ')
    if (!name.startsWith('--') || type !== undefined) return undefined
    const found = lookUp(name, scope, this.#source.work)
    const isCycle = open.some((one) => one.name === name && one.scope === found?.scope)
    if (!found || isCycle) return fallback
    return this.resolve(found.value, found.scope, [...open, found]) ?? fallback
  }
}

/** The innermost first, so that a fallback holds no other. */
function lastStandIn(text: string): number {
  const all = new RegExp(standIn, 'g')
  let last = -1
  for (const { index } of text.matchAll(all)) last = index
  return last
}

function closing(text: string, bracket: number): number {
  let depth = 0
  for (let at = bracket; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return at
  }
  return text.length
}

function lookUp(name: string, variables: Variables | undefined, work: Work): Found | undefined {
  for (let scope = variables; scope && !work.isSpent; scope = scope.outer) {
    work.spend(1)
    const value = scope.own.get(name)
    if (value === 'initial') return undefined
    if (value !== undefined && !isWide(value)) return { name, value, scope }
  }
  return undefined
}

/** Harmless by itself, whatever else holds: also where nobody can tell whether it does. */
const plainValues = lookup<RegExp>({
  display: /^(block|inline|inline-block|list-item|table|table-row|table-cell|inline-table)$/,
  visibility: /^visible$/,
  opacity: /^1$/,
  position: /^(static|relative)$/,
  overflow: /^visible$/,
  'font-size': /^(1\d|2\d|3\d)(\.\d+)?px$/,
  'line-height': /^(normal|1(\.\d+)?|[23]\dpx|1[5-9]\d?%)$/,
  float: /^/,
  direction: /^/,
  'text-align': /^/,
  'text-align-last': /^/,
  order: /^/,
  'font-family': /^(?!"?(wing|web|zapf|symb|mono|marl))/,
  'mso-hide': /^none$/,
  'box-sizing': /^border-box$/,
  content: /^(none|normal|"[^"]*")$/,
})
const plainSize = /^(auto|none|100%|[2-6]\d\dpx)$/
const plainSpace = /^(auto|(0|\d{1,2}(px|em)?|auto)( (0|\d{1,2}(px)?|auto)){0,3})$/

export function isPlain({ property, value }: Declaration): boolean {
  if (/^(width|max-width|min-width)$/.test(property)) return plainSize.test(value)
  if (property === 'height' || property === 'min-height') return /^(auto|0(px)?)$/.test(value)
  if (/^(margin|padding)/.test(property)) return plainSpace.test(value)
  const safe = plainValues[property]
  if (safe) return safe.test(value)
  return isNeutral(property, value)
}

/** Of a box that is made beside it, also what makes that smaller or takes it out of sight. */
export const isPlainBeside = (declaration: Declaration): boolean =>
  /^(box-sizing|visibility|overflow(-[xy])?)$/.test(declaration.property) ||
  (/^(font-size|line-height)$/.test(declaration.property) && /^0(px)?$/.test(declaration.value)) ||
  isPlain(declaration)

/** The long forms of a declaration. */
function longForms(property: string, value: string): [string, string][] {
  const words = value === doubtful || isWide(value) ? [value] : split(value, ' ')
  const [, box, axis] = /^(margin|padding|inset)(?:-(block|inline))?$/.exec(property) ?? []
  if (box !== undefined) {
    const name = (side: string) => (box === 'inset' ? side : `${box}-${side}`)
    const [top = '', right = top, bottom = top, left = right] = words
    if (axis !== undefined) {
      const [from, to] = axis === 'block' ? ['top', 'bottom'] : ['left', 'right']
      return [
        [name(from ?? ''), top],
        [name(to ?? ''), right],
      ]
    }
    return [
      [name('top'), top],
      [name('right'), right],
      [name('bottom'), bottom],
      [name('left'), left],
    ]
  }
  if (property === 'overflow') {
    const [x = '', y = x] = words
    return [
      ['overflow-x', x],
      ['overflow-y', y],
    ]
  }
  if (property === 'background') return background(value)
  if (property === 'font') {
    const parts = fontParts(value) ?? { size: value, line: value, family: value }
    return [
      ['font-size', parts.size],
      ['line-height', parts.line],
      ['font-family', parts.family],
    ]
  }
  return [[property, value]]
}

function background(value: string): [string, string][] {
  const isAll = isWide(value) || value === doubtful
  const words = split(value.replaceAll('/', ' / '), ' ,')
  const colour = words.find((word) => word === 'currentcolor' || parseColour(word) !== undefined)
  const pictures = words.filter((word) => images.test(word))
  return [
    ['background-image', isAll ? value : pictures.join(', ') || 'none'],
    ['background-color', isAll ? value : (colour ?? 'transparent')],
    ['background-clip', 'border-box'],
    ['background-size', words.includes('/') ? 'other' : 'auto'],
    [
      'background-repeat',
      words.some((word) => /repeat|space|round/.test(word)) ? 'other' : 'repeat',
    ],
    ['background-position', 'auto'],
  ]
}
