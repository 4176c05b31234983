/** Changes inside a list or a map of the front matter: the entries that stay as they are keep their bytes. */
import { CST } from 'yaml'
import { isRecord } from '../../system/text.ts'
import { alignment } from './alignment.ts'
import { indented, renderItem, renderPair, renderValue } from './yaml-render.ts'
import { columnOf, lineStart, nextLine, type Span, spanOf } from './yaml-spans.ts'
import type { Splice } from './yaml-splice.ts'

/** The text of the block, and how its lines end. */
interface Lines {
  yaml: string
  lineEnd: string
}

/** Nothing where the value has to be written anew as a whole. */
export function splicesWithin(
  lines: Lines,
  token: CST.Token | undefined,
  old: unknown,
  wanted: unknown,
): Splice[] | undefined {
  if (token?.type === 'block-seq' && Array.isArray(old) && Array.isArray(wanted)) {
    return new ListSplices(lines, token, old, wanted).all()
  }
  if (token?.type === 'block-map' && isRecord(old) && isRecord(wanted)) {
    return mapSplices(lines, token, old, wanted)
  }
  return undefined
}

class ListSplices {
  readonly #lines: Lines
  readonly #items: { item: CST.CollectionItem; span: Span }[]
  readonly #old: unknown[]
  readonly #wanted: unknown[]

  constructor(lines: Lines, { items }: CST.BlockSequence, old: unknown[], wanted: unknown[]) {
    this.#lines = lines
    this.#old = old
    this.#wanted = wanted
    this.#items = items
      .filter(({ start }) => start.some(({ type }) => type === 'seq-item-ind'))
      .map((item) => ({ item, span: spanOf(item, lines.yaml) }))
  }

  all(): Splice[] | undefined {
    const isKnown = this.#items.length === this.#old.length && this.#wanted.length > 0
    if (!isKnown || !this.#items.every(({ span }) => beginsLine(this.#lines.yaml, span))) {
      return undefined
    }
    return alignment(this.#old, this.#wanted).flatMap(({ from, to, wantedFrom, wantedTo }) => {
      const paired = Math.min(to - from, wantedTo - wantedFrom)
      return [
        ...range(0, paired).flatMap((n) => this.#replace(from + n, wantedFrom + n)),
        ...range(from + paired, to).map((index) => this.#remove(index)),
        ...this.#add(from + paired, this.#wanted.slice(wantedFrom + paired, wantedTo)),
      ]
    })
  }

  #remove(index: number): Splice {
    const { start = 0, end = 0 } = this.#items[index]?.span ?? {}
    const { yaml } = this.#lines
    return { from: lineStart(yaml, start), to: nextLine(yaml, end), text: '' }
  }

  /** Behind the item before, or before the first one. */
  #add(index: number, values: unknown[]): Splice[] {
    const [before, first] = [this.#items[index - 1]?.span, this.#items[0]?.span]
    if (values.length === 0 || !first) return []
    const { yaml, lineEnd } = this.#lines
    const at = before ? nextLine(yaml, before.end) : lineStart(yaml, first.start)
    const lines = indented(values.flatMap(renderItem), columnOf(yaml, first.start))
    return [{ from: at, to: at, text: [...lines, ''].join(lineEnd) }]
  }

  #replace(index: number, wantedIndex: number): Splice[] {
    const found = this.#items[index]
    if (!found) return []
    const { item, span } = found
    const wanted = this.#wanted[wantedIndex]
    const { yaml, lineEnd } = this.#lines
    const within = splicesWithin(this.#lines, item.value, this.#old[index], wanted)
    if (within) return within
    const inPlace = scalarSplice(item.value, span, wanted)
    if (inPlace) return [inPlace]
    const [head = '', ...below] = renderItem(wanted)
    const text = [head, ...indented(below, columnOf(yaml, span.start))].join(lineEnd)
    return [{ from: span.start, to: span.end, text }]
  }
}

function mapSplices(
  lines: Lines,
  { items }: CST.BlockMap,
  old: Record<string, unknown>,
  wanted: Record<string, unknown>,
): Splice[] | undefined {
  const { yaml, lineEnd } = lines
  const pairs = items
    .filter(({ key, sep }) => key || sep)
    .map((item) => ({ item, key: keyOf(item.key), span: spanOf(item, yaml) }))
  const known = pairs.flatMap(({ key }) =>
    key !== undefined && Object.hasOwn(old, key) ? key : [],
  )
  const isKnown = new Set(known).size === pairs.length && pairs.length === Object.keys(old).length
  const first = pairs[0]
  const last = pairs.at(-1)
  if (!isKnown || !first || !last || !pairs.some(({ key = '' }) => Object.hasOwn(wanted, key))) {
    return undefined
  }
  const splices: Splice[] = []
  for (const { item, key = '', span } of pairs) {
    if (!Object.hasOwn(wanted, key)) {
      if (!beginsLine(yaml, span)) return undefined
      splices.push({ from: lineStart(yaml, span.start), to: nextLine(yaml, span.end), text: '' })
    } else if (JSON.stringify(old[key]) !== JSON.stringify(wanted[key])) {
      const within =
        splicesWithin(lines, item.value, old[key], wanted[key]) ??
        scalarSplice(item.value, span, wanted[key])
      if (!within) return undefined
      splices.push(...(Array.isArray(within) ? within : [within]))
    }
  }
  const added = Object.entries(wanted).filter(([key]) => !Object.hasOwn(old, key))
  if (added.length > 0) {
    const at = nextLine(yaml, last.span.end)
    const rendered = added.flatMap(([key, value]) => renderPair(key, value, 'block'))
    const text = [...indented(rendered, columnOf(yaml, first.span.start)), ''].join(lineEnd)
    splices.push({ from: at, to: at, text })
  }
  return splices
}

/** A value on one line in the place of another; what stands around it stays. */
function scalarSplice(
  token: CST.Token | undefined,
  span: Span,
  wanted: unknown,
): Splice | undefined {
  const isInFlow = token?.type === 'flow-collection'
  if (!token || !(isInFlow || CST.isScalar(token)) || token.type === 'block-scalar')
    return undefined
  if (token.type === 'alias') return undefined
  const { head, lines } = renderValue(wanted, isInFlow ? 'flow' : 'block')
  if (head === '' || lines.length > 0) return undefined
  return { from: token.offset, to: span.end, text: head }
}

function keyOf(token: CST.Token | null | undefined): string | undefined {
  if (!token || !CST.isScalar(token) || token.type === 'alias') return undefined
  return token.type === 'scalar' ? token.source : CST.resolveAsScalar(token)?.value
}

const beginsLine = (yaml: string, { start }: Span): boolean =>
  /^ *$/.test(yaml.slice(lineStart(yaml, start), start))

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
