/** Changes to front matter of one pair a line, as nearly every note has it. */
import type { CST } from 'yaml'
import { splicesWithin } from './splice-within.ts'
import { indented, renderKey, renderPair, renderValue, type Style } from './yaml-render.ts'
import { gapOf, lineEnd, lineStart, nextLine, type Span } from './yaml-spans.ts'
import type { Block, Manner, PairChanges, Splice } from './yaml-splice.ts'

/** The values that begin on the line of their key, if at all, with nothing of their own. */
const typesBelow = new Set(['block-map', 'block-seq', 'block-scalar'])

export function lineSplices(
  block: Block,
  { replaced, removed, added }: PairChanges,
  manner: Manner,
): Splice[] {
  let isBelowBlock = false
  const splices = block.spans.flatMap((span, index) => {
    if (removed.has(index)) return [removal(block, span, manner.isGreedy && isBelowBlock)]
    isBelowBlock = span.endsInBlock && !replaced.has(index)
    return replaced.has(index) ? change(block, index, span, replaced.get(index), manner) : []
  })
  return added.length > 0 ? [...splices, addition(block, added, manner)] : splices
}

/** Comments above the pair stay; blank and indented lines below it would become part of a block above it. */
function removal({ yaml }: Block, { start, end }: Span, isGreedy: boolean): Splice {
  const from = lineStart(yaml, start)
  const to = nextLine(yaml, end)
  if (!isGreedy) return { from, to, text: '' }
  const below = new RegExp(`(?:[ \\t]*\\r?\\n| {${start - from + 1},}#[^\\n]*\\n)*`, 'y')
  below.lastIndex = to
  return { from, to: to + (below.exec(yaml)?.[0].length ?? 0), text: '' }
}

function change(block: Block, index: number, span: Span, value: unknown, manner: Manner): Splice[] {
  const { item, value: old } = block.pairs[index] ?? {}
  const lines = { yaml: block.yaml, lineEnd: manner.lineEnd }
  const within = manner.isWithin ? splicesWithin(lines, item?.value, old, value) : undefined
  return within ?? [replacement(block, index, span, value, manner)]
}

/** A comment behind the value, or behind the key of a longer one, stays. */
function replacement(
  { yaml, pairs }: Block,
  index: number,
  span: Span,
  value: unknown,
  { style, lineEnd: end }: Manner,
): Splice {
  const { key = '', item = { start: [] } } = pairs[index] ?? {}
  const isBelow = item.value !== undefined && typesBelow.has(item.value.type)
  const to = lineEnd(yaml, span.end)
  const tail = isBelow ? keyComment(item) : yaml.slice(span.end, to)
  const from = span.colonEnd ?? span.start
  const colon = span.colonEnd === undefined ? `${renderKey(key, style)}:` : ''
  const { head, lines } = renderValue(value, styleFor(item, value, style))
  const behind = colon + (head && gapOf(yaml, item, span) + head)
  if (lines.length === 0) return { from, to, text: behind + tail }
  const first = behind + (tail.includes('#') ? tail : '')
  const below = indented(lines, `${indentOf(yaml, span)}  `)
  return { from, to, text: [first, ...below].join(end) }
}

/** At the very end, so that comments stay below the pair that they are about. */
function addition(
  { yaml, spans, hasEnd }: Block,
  added: PairChanges['added'],
  { style, lineEnd: end }: Manner,
): Splice {
  const [first, last] = [spans[0], spans.at(-1)]
  const at = !hasEnd ? yaml.length : last ? nextLine(yaml, last.end) : 0
  const lines = added.flatMap(([key, value]) => renderPair(key, value, style))
  const text = [...indented(lines, first ? indentOf(yaml, first) : ''), ''].join(end)
  return { from: at, to: at, text }
}

const indentOf = (yaml: string, { start }: Span) =>
  / *$/.exec(yaml.slice(lineStart(yaml, start), start))?.[0] ?? ''

/** A list in brackets stays one. */
function styleFor(
  { value: old }: CST.CollectionItem,
  value: unknown,
  style: Manner['style'],
): Style {
  const isInBrackets = old?.type === 'flow-collection' && typeof value === 'object' && value
  return style === 'block' && isInBrackets ? 'flow' : style
}

function keyComment({ sep = [], value }: CST.CollectionItem): string {
  const tokens = value?.type === 'block-scalar' ? [...sep, ...value.props] : sep
  for (const token of tokens) {
    if (token.type === 'newline') break
    if (token.type === 'comment') return ` ${token.source}`
  }
  return ''
}
