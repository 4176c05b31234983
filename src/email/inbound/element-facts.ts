/** What a selector may ask of an element. */

export interface ElementFacts {
  tag: string
  id: string
  classes: ReadonlySet<string>
  attributes: ReadonlyMap<string, string>
  parent: ElementFacts | undefined
  /** The sibling before it. */
  elder: ElementFacts | undefined
  /** 1 for the first child. */
  place: number
  siblings: number
}

type Attributes = readonly { name: string; value: string }[]
type Own = Pick<ElementFacts, 'id' | 'classes' | 'attributes'>

/** A parser repeats unclosed elements with the same list of attributes: it is read once. */
const read = new WeakMap<Attributes, Own>()

export function ownFacts(list: Attributes): Own {
  const before = read.get(list)
  if (before) return before
  const attributes = new Map(list.map(({ name, value }) => [name.toLowerCase(), value]))
  const classes = (attributes.get('class') ?? '').toLowerCase().split(/\s+/)
  const own = {
    id: (attributes.get('id') ?? '').toLowerCase(),
    classes: new Set(classes.filter((name) => name !== '')),
    attributes,
  }
  read.set(list, own)
  return own
}
