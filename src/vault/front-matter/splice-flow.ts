/** Changes to front matter that is one map in braces. */
import { renderKey, renderPair, renderValue, type Style } from './yaml-render.ts'
import { gapOf } from './yaml-spans.ts'
import type { Block, Manner, PairChanges, Splice } from './yaml-splice.ts'

export function flowSplices(block: Block, changes: PairChanges, manner: Manner): Splice[] {
  const style = manner.style === 'json' ? 'json' : 'flow'
  const lastKept = block.spans.findLastIndex((_, index) => !changes.removed.has(index))
  return [
    ...replacements(block, changes, style),
    ...removals(block, changes, lastKept),
    ...additions(block, changes, lastKept, style),
  ]
}

function replacements(
  { yaml, pairs, spans }: Block,
  { replaced }: PairChanges,
  style: Style,
): Splice[] {
  return [...replaced].flatMap(([index, value]) => {
    const [pair, span] = [pairs[index], spans[index]]
    if (!pair || !span) return []
    const { head } = renderValue(value, style)
    const { start, colonEnd, end } = span
    return colonEnd === undefined
      ? [{ from: start, to: end, text: `${renderKey(pair.key, style)}: ${head}` }]
      : [{ from: colonEnd, to: end, text: gapOf(yaml, pair.item, span) + head }]
  })
}

/** Each with the comma after it; the last ones with the comma before them. */
function removals({ yaml, spans }: Block, { removed }: PairChanges, lastKept: number): Splice[] {
  const before = [...removed].flatMap((index) => {
    const [span, next] = [spans[index], spans[index + 1]]
    return index < lastKept && span && next ? [{ from: span.start, to: next.start, text: '' }] : []
  })
  const [kept, next, last] = [spans[lastKept], spans[lastKept + 1], spans.at(-1)]
  if (!next || !last) return before
  const comma = /\s*,/y
  comma.lastIndex = last.end
  const to = kept ? last.end : last.end + (comma.exec(yaml)?.[0].length ?? 0)
  return [...before, { from: kept?.end ?? next.start, to, text: '' }]
}

function additions(
  { root, spans }: Block,
  { added }: PairChanges,
  lastKept: number,
  style: Style,
): Splice[] {
  if (added.length === 0) return []
  const kept = spans[lastKept]
  const text = added.map(([key, value]) => renderPair(key, value, style).join(' ')).join(', ')
  const at = kept?.end ?? (root?.offset ?? 0) + 1
  return [{ from: at, to: at, text: kept ? `, ${text}` : text }]
}
