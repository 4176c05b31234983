/** Which declarations hold for an element: of the style sheets, its attributes and its own style. */

import { type ElementFacts, hintsOf } from '../element-facts.ts'
import type { Work } from '../work.ts'
import { type Declaration, declarationsOf, tokenize } from './css-tokens.ts'
import { known } from './properties.ts'
import { asNumber, matches, type Selector } from './selector.ts'
import type { Rule, Stylesheets } from './stylesheet.ts'

/** What the style sheets say about an element. */
export interface ElementStyle {
  /** The winning declaration of each property, the weakest first. */
  sure: Declaration[]
  /** Those that may hold or not: nobody can tell. */
  unsure: readonly Declaration[]
  /** Those of boxes that are made beside it, by ::before and ::after. */
  beside: readonly Declaration[]
}

interface StyleRule {
  selector: Selector
  isSure: boolean
  best: Best
}

/** By property, the strongest declaration. */
type Best = Map<string, Weighed>

interface Weighed extends Declaration {
  /** Importance, and whether it is the element's own. */
  rank: number
  /** Specificity, then order. */
  weight: number
}

interface Found {
  best: Best
  unsure: Declaration[]
  beside: Declaration[]
}

/** Room for four million declarations in their order. */
const order = 2 ** 22

const nothing: ElementStyle = { sure: [], unsure: [], beside: [] }

export class Cascade {
  readonly isQuirky: boolean
  /** Whether variables are what their elements say. */
  readonly hasPlainVariables: boolean
  readonly #work: Work
  /** By the key of the innermost part of their selectors. */
  readonly #rules = new Map<string, StyleRule[]>()
  readonly #inline = new Map<string, Weighed[]>()
  readonly #families = new WeakMap<ElementFacts, Map<string, Found>>()
  /** Whether a rule asks where an element stands among its siblings. */
  asksPlace = false
  #count = 0

  constructor({ rules, hasProperties }: Stylesheets, work: Work, isQuirky: boolean) {
    this.#work = work
    this.isQuirky = isQuirky
    this.hasPlainVariables = !hasProperties
    for (const rule of rules) this.#add(rule)
  }

  #add({ selectors, declarations, isSure }: Rule): void {
    const list = known(declarations, this.isQuirky)
    if (list.length === 0) return
    for (const selector of selectors) {
      this.asksPlace ||= selector.asksPlace
      const rule = { selector, isSure: isSure && selector.isSure, best: new Map() }
      const [{ key }] = selector.steps
      const others = this.#rules.get(key)
      if (others) others.push(rule)
      else this.#rules.set(key, [rule])
      merge(rule.best, this.#weigh(list, asNumber(selector.weight)))
    }
  }

  #weigh(list: Declaration[], specificity: number, isOwn = false): Weighed[] {
    return list.map((declaration) => ({
      ...declaration,
      rank: (declaration.important ? 3 : 1) + (isOwn ? 1 : 0),
      weight: specificity * order + Math.min(++this.#count, order - 1),
    }))
  }

  styleOf(element: ElementFacts): ElementStyle {
    const hints = hintsOf(element)
    const style = element.attributes.get('style')
    const found = this.#rules.size === 0 ? undefined : this.#found(element)
    if (hints.length === 0 && !found && !style) return nothing
    const best: Best = new Map()
    for (const hint of hints)
      best.set(hint.property, { ...hint, important: false, rank: 0, weight: 0 })
    if (found) merge(best, found.best.values())
    if (style) merge(best, this.#ownStyle(style))
    const { unsure = [], beside = [] } = found ?? {}
    this.#work.spend(best.size + unsure.length + beside.length)
    return { sure: [...best.values()].sort(stronger), unsure, beside }
  }

  /** Siblings with the same attributes match the same rules, but for those that ask for their place. */
  #found(element: ElementFacts): Found {
    const { parent, tag, signature } = element
    if (!parent || element.siblings.length === 1) return this.#search(element, () => true)
    const family = this.#families.get(parent) ?? new Map<string, Found>()
    this.#families.set(parent, family)
    const name = `${tag} ${signature}`
    const shared = family.get(name) ?? this.#search(element, ({ selector }) => !selector.asksPlace)
    family.set(name, shared)
    if (!this.asksPlace) return shared
    const own = this.#search(element, ({ selector }) => selector.asksPlace)
    merge(own.best, shared.best.values())
    return {
      best: own.best,
      unsure: [...own.unsure, ...shared.unsure],
      beside: [...own.beside, ...shared.beside],
    }
  }

  #search(element: ElementFacts, isWanted: (rule: StyleRule) => boolean): Found {
    const found: Found = { best: new Map(), unsure: [], beside: [] }
    for (const key of keysOf(element)) {
      this.#work.spend(1)
      for (const rule of this.#rules.get(key) ?? []) {
        if (this.#work.isSpent) return found
        this.#work.spend(1)
        if (!isWanted(rule) || !matches(element, rule.selector, this.#work)) continue
        this.#work.spend(10 * rule.best.size)
        const { meant } = rule.selector
        if (meant === 'beside') found.beside.push(...rule.best.values())
        else if (meant === 'inside' || !rule.isSure) found.unsure.push(...rule.best.values())
        else merge(found.best, rule.best.values())
      }
    }
    return found
  }

  #ownStyle(style: string): Weighed[] {
    let list = this.#inline.get(style)
    if (!list) {
      const declarations = known(declarationsOf(tokenize(style, this.#work)), this.isQuirky)
      list = this.#weigh(declarations, 0, true)
      this.#inline.set(style, list)
    }
    return list
  }
}

const stronger = (one: Weighed, other: Weighed) =>
  one.rank - other.rank || one.weight - other.weight

function* keysOf({ tag, id, classes, attributes }: ElementFacts): Generator<string> {
  yield '*'
  yield tag
  if (id !== '') yield `#${id.toLowerCase()}`
  for (const name of classes) yield `.${name.toLowerCase()}`
  for (const name of attributes.keys()) yield `[${name}`
}

function merge(best: Best, list: Iterable<Weighed>): void {
  for (const declaration of list) {
    const before = best.get(declaration.property)
    if (!before || stronger(declaration, before) >= 0) best.set(declaration.property, declaration)
  }
}
