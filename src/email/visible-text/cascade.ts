/** Which declarations hold for an element: of the style sheets, its attributes and its own style. */
import { type Declaration, declarations, withoutComments } from './css-scan.ts'
import type { ElementFacts } from './element-facts.ts'
import { hintsOf } from './hints.ts'
import { known } from './properties.ts'
import { parseSelector, type Selector } from './selector.ts'
import { rulesOf } from './stylesheet.ts'
import type { Work } from './work.ts'

interface StyleRule {
  selector: Selector
  best: Best
}

/** By property, the strongest declaration. */
type Best = Map<string, Weighed>

interface Weighed extends Declaration {
  /** Importance, then specificity, then order. */
  weight: number
}

/** Room for four million declarations in their order. */
const order = 2 ** 22
const inline = 2 ** 24
const important = 2 ** 48

const longestSelector = 10_000

export class Cascade {
  readonly #work: Work
  /** By the key of the innermost part of their selectors. */
  readonly #rules = new Map<string, StyleRule[]>()
  readonly #inline = new Map<string, Weighed[]>()
  readonly #families = new WeakMap<ElementFacts, Map<string, Best>>()
  #askForPlace = false
  #count = 0

  constructor(sheets: string[], work: Work) {
    this.#work = work
    const bySelector = new Map<string, StyleRule>()
    for (const rule of sheets.flatMap(rulesOf)) {
      const list = known(rule.declarations)
      if (list.length === 0) continue
      for (const text of rule.selectors) this.#add(text, list, bySelector)
    }
  }

  #add(text: string, list: Declaration[], bySelector: Map<string, StyleRule>): void {
    // None is that long: whoever writes one wants nobody to see what it hides.
    if (text.length > longestSelector) this.#work.spend(Number.POSITIVE_INFINITY)
    if (this.#work.isSpent) return
    let rule = bySelector.get(text)
    if (!rule) {
      const selector = parseSelector(text)
      if (!selector) return
      rule = { selector, best: new Map() }
      bySelector.set(text, rule)
      this.#askForPlace ||= selector.asksPlace
      const [{ key }] = selector.steps
      const others = this.#rules.get(key)
      if (others) others.push(rule)
      else this.#rules.set(key, [rule])
    }
    merge(rule.best, this.#weigh(list, rule.selector.weight))
  }

  #weigh(list: Declaration[], specificity: number): Weighed[] {
    return list.map((declaration) => ({
      ...declaration,
      weight:
        (declaration.important ? important : 0) +
        specificity * order +
        Math.min(++this.#count, order - 1),
    }))
  }

  /** The winning declaration of each property, the weakest first. */
  declarationsFor(element: ElementFacts): Declaration[] {
    const hints = hintsOf(element)
    const style = element.attributes.get('style')
    const rules = this.#rules.size === 0 ? undefined : this.#bestFor(element)
    if (hints.length === 0 && !rules?.size && !style) return []
    const best: Best = new Map()
    for (const hint of hints) best.set(hint.property, { ...hint, important: false, weight: 0 })
    if (rules) merge(best, rules.values())
    if (style) merge(best, this.#ownStyle(style))
    this.#work.spend(best.size)
    return [...best.values()].sort((a, b) => a.weight - b.weight)
  }

  /** Siblings with the same attributes match the same rules, but for those that ask for their place. */
  #bestFor(element: ElementFacts): Best {
    const { parent, tag, signature } = element
    if (!parent || element.siblings === 1) return this.#search(element, () => true)
    const family = this.#families.get(parent) ?? new Map<string, Best>()
    this.#families.set(parent, family)
    const name = `${tag} ${signature}`
    const shared = family.get(name) ?? this.#search(element, ({ selector }) => !selector.asksPlace)
    family.set(name, shared)
    if (!this.#askForPlace) return shared
    const own = this.#search(element, ({ selector }) => selector.asksPlace)
    merge(own, shared.values())
    return own
  }

  #search(element: ElementFacts, isWanted: (rule: StyleRule) => boolean): Best {
    const best: Best = new Map()
    for (const key of keysOf(element)) {
      this.#work.spend(1)
      for (const rule of this.#rules.get(key) ?? []) {
        if (this.#work.isSpent) return best
        this.#work.spend(1)
        if (!isWanted(rule) || !this.#matches(element, rule.selector)) continue
        this.#work.spend(10 * rule.best.size)
        merge(best, rule.best.values())
      }
    }
    return best
  }

  #ownStyle(style: string): Weighed[] {
    let list = this.#inline.get(style)
    if (!list) {
      list = this.#weigh(known(declarations(withoutComments(style))), inline)
      this.#inline.set(style, list)
    }
    return list
  }

  /** From the element outward, back to the last ancestor that was chosen among several. */
  #matches(element: ElementFacts, { steps }: Selector): boolean {
    let here: ElementFacts | undefined = element
    let again: { step: number; from: ElementFacts } | undefined
    for (let at = 0; at < steps.length; ) {
      const step = steps[at]
      if (!step || this.#work.isSpent) return false
      if (at > 0 && here) here = related(here, step.relation)
      const isWide = step.relation === ' ' || step.relation === '~'
      while (here && !this.#fits(here, step.tests)) {
        here = at > 0 && isWide && !this.#work.isSpent ? related(here, step.relation) : undefined
      }
      if (here) {
        if (step.relation === ' ') again = { step: at, from: here }
        at++
      } else if (again && at > again.step && step.relation !== ' ') {
        here = again.from
        at = again.step
      } else return false
    }
    return true
  }

  #fits(element: ElementFacts, tests: ((element: ElementFacts) => boolean)[]): boolean {
    this.#work.spend(1 + tests.length)
    return tests.every((test) => test(element))
  }
}

const related = (element: ElementFacts, relation: string) =>
  relation === ' ' || relation === '>' ? element.parent : element.elder

function* keysOf({ tag, id, classes, attributes }: ElementFacts): Generator<string> {
  yield '*'
  yield tag
  if (id !== '') yield `#${id}`
  for (const name of classes) yield `.${name}`
  for (const name of attributes.keys()) yield `[${name}`
}

function merge(best: Best, list: Iterable<Weighed>): void {
  for (const declaration of list) {
    const { property, weight } = declaration
    if (weight >= (best.get(property)?.weight ?? 0)) best.set(property, declaration)
  }
}
