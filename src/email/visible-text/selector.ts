/** Selectors of CSS: tags, classes, ids, attributes, the usual pseudo-classes, and who stands where. */
import { find, split, unescaped } from './css-scan.ts'
import type { ElementFacts } from './element-facts.ts'

type Test = (element: ElementFacts) => boolean

interface Compound {
  tests: Test[]
  /** By which the rules for an element are found: `#id`, `.class`, `[attribute`, `tag` or `*`. */
  key: string
}

interface Step extends Compound {
  /** How it relates to the step before it: an ancestor, parent, neighbour or elder sibling. */
  relation: string
}

export interface Selector {
  /** The element itself first, then outward. */
  steps: [Step, ...Step[]]
  /** Ids, classes and tags in a byte each. */
  weight: number
  /** Whether it matters which siblings stand around the element. */
  asksPlace: boolean
}

const name = '(?:[\\w-]|[^\\0-\\x7f]|\\\\[0-9a-f]{1,6}\\s?|\\\\[^])+'
const piece = new RegExp(
  `([#.]?)(${name}|(?<![#.])\\*)|\\[\\s*([^\\]=~|^$*\\s"']+)\\s*(?:([~|^$*]?=)\\s*("[^"]*"|'[^']*'|[^\\]\\s]+)\\s*[is]?\\s*)?\\]|:(:?${name})(\\(?)`,
  'iy',
)

const gap = /[\s>+~]*/y

/** Nothing where it is none that can be told: then its rule does not count. */
export function parseSelector(text: string): Selector | undefined {
  const steps: Step[] = []
  const counts: [number, number, number] = [0, 0, 0]
  for (let at = 0; at < text.length; ) {
    gap.lastIndex = at
    const found = gap.exec(text)?.[0] ?? ''
    const relation = found.trim().slice(0, 1) || (found === '' ? '' : ' ')
    at += found.length
    const parsed = parseCompound(text, at, counts)
    if (!parsed) return undefined
    const outer = steps.at(-1)
    if (outer) outer.relation = relation
    steps.push({ ...parsed.compound, relation: '' })
    at = parsed.end
  }
  const [first, ...others] = steps.reverse()
  const [ids, classes, tags] = counts.map((count) => Math.min(count, 255))
  if (!first) return undefined
  return {
    steps: [first, ...others],
    weight: ((ids ?? 0) << 16) + ((classes ?? 0) << 8) + (tags ?? 0),
    asksPlace: /[+~]|-child/.test(text),
  }
}

type Counts = [ids: number, classes: number, tags: number]

function parseCompound(
  text: string,
  from: number,
  counts: Counts,
): { compound: Compound; end: number } | undefined {
  const tests: Test[] = []
  const keys: string[] = []
  let at = from
  while (at < text.length && !/[\s>+~]/.test(text.charAt(at))) {
    piece.lastIndex = at
    const match = piece.exec(text)
    if (!match) return undefined
    const [whole, mark, plain, attribute, operator, operand, pseudo, bracket] = match
    at += whole.length
    if (plain !== undefined) {
      const wanted = unescaped(plain).toLowerCase()
      counts[mark === '#' ? 0 : mark === '.' ? 1 : 2] += plain === '*' ? 0 : 1
      keys.push(mark + wanted)
      if (mark === '#') tests.push(({ id }) => id === wanted)
      else if (mark === '.') tests.push(({ classes }) => classes.has(wanted))
      else if (wanted !== '*') tests.push(({ tag }) => tag === wanted)
    } else if (attribute !== undefined) {
      const wanted = unescaped(attribute).toLowerCase()
      counts[1]++
      keys.push(`[${wanted}`)
      tests.push(
        attributeTest(wanted, operator, unescaped((operand ?? '').replace(/^["']|["']$/g, ''))),
      )
    } else if (pseudo !== undefined) {
      const stop = bracket ? find(text, at, ')') : at
      const test = pseudoTest(unescaped(pseudo).toLowerCase(), text.slice(at, stop), counts)
      if (!test) return undefined
      tests.push(test)
      at = bracket ? stop + 1 : stop
    }
  }
  const key = ['#', '.', '['].map((mark) => keys.find((one) => one.startsWith(mark))).find(Boolean)
  return at === from ? undefined : { compound: { tests, key: key ?? keys[0] ?? '*' }, end: at }
}

function attributeTest(name: string, operator: string | undefined, operand: string): Test {
  const wanted = operand.toLowerCase()
  return ({ attributes }) => {
    const value = attributes.get(name)?.toLowerCase()
    if (value === undefined || operator === undefined) return value !== undefined
    if (operator === '=') return value === wanted
    if (operator === '|=') return value === wanted || value.startsWith(`${wanted}-`)
    if (wanted === '') return false
    if (operator === '^=') return value.startsWith(wanted)
    if (operator === '$=') return value.endsWith(wanted)
    if (operator === '*=') return value.includes(wanted)
    return value.split(/\s+/).includes(wanted)
  }
}

const never: Test = () => false
const elements = /^:|^(before|after|first-line|first-letter)$/

const pseudoClasses: Record<string, Test> = {
  root: ({ parent }) => parent === undefined,
  'first-child': ({ place }) => place === 1,
  'last-child': ({ place, siblings }) => place === siblings,
  'only-child': ({ siblings }) => siblings === 1,
  link: ({ tag, attributes }) => tag === 'a' && attributes.has('href'),
  'any-link': ({ tag, attributes }) => tag === 'a' && attributes.has('href'),
}

/** What is asked of the text or the place of an element is taken for true: who asks means some element. */
const mayHold =
  /^(first-of-type|last-of-type|only-of-type|nth-of-type|nth-last-of-type|nth-last-child|dir|lang|read-only|defined|has|scope)$/
const always: Test = () => true

/** A state such as :hover never holds in a mail that is only read. */
function pseudoTest(name: string, argument: string, counts: Counts): Test | undefined {
  if (elements.test(name)) return undefined
  if (name !== 'where') counts[1]++
  if (name === 'nth-child') return nthChild(argument)
  if (!/^(not|is|where|matches|-webkit-any|-moz-any)$/.test(name))
    return pseudoClasses[name] ?? (mayHold.test(name) ? always : never)
  const inner = split(argument, ',').map((part) => {
    // One level deep: what is nested further is not judged.
    const parsed = /:(not|is|where)\(/i.test(part) ? undefined : parseCompound(part, 0, [0, 0, 0])
    return parsed?.end === part.length ? parsed.compound.tests : [never]
  })
  const isAny: Test = (element) => inner.some((tests) => tests.every((test) => test(element)))
  return name === 'not' ? (element) => !isAny(element) : isAny
}

function nthChild(argument: string): Test {
  const formula = argument
    .toLowerCase()
    .replace(/\s+/g, '')
    .replace('odd', '2n+1')
    .replace('even', '2n')
  const [, hasStep, sign, every, start] = /^(([+-]?)(\d*)n)?([+-]?\d+)?$/.exec(formula) ?? []
  const step = hasStep === undefined ? 0 : Number(`${sign}${every || 1}`)
  const first = Number(start ?? 0)
  return ({ place }) =>
    step === 0 ? place === first : (place - first) % step === 0 && (place - first) / step >= 0
}
