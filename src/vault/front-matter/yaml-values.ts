/** From YAML nodes to the values that JSON can carry: nothing is constructed, and nothing grows out of hand. */
import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
} from 'yaml'

/** What aliases may add to a block: beyond it, a few lines could be made to fill the memory. */
const maxAliasedNodes = 10_000
const maxAliasedText = 4 * 1024 * 1024

const wholeNumber = /^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$/

/** A key of the block with its value. */
export interface ReadPair {
  key: string
  value: unknown
  /** The pairs, by their place in the block, that hold the anchors this one's aliases lead to. */
  needs: Set<number>
}

/** Refuses the block: what is wrong, and at which offset of its text. */
export type Refuse = (offset: number, what: string) => never

interface Size {
  nodes: number
  text: number
}

interface Anchor {
  pair: number
  /** Nothing while its node is still being read: an alias that meets it then is circular. */
  read?: { value: unknown; text: string; size: Size }
}

/** @param yaml the text that the nodes were read from. */
export function readPairs(root: YAMLMap.Parsed, yaml: string, refuse: Refuse): ReadPair[] {
  return new Reader(yaml, refuse).readRoot(root)
}

class Reader {
  readonly #yaml: string
  readonly #refuse: Refuse
  readonly #anchors = new Map<string, Anchor>()
  readonly #total: Size = { nodes: 0, text: 0 }
  readonly #aliased: Size = { nodes: 0, text: 0 }
  /** The pair of the root that is being read. */
  #current: ReadPair = { key: '', value: null, needs: new Set() }
  #index = 0

  constructor(yaml: string, refuse: Refuse) {
    this.#yaml = yaml
    this.#refuse = refuse
  }

  readRoot(root: YAMLMap.Parsed): ReadPair[] {
    const keys = new Set<string>()
    if (root.anchor) this.#anchors.set(root.anchor, { pair: -1 })
    return root.items.map(({ key, value }, index) => {
      this.#index = index
      const pair: ReadPair = { key: '', value: null, needs: new Set() }
      this.#current = pair
      pair.key = this.#key(key, keys)
      pair.value = this.#value(value)
      return pair
    })
  }

  #value(node: ParsedNode | null): unknown {
    return node === null ? null : this.#node(node).value
  }

  #node(node: ParsedNode): { value: unknown; text: string } {
    if (isAlias(node)) return this.#follow(node.source, node.range[0])
    const before = { ...this.#total }
    const anchor: Anchor = { pair: this.#index }
    if (node.anchor) this.#anchors.set(node.anchor, anchor)
    const value = this.#content(node)
    const text = isScalar(node) ? (node.source ?? '') : this.#source(node)
    this.#total.nodes += 1
    if (isScalar(node)) this.#total.text += text.length
    const size = {
      nodes: this.#total.nodes - before.nodes,
      text: this.#total.text - before.text,
    }
    if (node.anchor) anchor.read = { value, text, size }
    return { value, text }
  }

  #content(node: Exclude<ParsedNode, Alias.Parsed>): unknown {
    if (isScalar(node)) return scalarValue(node)
    if (isMap(node)) return this.#map(node)
    return node.items.map((item) => this.#value(item))
  }

  #map(map: YAMLMap.Parsed): Record<string, unknown> {
    const keys = new Set<string>()
    // Entries, since assigning to `__proto__` would set no key.
    return Object.fromEntries(
      map.items.map(({ key, value }) => [this.#key(key, keys), this.#value(value)]),
    )
  }

  /** A key is its text: `01` and `1` are two, `1` and "1" are the same. */
  #key(node: ParsedNode, taken: Set<string>): string {
    const { text } = this.#node(node)
    if (taken.has(text)) {
      this.#refuse(node.range[0], `the key ${JSON.stringify(text.slice(0, 100))} is there twice`)
    }
    taken.add(text)
    return text
  }

  #source({ range: [start, end] }: ParsedNode): string {
    return this.#yaml.slice(start, end).trim()
  }

  #follow(name: string, offset: number): { value: unknown; text: string } {
    const anchor = this.#anchors.get(name)
    if (!anchor) {
      const alias = `*${name.slice(0, 100)}`
      this.#refuse(offset, `there is no anchor before the alias ${alias}: put a text in quotes`)
    }
    if (!anchor.read) this.#refuse(offset, `the alias *${name.slice(0, 100)} contains itself`)
    const { value, text, size } = anchor.read
    for (const sum of [this.#total, this.#aliased]) {
      sum.nodes += size.nodes
      sum.text += size.text
    }
    if (this.#aliased.nodes > maxAliasedNodes || this.#aliased.text > maxAliasedText) {
      this.#refuse(offset, 'its aliases stand for too much')
    }
    if (anchor.pair !== this.#index) this.#current.needs.add(anchor.pair)
    return { value, text }
  }
}

/** Whole numbers that JavaScript would round come as their digits; what JSON has no number for is null. */
function scalarValue({ value, source = '' }: Scalar): unknown {
  if (typeof value !== 'number') return value ?? null
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value
  if (wholeNumber.test(source)) return /^0[ox]/.test(source) ? String(BigInt(source)) : source
  return Number.isFinite(value) ? value : null
}
