/** What a selector may ask of an element, and what its tag and attributes say about its looks. */
import { lookup } from '../../system/text.ts'
import { isColourName } from './css/colour.ts'
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

const blocks =
  /^(p|h[1-6]|blockquote|pre|ul|ol|dl|figure|listing|xmp|plaintext|div|section|article|header|footer|main|nav|aside|address|dt|dd|center|form|fieldset|legend|figcaption|details|summary|body|html|hgroup|dialog|dir|menu|search)$/
const boxes = lookup<string>({
  table: 'table',
  caption: 'table-caption',
  thead: 'table-header-group',
  tbody: 'table-row-group',
  tfoot: 'table-footer-group',
  tr: 'table-row',
  td: 'table-cell',
  th: 'table-cell',
  li: 'list-item',
  button: 'inline-block',
})

/** The kind of box that an element has where nobody says anything else. */
export const ownDisplay = (tag: string): string =>
  boxes[tag] ?? (blocks.test(tag) ? 'block' : 'inline')

const looks = lookup<Hint[]>({
  mark: [
    { property: 'background-color', value: '#ff0' },
    { property: 'color', value: '#000' },
  ],
  button: [
    { property: 'background-color', value: '#efefef' },
    { property: 'color', value: '#000' },
  ],
  small: [{ property: 'font-size', value: 'smaller' }],
  sub: [{ property: 'font-size', value: 'smaller' }],
  sup: [{ property: 'font-size', value: 'smaller' }],
  big: [{ property: 'font-size', value: 'larger' }],
})
for (const tag of ['pre', 'listing', 'xmp', 'plaintext'])
  looks[tag] = [
    { property: 'white-space', value: 'pre' },
    { property: 'font-size', value: '13px' },
  ]
for (const tag of ['code', 'kbd', 'samp', 'tt'])
  looks[tag] = [{ property: 'font-size', value: '13px' }]

for (const tag of ['ul', 'ol', 'dir', 'menu'])
  looks[tag] = [{ property: 'padding-left', value: '40px' }]
looks.dd = [{ property: 'margin-left', value: '40px' }]
for (const tag of ['blockquote', 'figure'])
  looks[tag] = [
    { property: 'margin-left', value: '40px' },
    { property: 'margin-right', value: '40px' },
  ]
looks.center = [{ property: 'text-align', value: 'center' }]
looks.nobr = [{ property: 'white-space', value: 'nowrap' }]
for (const [at, value] of ['2em', '1.5em', '1.17em', '1em', '.83em', '.67em'].entries())
  looks[`h${at + 1}`] = [{ property: 'font-size', value }]

const fontSizes = ['10px', '13px', '16px', '18px', '24px', '32px', '48px']
const lengths = /^\s*(\d+(?:\.\d+)?)\s*(%?)/

/** As declarations of CSS. */
export function hintsOf({ tag, attributes }: ElementFacts): Hint[] {
  const hints: Hint[] = [...(looks[tag] ?? [])]
  if (attributes.size === 0 && tag !== 'dialog') return hints
  const hint = (property: string, value: string) => hints.push({ property, value })
  const isApart = tag === 'dialog' || attributes.has('popover')
  if (isApart) hint('position', 'absolute')
  if (isApart) hint('background-color', '#fff')
  if (attributes.has('hidden') || attributes.has('popover') || (isApart && !attributes.has('open')))
    hint('display', 'none')
  const background = attributes.get('bgcolor')
  if (background) hint('background-color', legacyColour(background))
  const picture = attributes.get('background')
  if (picture) hint('background-image', /^\s*(https?:)?\/\//i.test(picture) ? 'url(x)' : 'url(own)')
  const colour = attributes.get(tag === 'body' ? 'text' : 'color')
  if (colour && (tag === 'font' || tag === 'basefont' || tag === 'body'))
    hint('color', legacyColour(colour))
  const size = tag === 'font' ? attributes.get('size') : undefined
  if (size) hint('font-size', fontSize(size))
  if (tag === 'bdo' && /rtl/i.test(attributes.get('dir') ?? ''))
    hint('unicode-bidi', 'bidi-override')
  if (attributes.has('nowrap') && /^t[dh]$/.test(tag)) hint('white-space', 'nowrap')
  for (const name of ['width', 'height']) {
    const [, number, share] = lengths.exec(attributes.get(name) ?? '') ?? []
    if (number && /^(table|td|th|tr|img|hr|pre)$/.test(tag)) hint(name, number + (share || 'px'))
  }
  if (tag === 'svg' && attributes.has('overflow'))
    hint('overflow-x', attributes.get('overflow') ?? '')
  for (const name of ['cellpadding', 'cellspacing'])
    if (tag === 'table' && Number.parseInt(attributes.get(name) ?? '', 10) > 60)
      hint('padding-left', '9999px')
  const align = attributes.get('align')?.toLowerCase()
  if (align) hint(tag === 'table' || tag === 'img' ? 'float' : 'text-align', align)
  const way = attributes.get('dir')?.toLowerCase()
  if (way) hint('direction', way)
  for (const name of ['leftmargin', 'marginwidth']) {
    const [, number] = lengths.exec(tag === 'body' ? (attributes.get(name) ?? '') : '') ?? []
    if (number) hint('margin-left', `${number}px`)
  }
  return hints
}

/** Who writes 0 means it not to be seen, though a browser shows the smallest size. */
function fontSize(text: string): string {
  const [, sign, digits = '3'] = /^\s*([+-]?)(\d+)/.exec(text) ?? []
  if (sign === '' && Number(digits) === 0) return '0px'
  const number = sign === '' ? Number(digits) : 3 + Number(`${sign}${digits}`)
  return fontSizes[Math.min(7, Math.max(1, number)) - 1] ?? '16px'
}

/** As browsers read the colours of old, in which any word is one. */
function legacyColour(text: string): string {
  const value = text.trim().toLowerCase()
  if (value === 'transparent') return value
  if (isColourName(value)) return value
  if (/^#[0-9a-f]{3}$/.test(value)) return value
  let digits = value
    .slice(0, 128)
    .replace(/^#/, '')
    .replace(/[^0-9a-f]/g, '0')
  while (digits.length === 0 || digits.length % 3 !== 0) digits += '0'
  const length = digits.length / 3
  let parts = [0, 1, 2].map((at) => digits.slice(at * length, (at + 1) * length).slice(-8))
  while (parts.every((part) => part.length > 2 && part.startsWith('0')))
    parts = parts.map((part) => part.slice(1))
  return `#${parts.map((part) => part.slice(0, 2).padStart(2, '0')).join('')}`
}
