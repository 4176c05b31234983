/** The rules of a mail's style sheets: those that hold on a screen, and those of which that cannot be told. */

import { dataSheet } from '../html-tree.ts'
import type { Work } from '../work.ts'
import { appliesTo, type ReadingScreen } from './conditions.ts'
import {
  asWritten,
  type Declaration,
  type Item,
  itemsOf,
  type Range,
  tokenize,
} from './css-tokens.ts'
import { type ElementSurroundings, parseSelectors, type Selector } from './selector.ts'

export interface Rule {
  selectors: Selector[]
  declarations: Declaration[]
  /** Whether it surely holds for what its selectors fit. */
  isSure: boolean
}

interface Open {
  place: ElementSurroundings
  isSure: boolean
  items: Generator<Item>
  /** The declarations of the rule in which it stands belong to these. */
  selectors: Selector[] | undefined
}

const longestPrelude = 10_000
const deepestRule = 50
const mostImports = 20

/** Blocks that say nothing about an element, or only where a name of theirs is used, which counts as hiding. */
const others =
  /^(font-face|font-feature-values|font-palette-values|(-webkit-|-moz-|-o-)?keyframes|page|counter-style|property|color-profile|viewport|-(ms|moz|o)-.*|view-transition|position-try|charset)$/

export class Stylesheets {
  readonly rules: Rule[] = []
  /** Whether there is more than one way to read them, by the screen. */
  asksScreen = false
  /** What a variable is may be said of all of them, and is not asked here. */
  hasProperties = false
  readonly #work: Work
  readonly #screen: ReadingScreen
  readonly #isQuirky: boolean
  #imports = 0

  constructor(work: Work, screen: ReadingScreen, isQuirky: boolean) {
    this.#work = work
    this.#screen = screen
    this.#isQuirky = isQuirky
  }

  /** With a stack of its own: a hostile sheet nests deeper than calls can. */
  read(css: string, media = ''): void {
    const verdict = this.#applies(media)
    if (verdict === false) return
    const place = { isQuirky: this.#isQuirky, depth: 0, work: this.#work }
    const items = itemsOf(tokenize(css, this.#work), 'sheet')
    const sheet: Open = { items, place, isSure: verdict === true, selectors: undefined }
    const open: Open[] = [sheet]
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
        if (name === 'property') this.hasProperties = true
        if (name === 'import' && mayImport) this.#import(prelude)
        // Then a name in a selector may mean another element, or none.
        else if (name === 'namespace') sheet.isSure = false
        else if (block && !others.test(name)) open.push(this.#group(name, prelude, block, here))
        mayImport &&= name === 'import' || name === 'charset' || (name === 'layer' && !block)
      }
    }
  }

  #applies(media: string): boolean | undefined {
    if (media !== '') this.asksScreen = true
    return appliesTo(media, this.#screen, this.#work)
  }

  #declare(declaration: Declaration, { selectors, isSure }: Open): void {
    if (!selectors) return
    const last = this.rules.at(-1)
    if (last?.selectors === selectors && last.isSure === isSure) last.declarations.push(declaration)
    else this.rules.push({ selectors, declarations: [declaration], isSure })
  }

  #rule(prelude: Range, block: Range, outer: Open): Open | undefined {
    if (prelude.to - prelude.from > longestPrelude || outer.place.depth > deepestRule)
      this.#work.spend(Number.POSITIVE_INFINITY)
    const isNested = outer.place.parents !== undefined || outer.place.isScoped === true
    const selectors = parseSelectors(prelude, outer.place, isNested)
    if (!selectors) return undefined
    const place = { ...outer.place, parents: selectors, depth: outer.place.depth + 1 }
    return { ...outer, items: itemsOf(block, 'declarations'), selectors, place }
  }

  /** What is neither @media nor known to be harmless may hold or not: @supports, @container, @layer, @scope and what is still to come. */
  #group(name: string, prelude: Range, block: Range, outer: Open): Open {
    const text = asWritten(prelude)
    const verdict = name === 'media' ? this.#applies(text) : undefined
    const items = itemsOf(block, outer.selectors || name === 'scope' ? 'declarations' : 'rules')
    const isScoped = name === 'scope' || outer.place.isScoped === true
    const place = { ...outer.place, isScoped, depth: outer.place.depth + 1 }
    if (place.depth > deepestRule) this.#work.spend(Number.POSITIVE_INFINITY)
    if (verdict === false)
      return { ...outer, items: itemsOf({ ...block, to: block.from }, 'rules') }
    const isSure = outer.isSure && verdict === true
    // What @scope says by itself is of the element where it begins, which may be any.
    const selectors =
      name === 'scope' ? parseSelectors(tokenize('*', this.#work), place) : undefined
    return { ...outer, items, place, isSure, selectors: selectors ?? outer.selectors }
  }

  /** Nothing is fetched: a mail is read without a word to anybody. But a sheet may hold another. */
  #import({ tokens, from, to }: Range): void {
    const at = tokens[from]?.kind === 'blank' ? from + 1 : from
    const first = tokens[at]
    const isCall = first?.kind === 'call'
    const address = isCall ? tokens[at + 1]?.text : first?.text
    const rest = asWritten({ tokens, from: isCall ? first.end + 1 : at + 1, to })
    const css = dataSheet(address ?? '')
    if (css === undefined) return
    if (++this.#imports > mostImports) this.#work.spend(Number.POSITIVE_INFINITY)
    else this.read(css, rest)
  }
}
