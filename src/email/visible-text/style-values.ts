/** The values in force on an element: long forms, with the mail's own variables put in. */
import { black, parseColour } from './colour.ts'
import { type Declaration, split } from './css-tokens.ts'
import type { ElementFacts } from './element-facts.ts'
import { fontParts, isSupported, isWide, standIn } from './properties.ts'
import type { Work } from './work.ts'

/** The variables that an element sets, and below them those it inherits. */
export interface Variables {
  own: ReadonlyMap<string, string>
  outer: Variables | undefined
}

export type Values = ReadonlyMap<string, string>

/** From where values are put in. */
interface Source {
  variables: Variables | undefined
  attributes: ElementFacts['attributes']
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
    const plain = standIn.test(value) ? new Substitution(source).resolve(value) : value
    if (plain === tangled) values.set('display', 'none')
    else if (plain === value || (plain !== undefined && isSupported(property, plain)))
      for (const [name, part] of longForms(property, plain)) values.set(name, part)
    else for (const [name] of longForms(property, 'unset')) values.delete(name)
  }
  return values
}

/** What takes too many steps to tell; nobody needs that many who does not want to be misread. */
const tangled = '\ufffd'
const mostSteps = 50

interface Found {
  name: string
  value: string
  scope: Variables
}

/** Puts in what `var`, `env`, `attr` and `if` stand for, each once. */
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
      if (++this.#steps > mostSteps || text.length > 2000) return tangled
      const bracket = text.indexOf('(', at)
      const end = closing(text, bracket)
      const put = this.#put(text.slice(at, bracket), text.slice(bracket + 1, end), scope, open)
      if (put === undefined || put === tangled) return put
      text = `${text.slice(0, at)} ${put} ${text.slice(end + 1)}`
    }
    return text.replace(/ +/g, ' ').trim()
  }

  #put(kind: string, inner: string, scope: Variables | undefined, open: readonly Found[]) {
    const comma = inner.indexOf(',')
    const fallback = comma === -1 ? undefined : inner.slice(comma + 1)
    const [name = '', type] = split(comma === -1 ? inner : inner.slice(0, comma), ' ')
    if (kind === 'if') return /(?:^|[; ])else ?: ?([^;]*)/.exec(inner)?.[1]
    if (kind === 'attr')
      return (type && this.#source.attributes.get(name)?.toLowerCase()) || fallback
    if (kind === 'env') return fallback
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

/** The long forms of a declaration. */
function longForms(property: string, value: string): [string, string][] {
  const words = split(value, ' ')
  const [, box, axis] = /^(margin|padding|inset)(?:-(block|inline))?$/.exec(property) ?? []
  if (box !== undefined) {
    const name = (side: string) => (box === 'inset' ? side : `${box}-${side}`)
    const [top = '', right = top, bottom = top, left = right] = words
    if (axis === 'block')
      return [
        [name('top'), top],
        [name('bottom'), right],
      ]
    if (axis === 'inline')
      return [
        [name('left'), top],
        [name('right'), right],
      ]
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
  if (property === 'mask') return [['mask-image', value]]
  if (property === 'background') return background(value)
  if (property === 'font') {
    const { size, line } = fontParts(value) ?? { size: value, line: value }
    return [
      ['font-size', size],
      ['line-height', line],
    ]
  }
  return [[property, value]]
}

function background(value: string): [string, string][] {
  const isAll = isWide(value)
  const words = split(value.replaceAll('/', ' / '), ' ,')
  const image = words.find(
    (word) => /^[a-z-]+\(/.test(word) && parseColour(word, black) === undefined,
  )
  const colour = words.find((word) => parseColour(word, black) !== undefined)
  const slash = words.indexOf('/')
  return [
    ['background-image', isAll ? value : (image ?? 'none')],
    ['background-color', isAll ? value : (colour ?? 'transparent')],
    ['background-clip', isAll ? value : words.includes('text') ? 'text' : 'border-box'],
    [
      'background-size',
      isAll || slash === -1 ? 'auto' : words.slice(slash + 1, slash + 3).join(' '),
    ],
  ]
}
