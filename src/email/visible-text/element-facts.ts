/** What a selector may ask of an element, and what its tag and attributes say about its looks. */
import { type HtmlElement, type HtmlNode, isElement } from './html-tree.ts'

export interface ElementFacts {
  node: HtmlElement
  tag: string
  id: string
  classes: ReadonlySet<string>
  attributes: ReadonlyMap<string, string>
  /** All attributes in one text: equal texts are equal attributes. */
  signature: string
  parent: ElementFacts | undefined
  /** All children of its parent, itself among them. */
  siblings: readonly ElementFacts[]
  /** 1 for the first child. */
  place: number
}

type Attributes = readonly { name: string; value: string }[]
type Own = Pick<ElementFacts, 'id' | 'classes' | 'attributes' | 'signature'>

/** A parser repeats unclosed elements with the same list of attributes: it is read once. */
const read = new WeakMap<Attributes, Own>()
const families = new WeakMap<readonly HtmlNode[], readonly ElementFacts[]>()

const none: Own = { id: '', classes: new Set(), attributes: new Map(), signature: '' }

/** The elements among the children of one. */
export function elementsIn(
  nodes: readonly HtmlNode[],
  parent: ElementFacts | undefined,
): readonly ElementFacts[] {
  const before = families.get(nodes)
  if (before) return before
  const siblings: ElementFacts[] = []
  for (const node of nodes) {
    if (!isElement(node)) continue
    const tag = node.tagName.toLowerCase()
    const place = siblings.length + 1
    siblings.push({ node, tag, ...ownFacts(node.attrs), parent, siblings, place })
  }
  families.set(nodes, siblings)
  return siblings
}

function ownFacts(list: Attributes): Own {
  if (list.length === 0) return none
  const before = read.get(list)
  if (before) return before
  const attributes = new Map(list.map(({ name, value }) => [name.toLowerCase(), value]))
  const own = {
    id: attributes.get('id') ?? '',
    classes: new Set((attributes.get('class') ?? '').split(/\s+/).filter((name) => name !== '')),
    attributes,
    signature: list.map(({ name, value }) => `${name}=${value}`).join('\0'),
  }
  read.set(list, own)
  return own
}

export const elderOf = ({ siblings, place }: ElementFacts): ElementFacts | undefined =>
  siblings[place - 2]

interface Hint {
  property: string
  value: string
}

const ownLooks = new Set(['pre', 'listing', 'xmp', 'plaintext', 'mark', 'button', 'dialog'])

/** As declarations of CSS. */
export function hintsOf({ tag, attributes }: ElementFacts): Hint[] {
  if (attributes.size === 0 && !ownLooks.has(tag)) return []
  const hints: Hint[] = []
  const hint = (property: string, value: string) => hints.push({ property, value })
  if (/^(pre|listing|xmp|plaintext)$/.test(tag)) hint('white-space', 'pre')
  if (tag === 'mark') hint('background-color', '#ff0')
  if (tag === 'button') hint('background-color', '#efefef')
  if (tag === 'mark' || tag === 'button') hint('color', '#000')
  if (
    attributes.has('hidden') ||
    attributes.has('popover') ||
    (tag === 'dialog' && !attributes.has('open'))
  )
    hint('display', 'none')
  const background = attributes.get('bgcolor')
  if (background) hint('background-color', legacyColour(background))
  if (attributes.get('background')) hint('background-image', 'url(x)')
  const colour = attributes.get(tag === 'body' ? 'text' : 'color')
  if (colour && (tag === 'font' || tag === 'basefont' || tag === 'body'))
    hint('color', legacyColour(colour))
  // A reader would show it at the smallest size; who writes 0 means it not to be seen.
  if (tag === 'font' && /^\s*0+\s*$/.test(attributes.get('size') ?? '')) hint('font-size', '0')
  return hints
}

/** Three digits without a hash are filled up with zeros, not doubled. */
function legacyColour(text: string): string {
  const value = text.trim().toLowerCase()
  if (/^[0-9a-f]{3}$/.test(value)) return `#${value.replace(/./g, '0$&')}`
  return /^[0-9a-f]{6}$/.test(value) ? `#${value}` : value
}
