/** The rules of a mail's style sheets, as far as they apply to a screen. */
import { appliesToContainer, appliesToScreen, isSupportedHere } from './conditions.ts'
import {
  asWritten,
  type Declaration,
  declarationsOf,
  findSign,
  type Item,
  itemsOf,
  type Range,
  split,
  tokenize,
} from './css-tokens.ts'
import { dataSheet } from './html-tree.ts'
import { matches, parseSelectors, type Selector, type Surroundings, type Test } from './selector.ts'
import type { Work } from './work.ts'

export interface Rule {
  selectors: Selector[]
  declarations: Declaration[]
  /** Names with dots between them; empty where it stands in none. */
  layer: string
  /** What else is asked of its element. */
  within: Test | undefined
}

interface Context {
  place: Surroundings
  layer: string
  within: Test | undefined
}

interface Open extends Context {
  items: Generator<Item>
  /** The declarations of the rule in which it stands belong to these. */
  selectors: Selector[] | undefined
}

const longestPrelude = 10_000
const deepestRule = 50
const mostImports = 20

export class Stylesheets {
  readonly rules: Rule[] = []
  /** By name, the declarations of the last step of an animation. */
  readonly animations = new Map<string, Declaration[]>()
  /** What variables are where nobody sets them. */
  readonly initials = new Map<string, string>()
  /** In the order in which they are first named. */
  readonly layers = new Set<string>()
  readonly #work: Work
  readonly #isQuirky: boolean
  /** The rules that make containers. */
  readonly #containers: { value: string; selectors: Selector[] }[] = []
  #anonymous = 0
  #imports = 0

  constructor(work: Work, isQuirky: boolean) {
    this.#work = work
    this.#isQuirky = isQuirky
  }

  /** With a stack of its own: a hostile sheet nests deeper than calls can. */
  read(css: string): void {
    const prefixes = new Set<string>()
    const place = { isQuirky: this.#isQuirky, prefixes, depth: 0, work: this.#work }
    const sheet = itemsOf(tokenize(css, this.#work), 'sheet')
    const open: Open[] = [
      { items: sheet, place, layer: '', within: undefined, selectors: undefined },
    ]
    let mayImport = true
    for (let here = open.at(-1); here && !this.#work.isSpent; here = open.at(-1)) {
      const { value: item } = here.items.next()
      if (!item) open.pop()
      else if (item.kind === 'declaration') this.#declare(item.declaration, here)
      else if (item.kind === 'rule') {
        mayImport = false
        const inner = this.#rule(item.prelude, item.block, here)
        if (inner) open.push(inner)
      } else {
        const { name, prelude, block } = item
        if (name === 'import' && mayImport) this.#import(prelude)
        else if (name === 'namespace') namespace(prelude, prefixes)
        else if (name === 'layer' && !block) this.#name(asWritten(prelude), here)
        else if (block) {
          const inner = this.#group(name, prelude, block, here)
          if (inner) open.push(inner)
        }
        mayImport &&= name === 'import' || name === 'charset' || (name === 'layer' && !block)
      }
    }
  }

  #declare(declaration: Declaration, { selectors, layer, within }: Open): void {
    if (!selectors) return
    const { property, value } = declaration
    if (/^container(-type|-name)?$/.test(property)) this.#containers.push({ value, selectors })
    const last = this.rules.at(-1)
    const isSame = last?.selectors === selectors && last.layer === layer && last.within === within
    if (isSame) last.declarations.push(declaration)
    else this.rules.push({ selectors, declarations: [declaration], layer, within })
  }

  #rule(prelude: Range, block: Range, outer: Open): Open | undefined {
    if (prelude.to - prelude.from > longestPrelude || outer.place.depth > deepestRule)
      this.#work.spend(Number.POSITIVE_INFINITY)
    const isNested = outer.place.parents !== undefined
    const selectors = parseSelectors(prelude, outer.place, isNested)
    if (!selectors) return undefined
    const place = { ...outer.place, parents: selectors, depth: outer.place.depth + 1 }
    return { ...outer, items: itemsOf(block, 'declarations'), selectors, place }
  }

  #group(name: string, prelude: Range, block: Range, outer: Open): Open | undefined {
    const text = asWritten(prelude)
    const items = itemsOf(block, outer.selectors ? 'declarations' : 'rules')
    const inner = { ...outer, items }
    if (name === 'media') return appliesToScreen(text, this.#work) ? inner : undefined
    if (name === 'supports') return isSupportedHere(text, this.#work) ? inner : undefined
    if (name === 'container') {
      if (!appliesToContainer(text, this.#work)) return undefined
      return { ...inner, within: this.#inContainer(text, outer) }
    }
    if (name === 'layer') {
      const layer = text.includes(',')
        ? undefined
        : this.#name(text || `\0${++this.#anonymous}`, outer)
      return layer === undefined ? undefined : { ...inner, layer }
    }
    if (name === 'scope') return { ...inner, ...scoped(prelude, block, outer) }
    if (name === 'property') this.#register(text, block)
    if (/^(-webkit-)?keyframes$/.test(name)) this.#animate(text, block)
    return undefined
  }

  /** Sizes are asked of an ancestor that is a container, of this name if the query has one. */
  #inContainer(query: string, { within }: Context): Test | undefined {
    if (/\bstyle\(/.test(query)) return within
    const [, name] = /^(?!not )([\w-]+) /.exec(query) ?? []
    const wanted = [/\bsize\b/, ...(name === undefined ? [] : [new RegExp(`\\b${name}\\b`)])]
    const isOne: Test = (element, work) => {
      const style = element.attributes.get('style') ?? ''
      work.spend(10 + style.length) // read for each element below it anew
      const made = this.#containers.filter(({ selectors }) =>
        selectors.some((selector) => matches(element, selector, work)),
      )
      const values = [...made.map(({ value }) => value), /container/i.test(style) ? style : '']
      return wanted.every((one) => values.some((value) => one.test(value)))
    }
    return (element, work) => {
      for (let here = element.parent; here && !work.isSpent; here = here.parent)
        if (isOne(here, work)) return within?.(element, work) ?? true
      return false
    }
  }

  /** The full name of the last of these layers. */
  #name(text: string, { layer }: Context): string | undefined {
    let full: string | undefined
    for (const one of split(text, ',')) {
      full = layer === '' ? one : `${layer}.${one}`
      const names = full.split('.')
      if (names.length > deepestRule) this.#work.spend(Number.POSITIVE_INFINITY)
      for (const at of names.keys()) this.layers.add(names.slice(0, at + 1).join('.'))
    }
    return full
  }

  /** From 1; a layer is stronger than those before it and than those inside of it. */
  layerRanks(): Map<string, number> {
    const seen = [...this.layers]
    const place = new Map(seen.map((name, at) => [name, at]))
    const path = (name: string) => {
      const names = name.split('.')
      return names.map((_, at) => place.get(names.slice(0, at + 1).join('.')) ?? 0)
    }
    // What stands in a layer comes before what follows its inner layers.
    const last = seen.length
    const sorted = seen.toSorted((one, other) => {
      const [mine, yours] = [path(one), path(other)]
      const at = mine.findIndex((step, index) => step !== yours[index])
      return at === -1 ? last : (mine[at] ?? last) - (yours[at] ?? last)
    })
    return new Map(sorted.map((name, at) => [name, at + 1]))
  }

  #register(name: string, block: Range): void {
    const value = declarationsOf(block).find(({ property }) => property === 'initial-value')?.value
    if (value !== undefined) this.initials.set(name, value)
  }

  #animate(name: string, block: Range): void {
    const frames = [...itemsOf(block, 'rules')].flatMap((item) =>
      item.kind === 'rule' && /(^|[ ,])(to|100%)($|[ ,])/.test(asWritten(item.prelude))
        ? declarationsOf(item.block)
        : [],
    )
    this.animations.set(name.replaceAll('"', ''), frames)
  }

  /** Nothing is fetched: a mail is read without a word to anybody. But a sheet may hold another. */
  #import({ tokens, from, to }: Range): void {
    const at = tokens[from]?.kind === 'blank' ? from + 1 : from
    const first = tokens[at]
    const isCall = first?.kind === 'call'
    const address = isCall ? tokens[at + 1]?.text : first?.text
    const rest = asWritten({ tokens, from: isCall ? first.end + 1 : at + 1, to })
    const media = rest.replace(/^layer\b(\([^()]*\))? ?|^supports\([^()]*\) ?/g, '')
    const css = dataSheet(address ?? '')
    if (css === undefined || !appliesToScreen(media, this.#work)) return
    if (++this.#imports > mostImports) this.#work.spend(Number.POSITIVE_INFINITY)
    else this.read(css)
  }
}

function namespace(range: Range, prefixes: Set<string>): void {
  const [prefix, address] = range.tokens
    .slice(range.from, range.to)
    .filter(({ kind }) => /^(name|string|address)$/.test(kind))
  if (prefix?.kind === 'name' && address?.text === 'http://www.w3.org/1999/xhtml')
    prefixes.add(prefix.text)
}

/** `(root) to (limit)`: its rules hold below the one and not below the other. */
function scoped({ tokens, from, to }: Range, block: Range, outer: Open): Partial<Open> {
  const { place, within } = outer
  const lists: Selector[][] = []
  for (let at = findSign({ tokens, from, to }, '('); at < to; ) {
    const end = tokens[at]?.end ?? to
    const list = parseSelectors({ tokens, from: at + 1, to: end }, place) ?? []
    lists.push(list)
    at = findSign({ tokens, from: end + 1, to }, '(')
  }
  // In a rule, no declaration that stands here by itself is about the elements of that rule.
  const selectors = outer.selectors ? [] : lists[0]
  const items = itemsOf(block, 'declarations')
  const [isRoot, isLimit] = lists.map(
    (list): Test =>
      (element, work) =>
        list.some((selector) => matches(element, selector, work)),
  )
  if (!isRoot) return outer.selectors ? { selectors } : {}
  const isIn: Test = (element, work) => {
    for (let here: typeof element | undefined = element; here; here = here.parent) {
      if (work.isSpent) return false
      work.spend(1)
      if (isLimit?.(here, work)) return false
      if (isRoot(here, work)) return within?.(element, work) ?? true
    }
    return false
  }
  return { items, selectors, within: isIn, place: { ...place, scope: isRoot } }
}
