/** What the parts of a selector ask of an element: its attributes, `:first-child`, `:not(…)` and their like. */
import { lookup } from '../../../system/text.ts'
import type { ElementFacts } from '../element-facts.ts'
import type { Work } from '../work.ts'
import { asWritten, isSign, type Range } from './css-tokens.ts'
import type { Meant, Selector, Test, Weight } from './selector.ts'

interface Asked {
  name: string
  inner: Range | undefined
  /** It was written with two colons. */
  isElement: boolean
}

/** Ways to read the selectors inside of it. */
interface Readers {
  strict(range: Range): Group | undefined
  forgiving(range: Range): Group
}

interface Group {
  selectors: Selector[]
  /** Whether one of them fits. */
  any: Test
  isSure: boolean
}

interface Found {
  test: Test
  weight: Weight
  /** The heaviest of them adds to its weight, if it is heavy. */
  selectors?: Selector[]
  isHeavy?: boolean
  asksPlace?: boolean
  isSure?: boolean
  meant?: Meant
}

const always: Test = () => true
const never: Test = () => false
const oneClass: Weight = [0, 1, 0]
const nothing: Weight = [0, 0, 0]

const oldElements = /^(before|after|first-letter|first-line)$/

/** What nobody does to a mail that is only read. */
const states =
  /^(hover|active|focus(-visible|-within)?|visited|target(-within)?|fullscreen|modal|playing|paused|popover-open|host|current|past|future|picture-in-picture|-webkit-(full-screen|drag))$/

const isLink: Test = ({ tag, attributes }) => tag === 'a' && attributes.has('href')

const simple = lookup<Test>({
  root: ({ parent }) => parent === undefined,
  link: isLink,
  'any-link': isLink,
  '-webkit-any-link': isLink,
  defined: always,
  'read-only': always,
})

const placed = lookup<Test>({
  'first-child': ({ place }) => place === 1,
  'last-child': ({ place, siblings }) => place === siblings.length,
  'only-child': ({ siblings }) => siblings.length === 1,
  'first-of-type': counted('1', false, isAlike),
  'last-of-type': counted('1', true, isAlike),
  'only-of-type': ({ tag, siblings }, work) => {
    work.spend(siblings.length)
    return siblings.filter((one) => one.tag === tag).length === 1
  },
  empty: ({ node }) =>
    node.childNodes.every(
      (child) => child.nodeName === '#comment' || ('value' in child && child.value === ''),
    ),
})

/** It may be asked of any element, and nobody here knows the answer. */
const unsure: Found = { test: always, weight: oneClass, isSure: false, asksPlace: true }

/** Those of other browsers, for which a rule is none. */
const foreign = /^-(moz|ms|o|khtml|apple)-/

/** Nothing where there is no such thing: then its selector is none. */
export function pseudoClass(asked: Asked, read: Readers): Found | undefined {
  const { name, inner } = asked
  if (foreign.test(name)) return undefined
  if (asked.isElement || oldElements.test(name)) return pseudoElement(name)
  if (inner) return functional(name, inner, read)
  const test = simple[name]
  if (test) return { test, weight: oneClass }
  const asking = placed[name]
  if (asking) return { test: asking, weight: oneClass, asksPlace: true }
  return states.test(name) ? { test: never, weight: oneClass } : unsure
}

/** What is said of a part of the text is taken for the whole: who hides it means it. */
function pseudoElement(name: string): Found {
  const weight: Weight = [0, 0, 1]
  if (/^(before|after)$/.test(name)) return { test: always, weight, meant: 'beside' }
  const isElsewhere =
    /^(marker|placeholder|selection|backdrop|cue|file-selector-button|grammar-error|spelling-error|target-text|-webkit-.+)$/
  return { test: isElsewhere.test(name) ? never : always, weight, meant: 'inside' }
}

function functional(name: string, inner: Range, read: Readers): Found | undefined {
  if (/^(is|where|matches|-webkit-any)$/.test(name)) {
    const { selectors, any, isSure } = read.forgiving(inner)
    const isHeavy = name !== 'where'
    return { test: any, weight: nothing, selectors, isHeavy, isSure }
  }
  if (name === 'not') {
    const group = read.strict(inner)
    if (!group) return undefined
    const { selectors, any, isSure } = group
    const test: Test = isSure ? (element, work) => !any(element, work) : always
    return { test, weight: nothing, selectors, isSure }
  }
  const [found, last, type] = /^nth-(last-)?(?:child|(of-type))$/.exec(name) ?? []
  return found ? nth(inner, last !== undefined, type !== undefined) : unsure
}

type IsAlike = (one: ElementFacts, other: ElementFacts, work: Work) => boolean

function isAlike(one: ElementFacts, other: ElementFacts): boolean {
  return one.tag === other.tag
}

function nth(inner: Range, isLast: boolean, isType: boolean): Found | undefined {
  const formula = asWritten(inner)
  if (/\bof\b/.test(formula)) return unsure
  if (!isFormula.test(formula)) return undefined
  const test = counted(formula, isLast, isType ? isAlike : () => true)
  return { test, weight: oneClass, asksPlace: true }
}

const isFormula = /^(odd|even|[+-]?\d*n( ?[+-] ?\d+)?|[+-]?\d+)$/

/** Its number among those siblings that are alike. */
function counted(formula: string, isLast: boolean, isOne: IsAlike): Test {
  const text = formula.replace('odd', '2n+1').replace('even', '2n').replaceAll(' ', '')
  const [, hasStep, sign = '', every, start = '0'] =
    /^(([+-]?)(\d*)n)?([+-]?\d+)?$/.exec(text) ?? []
  const step = hasStep === undefined ? 0 : Number(`${sign}${every || 1}`)
  const first = Number(start)
  return (element, work) => {
    const { siblings, place } = element
    if (!isOne(element, element, work)) return false
    const others = isLast ? siblings.slice(place) : siblings.slice(0, place - 1)
    work.spend(others.length)
    if (work.isSpent) return false
    const number = 1 + others.filter((other) => isOne(other, element, work)).length
    const rest = number - first
    return step === 0 ? rest === 0 : rest % step === 0 && rest / step >= 0
  }
}

export const lower = (text: string) => text.toLowerCase()
export const same = (text: string) => text

/** Their values know no upper case in HTML. */
const folded =
  /^(accept(-charset)?|align|[av]?link|axis|bgcolor|charset|checked|clear|color|dir(ection)?|disabled|face|frame|(href)?lang(uage)?|http-equiv|media|method|nowrap|rel|rev|rules|scope|selected|shape|target|text|(code|enc|value)?type|valign)$/

export function attribute({ tokens, from, to }: Range, keys: string[]): Test | undefined {
  const words = tokens.slice(from, to).filter(({ kind }) => kind !== 'blank')
  const hasPrefix = isSign(words[1], '|') && !isSign(words[2], '=')
  const [said, ...rest] = words.slice(hasPrefix ? 2 : isSign(words[0], '|') ? 1 : 0)
  if (said?.kind !== 'name' || (hasPrefix && !isSign(words[0], '*'))) return undefined
  const isPlain = isSign(rest[0], '=')
  const [equals, operand, flag, ...more] = isPlain ? rest : rest.slice(1)
  const operator = rest.length === 0 ? '' : isPlain ? '=' : `${rest[0]?.text}=`
  if (operator !== '') {
    const isOne = isSign(equals, '=') && /^[~|^$*]?=$/.test(operator) && more.length === 0
    const hasOperand = operand?.kind === 'string' || operand?.kind === 'name'
    if (!isOne || !hasOperand || !/^([is])?$/i.test(flag?.text ?? '')) return undefined
  }
  const name = said.text.toLowerCase()
  keys.push(`[${name}`)
  const isFolded = flag ? /i/i.test(flag.text) : folded.test(name)
  const fold = isFolded ? lower : same
  const wanted = fold(operand?.text ?? '')
  return ({ attributes }) => {
    const own = attributes.get(name)
    if (own === undefined || operator === '') return own !== undefined
    const value = fold(own)
    if (operator === '=') return value === wanted
    if (operator === '|=') return value === wanted || value.startsWith(`${wanted}-`)
    if (wanted === '') return false
    if (operator === '^=') return value.startsWith(wanted)
    if (operator === '$=') return value.endsWith(wanted)
    if (operator === '*=') return value.includes(wanted)
    return value.split(/\s+/).includes(wanted)
  }
}
