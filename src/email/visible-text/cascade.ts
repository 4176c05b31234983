/** Which declarations hold for an element: of the style sheets, its attributes and its own style. */
import { type Declaration, declarationsOf, split, tokenize } from './css-tokens.ts'
import { type ElementFacts, hintsOf } from './element-facts.ts'
import { known } from './properties.ts'
import { asNumber, matches, type Selector, type Test } from './selector.ts'
import { type Rule, Stylesheets } from './stylesheet.ts'
import type { Work } from './work.ts'

interface StyleRule {
  selector: Selector
  within: Test | undefined
  best: Best
}

/** By property, the strongest declaration. */
type Best = Map<string, Weighed>

interface Weighed extends Declaration {
  /** Importance, layer, and whether it is the element's own. */
  rank: number
  /** Specificity, then order. */
  weight: number
}

/** Room for four million declarations in their order. */
const order = 2 ** 22
const own = Number.MAX_SAFE_INTEGER

/** What a page sets anew where it takes back all. */
const inheritedProperties = [
  'color',
  'font-size',
  'visibility',
  'text-indent',
  'letter-spacing',
  'text-fill-color',
]

export class Cascade {
  /** What variables are where nobody sets them. */
  readonly initials: ReadonlyMap<string, string>
  readonly #work: Work
  /** By the key of the innermost part of their selectors. */
  readonly #rules = new Map<string, StyleRule[]>()
  readonly #inline = new Map<string, Weighed[]>()
  readonly #families = new WeakMap<ElementFacts, Map<string, Best>>()
  readonly #animations = new Map<string, Declaration[]>()
  readonly #layers: ReadonlyMap<string, number>
  readonly #isQuirky: boolean
  #askForPlace = false
  #count = 0

  constructor(sheets: string[], work: Work, isQuirky: boolean) {
    this.#work = work
    this.#isQuirky = isQuirky
    const read = new Stylesheets(work, isQuirky)
    for (const sheet of sheets) read.read(sheet)
    this.initials = read.initials
    this.#layers = read.layerRanks()
    for (const [name, list] of read.animations) this.#animations.set(name, known(list, isQuirky))
    for (const rule of read.rules) this.#add(rule)
  }

  #add({ selectors, declarations, layer, within }: Rule): void {
    const list = known(declarations, this.#isQuirky)
    if (list.length === 0) return
    for (const selector of selectors) {
      this.#askForPlace ||= selector.asksPlace
      const rule: StyleRule = { selector, within, best: new Map() }
      const [{ key }] = selector.steps
      const others = this.#rules.get(key)
      if (others) others.push(rule)
      else this.#rules.set(key, [rule])
      merge(rule.best, this.#weigh(list, asNumber(selector.weight), this.#layers.get(layer)))
    }
  }

  /** What is not in a layer is stronger than what is; where it is important it is the other way round. */
  #weigh(list: Declaration[], specificity: number, layer = this.#layers.size + 1): Weighed[] {
    const layers = this.#layers.size + 1
    return list.map((declaration) => ({
      ...declaration,
      rank: declaration.important ? 4 * layers - layer : layer,
      weight: specificity * order + Math.min(++this.#count, order - 1),
    }))
  }

  /** The winning declaration of each property, the weakest first. */
  declarationsFor(element: ElementFacts): Declaration[] {
    const hints = hintsOf(element)
    const style = element.attributes.get('style')
    const rules = this.#rules.size === 0 ? undefined : this.#bestFor(element)
    if (hints.length === 0 && !rules?.size && !style) return []
    const best: Best = new Map()
    for (const hint of hints)
      best.set(hint.property, { ...hint, important: false, rank: 0, weight: 0 })
    if (rules) merge(best, rules.values())
    if (style) merge(best, this.#ownStyle(style))
    this.#animate(best)
    takeBack(best)
    this.#work.spend(best.size)
    return [...best.values()].sort(stronger)
  }

  /** An animation that stays at its end looks like its last step. */
  #animate(best: Best): void {
    const words = [
      'animation',
      'animation-name',
      'animation-fill-mode',
      'animation-iteration-count',
    ]
      .map((property) => best.get(property)?.value ?? '')
      .join(' ')
    if (!/\b(forwards|both|infinite)\b/.test(words)) return
    const rank = 2 * (this.#layers.size + 1)
    for (const name of split(words, ' ,')) {
      const frames = this.#animations.get(name.replaceAll('"', '')) ?? []
      merge(
        best,
        frames.map((frame) => ({ ...frame, rank, weight: 0 })),
      )
    }
  }

  /** Siblings with the same attributes match the same rules, but for those that ask for their place. */
  #bestFor(element: ElementFacts): Best {
    const { parent, tag, signature } = element
    if (!parent || element.siblings.length === 1) return this.#search(element, () => true)
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
        if (!isWanted(rule) || !matches(element, rule.selector, this.#work)) continue
        if (rule.within && !rule.within(element, this.#work)) continue
        this.#work.spend(10 * rule.best.size)
        merge(best, rule.best.values())
      }
    }
    return best
  }

  #ownStyle(style: string): Weighed[] {
    let list = this.#inline.get(style)
    if (!list) {
      const declarations = known(declarationsOf(tokenize(style, this.#work)), this.#isQuirky)
      const rank = 1.5 * (this.#layers.size + 1)
      list = this.#weigh(declarations, 0).map((one) => ({
        ...one,
        rank: one.important ? own : rank,
      }))
      this.#inline.set(style, list)
    }
    return list
  }
}

const stronger = (one: Weighed, other: Weighed) =>
  one.rank - other.rank || one.weight - other.weight

/** `all` takes back what is weaker. */
function takeBack(best: Best): void {
  const all = best.get('all')
  if (!all) return
  for (const [property, one] of best)
    if (!property.startsWith('--') && stronger(one, all) < 0) best.delete(property)
  if (all.value === 'initial')
    for (const property of inheritedProperties)
      if (!best.has(property)) best.set(property, { ...all, property })
}

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
