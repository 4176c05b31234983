/** Changes to the text of a front matter block, pair by pair: what is not named stays as it is, byte for byte. */
import type { FrontMatter } from './front-matter.ts'
import { flowSplices } from './splice-flow.ts'
import { lineSplices } from './splice-lines.ts'
import { type Span, spanOf } from './yaml-spans.ts'

export interface PairChanges {
  /** The places of the pairs that get another value, or their value written anew. */
  replaced: Map<number, unknown>
  /** The places of the pairs that go. */
  removed: Set<number>
  /** Come last, in this order. */
  added: [key: string, value: unknown][]
}

export interface Manner {
  style: 'block' | 'json'
  /** Whether a pair that goes below a block of text takes the blank and indented lines below it along. */
  isGreedy: boolean
  /** Whether lists and maps are changed entry by entry. */
  isWithin: boolean
  lineEnd: string
}

/** A block with what is known of its text. */
export interface Block extends FrontMatter {
  yaml: string
  /** In the order of the pairs. */
  spans: Span[]
}

export interface Splice {
  from: number
  to: number
  text: string
}

export function spliceYaml(
  yaml: string,
  frontMatter: FrontMatter,
  changes: PairChanges,
  manner: Manner,
): string {
  const block = {
    ...frontMatter,
    yaml,
    spans: frontMatter.pairs.map((one) => spanOf(one.item, yaml)),
  }
  const isFlow = frontMatter.root?.type === 'flow-collection'
  const splices = isFlow ? flowSplices(block, changes, manner) : lineSplices(block, changes, manner)
  let cursor = 0
  const pieces = splices
    .sort((a, b) => a.from - b.from || a.to - b.to)
    .flatMap(({ from, to, text }) => {
      const kept = yaml.slice(cursor, from)
      cursor = to
      return [kept, text]
    })
  return pieces.join('') + yaml.slice(cursor)
}
