/** Selectors of CSS: what they ask of an element and of those around it, and how much they weigh. */

import { type ElementFacts, elderOf } from '../element-facts.ts'
import type { Work } from '../work.ts'
import { type CssToken, findSign, isSign, type Range } from './css-tokens.ts'
import { attribute, lower, pseudoClass, same } from './selector-parts.ts'

export type Test = (element: ElementFacts, work: Work) => boolean

interface Step {
  tests: Test[]
  /** By which the rules for an element are found: `#id`, `.class`, `[attribute`, `tag` or `*`. */
  key: string
  /** How it relates to the step before it: an ancestor, parent, neighbour or elder sibling. */
  relation: string
}

export interface Selector {
  /** The element itself first, then outward. */
  steps: [Step, ...Step[]]
  weight: Weight
  /** Whether it matters which siblings stand around the element, or what stands in it. */
  asksPlace: boolean
  /** False where it may fit less than it seems to: it asks for something that cannot be told. */
  isSure: boolean
  meant: Meant
}

/** What it means of an element: itself, a part of its text, or a box that is made beside that. */
export type Meant = 'itself' | 'inside' | 'beside'

/** Ids, classes and tags. */
export type Weight = [ids: number, classes: number, tags: number]

/** Where a selector stands. */
export interface ElementSurroundings {
  /** An old page, in which classes and ids know no upper case. */
  isQuirky: boolean
  /** The selectors of the rule around it, which `&` means. */
  parents?: readonly Selector[] | undefined
  /** In @scope, where a selector may begin with its relation. */
  isScoped?: boolean
  /** How many selectors it stands in. */
  depth: number
  work: Work
}

/** Nobody writes more: who does wants nobody to see what it hides. */
const [mostSteps, deepest] = [200, 50]

export const asNumber = (weight: Weight): number =>
  weight.reduce((sum, count) => sum * 256 + Math.min(count, 255), 0)

const heaviest = (list: readonly Selector[]): Weight =>
  list.reduce<Weight>(
    (most, { weight }) => (asNumber(weight) > asNumber(most) ? weight : most),
    [0, 0, 0],
  )

/** Nothing where one of them is none: then a browser passes over the whole list. */
export function parseSelectors(
  range: Range,
  place: ElementSurroundings,
  isRelative = false,
): Selector[] | undefined {
  if (place.depth > deepest) place.work.spend(Number.POSITIVE_INFINITY)
  if (place.work.isSpent) return undefined
  const list = partsOf(range).map((part) => new Reader(part, place, isRelative).read())
  const known = list.filter((selector) => selector !== undefined)
  return known.length === list.length ? known : undefined
}

function partsOf(range: Range): Range[] {
  const parts: Range[] = []
  for (let { from } = range; from <= range.to; ) {
    const to = findSign({ ...range, from }, ',')
    parts.push({ ...range, from, to })
    from = to + 1
  }
  return parts
}

class Reader {
  readonly #range: Range
  readonly #place: ElementSurroundings
  readonly #isRelative: boolean
  readonly #weight: Weight = [0, 0, 0]
  #at: number
  #asksPlace = false
  #isSure = true
  #meant: Meant = 'itself'

  constructor(range: Range, place: ElementSurroundings, isRelative: boolean) {
    this.#range = range
    this.#place = place
    this.#isRelative = isRelative
    this.#at = range.from
  }

  get #token(): CssToken | undefined {
    return this.#at < this.#range.to ? this.#range.tokens[this.#at] : undefined
  }

  read(): Selector | undefined {
    const steps: Step[] = []
    let relation = this.#relation()
    if (relation.trim() !== '' && !this.#isRelative) return undefined
    for (let isFirst = true; isFirst || this.#token; isFirst = false) {
      const before = steps.at(-1)
      if (before) before.relation = relation
      const step = this.#compound()
      if (!step) return undefined
      if (isFirst && this.#isRelative && (relation.trim() !== '' || !this.#meansParent()))
        steps.push({ ...this.#parent(), relation: relation.trim() || ' ' })
      steps.push(step)
      relation = this.#relation()
      if (relation.trim() !== '' && !this.#token) return undefined
      if (this.#meant !== 'itself' && this.#token) return undefined
    }
    if (steps.length > mostSteps) this.#place.work.spend(Number.POSITIVE_INFINITY)
    const [first, ...others] = steps.reverse()
    if (!first) return undefined
    return {
      steps: [first, ...others],
      weight: this.#weight,
      asksPlace: this.#asksPlace,
      isSure: this.#isSure,
      meant: this.#meant,
    }
  }

  /** What stands between two compounds: blanks, or blanks and a sign. */
  #relation(): string {
    let found = ''
    for (let one = this.#token; one; one = this.#token) {
      const isOne = one.kind === 'sign' && /^[>+~]$/.test(one.text)
      if (one.kind !== 'blank' && !(isOne && found.trim() === '')) break
      found = isOne ? one.text : found || ' '
      this.#at++
    }
    if (found === '+' || found === '~') this.#asksPlace = true
    return found
  }

  /** Whether there is a `&` in it: then no blank stands for one before it. */
  #meansParent(): boolean {
    const { tokens, from, to } = this.#range
    return tokens.slice(from, to).some((one) => isSign(one, '&'))
  }

  #parent(): Step {
    const { parents } = this.#place
    const weight = heaviest(parents ?? [])
    this.#count(weight)
    this.#asksPlace ||= parents?.some(({ asksPlace }) => asksPlace) ?? false
    // Outside of a rule it means the page, or where @scope begins.
    this.#isSure &&= parents ? areSure(parents) : false
    return { tests: [parents ? anyOf(parents) : () => true], key: '*', relation: '' }
  }

  #count(weight: Weight): void {
    for (const at of [0, 1, 2] as const) this.#weight[at] += weight[at]
  }

  #compound(): Step | undefined {
    const tests: Test[] = []
    const keys: string[] = []
    const start = this.#at
    const tag = this.#tag()
    if (tag === undefined) return undefined
    if (!/^\*?$/.test(tag)) {
      keys.push(tag)
      tests.push(tag === '|' ? () => false : (element) => element.tag === tag)
      this.#weight[2]++
    }
    for (let one = this.#token; one && one.kind !== 'blank'; one = this.#token) {
      if (one.kind === 'sign' && /^[>+~]$/.test(one.text)) break
      if (this.#meant !== 'itself' && !isSign(one, ':')) return undefined
      const test = this.#simple(one, keys)
      if (!test) return undefined
      tests.push(test)
    }
    if (this.#at === start) return undefined
    const key = ['#', '.', '['].map((mark) => keys.find((it) => it.startsWith(mark))).find(Boolean)
    return { tests, key: key ?? keys[0] ?? '*', relation: '' }
  }

  /** `|` where it is in no namespace; what another means is not asked. */
  #tag(): string | undefined {
    const names: string[] = []
    for (let one = this.#token; one; one = this.#token) {
      if (one.kind !== 'name' && !isSign(one, '*') && !isSign(one, '|')) break
      names.push(one.text)
      this.#at++
    }
    const [, prefix, bar, tag] = /^(?:([^|]*)(\|))?([^|]*)$/.exec(names.join('')) ?? []
    const isOne = names.length === 0 || (tag !== '' && names.length <= (bar ? (prefix ? 3 : 2) : 1))
    if (tag === undefined || !isOne) return undefined
    if (bar && prefix === '') return '|'
    if (bar && prefix !== '*') this.#isSure = false
    return tag.toLowerCase()
  }

  #simple(one: CssToken, keys: string[]): Test | undefined {
    const fold = this.#place.isQuirky ? lower : same
    this.#at++
    if (one.kind === 'hash') {
      const wanted = fold(one.text)
      this.#weight[0]++
      keys.push(`#${wanted.toLowerCase()}`)
      return ({ id }) => fold(id) === wanted
    }
    if (isSign(one, '.')) {
      const next = this.#token
      if (next?.kind !== 'name') return undefined
      this.#at++
      this.#weight[1]++
      keys.push(`.${next.text.toLowerCase()}`)
      if (!this.#place.isQuirky) return ({ classes }) => classes.has(next.text)
      const wanted = lower(next.text)
      return ({ classes }) => classes.has(wanted) || [...classes].some((it) => lower(it) === wanted)
    }
    if (isSign(one, '[')) {
      const inner = { ...this.#range, from: this.#at, to: one.end }
      this.#at = one.end + 1
      this.#weight[1]++
      return attribute(inner, keys)
    }
    if (isSign(one, '&')) return this.#parent().tests[0]
    return isSign(one, ':') ? this.#pseudo() : undefined
  }

  #pseudo(): Test | undefined {
    const isElement = isSign(this.#token, ':')
    if (isElement) this.#at++
    const one = this.#token
    if (!one || (one.kind !== 'name' && one.kind !== 'call')) return undefined
    const isCall = one.kind === 'call'
    const inner = isCall ? { ...this.#range, from: this.#at + 1, to: one.end } : undefined
    this.#at = isCall ? one.end + 1 : this.#at + 1
    const place = { ...this.#place, depth: this.#place.depth + 1 }
    const group = (selectors: Selector[]) => ({
      selectors,
      any: anyOf(selectors),
      isSure: areSure(selectors),
    })
    const found = pseudoClass(
      { name: one.text.toLowerCase(), inner, isElement },
      {
        strict(range) {
          const list = parseSelectors(range, place)
          return list?.every(({ meant }) => meant === 'itself') ? group(list) : undefined
        },
        forgiving(range) {
          const list = partsOf(range)
            .flatMap((part) => parseSelectors(part, place) ?? [])
            .filter(({ meant }) => meant === 'itself')
          return group(list)
        },
      },
    )
    if (!found) return undefined
    this.#isSure &&= found.isSure !== false
    if (this.#meant === 'itself') this.#meant = found.meant ?? 'itself'
    this.#count(found.weight)
    if (found.isHeavy !== false) this.#count(heaviest(found.selectors ?? []))
    this.#asksPlace ||=
      found.asksPlace || (found.selectors?.some(({ asksPlace }) => asksPlace) ?? false)
    return found.test
  }
}

const areSure = (list: readonly Selector[]) => list.every(({ isSure }) => isSure)
const anyOf =
  (list: readonly Selector[]): Test =>
  (element, work) =>
    list.some((selector) => matches(element, selector, work))

export const matches = (element: ElementFacts, { steps }: Selector, work: Work): boolean =>
  walk(element, steps, 0, work) === 'yes'

/** `no` where an element further out might do, `never` where none can: so no way is gone twice. */
type Outcome = 'yes' | 'no' | 'no sibling' | 'never'

function walk(element: ElementFacts, steps: Step[], at: number, work: Work): Outcome {
  const [step, next] = [steps[at], steps[at + 1]]
  work.spend(1 + (step?.tests.length ?? 0))
  if (work.isSpent) return 'never'
  if (!step?.tests.every((test) => test(element, work))) return 'no'
  if (!next) return 'yes'
  const isAncestor = next.relation === ' ' || next.relation === '>'
  const outward = (from: ElementFacts) => (isAncestor ? from.parent : elderOf(from))
  for (let here = outward(element); here; here = outward(here)) {
    const outcome = walk(here, steps, at + 1, work)
    if (outcome === 'yes' || outcome === 'never') return outcome
    if (!isAncestor && outcome === 'no sibling') return outcome
    if (next.relation === '>' || next.relation === '+') return 'no'
  }
  return isAncestor ? 'never' : 'no sibling'
}
