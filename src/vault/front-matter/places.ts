/** Where a key or a value of the front matter stands in its file, for whoever has to mend it. */
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument } from 'yaml'
import type { NoteText } from './note-text.ts'
import { type Position, positionIn } from './unreadable.ts'

/** As far as it is there: of a key that is missing, its map. */
export type FieldPlace = { path: readonly (string | number)[]; isKey?: boolean | undefined }

/** @returns a function that finds places; the block was read without an error before. */
export function placesIn({ block }: NoteText): (place: FieldPlace) => Position {
  if (!block) return () => ({ line: 1, column: 1 })
  const document = parseDocument(block.yaml, {
    logLevel: 'silent',
    merge: false,
    resolveKnownTags: false,
    schema: 'core',
    uniqueKeys: false,
  })
  const followed = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node)
  const offsetOf = ({ path, isKey }: FieldPlace): number => {
    let offset = offsetIn(document.contents) ?? 0
    let node = followed(document.contents)
    for (const [at, step] of path.entries()) {
      const found = isMap(node) ? node.items.find((pair) => isCalled(pair, step)) : undefined
      const isLast = at === path.length - 1
      const next = found ? found.value : isSeq(node) ? node.items[Number(step)] : undefined
      if (!found && next === undefined) break
      const own = offsetIn(next)
      // A value that is not written stands behind its key.
      const isBare = own === undefined || isEmpty(next)
      const ofKey = found && offsetIn(found.key)
      offset = (isLast && isKey) || isBare ? (ofKey ?? own ?? offset) : own
      node = followed(next)
    }
    return offset
  }
  const head = block.open
  return (place) => positionIn(head + block.yaml, head.length + offsetOf(place))
}

const isCalled = ({ key }: Pair<unknown, unknown>, name: string | number): boolean =>
  isScalar(key) && (key.value === name || String(key.source ?? key.value) === String(name))

const isEmpty = (node: unknown): boolean =>
  isScalar(node) &&
  node.range !== null &&
  node.range !== undefined &&
  node.range[0] === node.range[1]

const offsetIn = (node: unknown): number | undefined => {
  const { range } = isNodeLike(node) ? node : { range: undefined }
  return range?.[0]
}

const isNodeLike = (node: unknown): node is Pick<Node, 'range'> =>
  typeof node === 'object' && node !== null && 'range' in node
