/** What a selector may ask of an element. */

export interface ElementFacts {
  tag: string
  id: string
  classes: ReadonlySet<string>
  attributes: ReadonlyMap<string, string>
  /** All attributes in one text: equal texts are equal attributes. */
  signature: string
  parent: ElementFacts | undefined
  /** The sibling before it. */
  elder: ElementFacts | undefined
  /** 1 for the first child. */
  place: number
  siblings: number
}

type Attributes = readonly { name: string; value: string }[]
type Own = Pick<ElementFacts, 'id' | 'classes' | 'attributes' | 'signature'>

/** A parser repeats unclosed elements with the same list of attributes: it is read once. */
const read = new WeakMap<Attributes, Own>()

const none: Own = { id: '', classes: new Set(), attributes: new Map(), signature: '' }

export function ownFacts(list: Attributes): Own {
  if (list.length === 0) return none
  const before = read.get(list)
  if (before) return before
  const attributes = new Map(list.map(({ name, value }) => [name.toLowerCase(), value]))
  const classes = (attributes.get('class') ?? '').toLowerCase().split(/\s+/)
  const own = {
    id: (attributes.get('id') ?? '').toLowerCase(),
    classes: new Set(classes.filter((name) => name !== '')),
    attributes,
    signature: list.map(({ name, value }) => `${name}=${value}`).join('\0'),
  }
  read.set(list, own)
  return own
}
