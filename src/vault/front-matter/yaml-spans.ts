/** Where a pair of the front matter stands in its block's text, from the tokens of the YAML library. */
import type { CST } from 'yaml'

export interface Span {
  /** Of its first character that is no blank and no comment. */
  start: number
  /** Just behind the colon; nothing where it is written with `?`, or has no colon. */
  colonEnd: number | undefined
  /** Behind its last character that is no blank, no comment and no last line end. */
  end: number
  /** Whether a block of text comes last in it, which would go on with blank and indented lines. */
  endsInBlock: boolean
}

export function spanOf({ start, key, sep, value }: CST.CollectionItem, yaml: string): Span {
  const own = [...start.filter(isSignificant), ...(key ? [key] : []), ...(sep ?? [])]
  const colon = sep?.find((token) => token.type === 'map-value-ind')
  const isExplicit = start.some((token) => token.type === 'explicit-key-ind')
  const end =
    itemEnd({ start, key: key ?? null, ...(sep && { sep }), ...(value && { value }) }) ?? 0
  const lineEnd = /\r?\n$/.exec(yaml.slice(Math.max(0, end - 2), end))?.[0] ?? ''
  return {
    start: own[0]?.offset ?? value?.offset ?? 0,
    colonEnd: colon && !isExplicit ? colon.offset + 1 : undefined,
    end: end - lineEnd.length,
    endsInBlock: lineEnd !== '',
  }
}

function isSignificant({ type }: CST.SourceToken): boolean {
  return !['space', 'comment', 'newline', 'comma'].includes(type)
}

/** Nothing where the item holds only blanks and comments. */
function itemEnd({ start, key, sep, value }: CST.CollectionItem): number | undefined {
  if (value) return tokenEnd(value)
  const last = sep?.findLast(isSignificant)
  if (last) return last.offset + last.source.length
  if (key) return tokenEnd(key)
  const first = start.findLast(isSignificant)
  return first && first.offset + first.source.length
}

function tokenEnd(token: CST.Token): number {
  switch (token.type) {
    case 'block-scalar':
      return [...token.props, token].reduce(
        (end, part) => ('source' in part ? end + part.source.length : end),
        token.offset,
      )
    case 'flow-collection':
      return (token.end[0]?.offset ?? token.offset) + 1
    case 'block-map':
    case 'block-seq': {
      const ends = token.items.toReversed().map(itemEnd)
      return ends.find((end) => end !== undefined) ?? token.offset
    }
    case 'document':
      return token.offset
    default:
      return token.offset + token.source.length
  }
}

/** The start of the line that an offset is on. */
export const lineStart = (yaml: string, offset: number): number =>
  offset === 0 ? 0 : yaml.lastIndexOf('\n', offset - 1) + 1

/** Blanks up to the column of an offset. */
export const columnOf = (yaml: string, offset: number): string =>
  ' '.repeat(offset - lineStart(yaml, offset))

/** The end of the line that an offset is on, before its line end. */
export function lineEnd(yaml: string, offset: number): number {
  const feed = yaml.indexOf('\n', offset)
  if (feed === -1) return yaml.length
  return feed > offset && yaml[feed - 1] === '\r' ? feed - 1 : feed
}

/** The start of the line after the one that an offset is on. */
export function nextLine(yaml: string, offset: number): number {
  const feed = yaml.indexOf('\n', offset)
  return feed === -1 ? yaml.length : feed + 1
}

/** What is between a colon and its value, if that is nothing but blanks. */
export function gapOf(yaml: string, { value }: CST.CollectionItem, { colonEnd }: Span): string {
  const gap = value && colonEnd !== undefined ? yaml.slice(colonEnd, value.offset) : ''
  return /^[ \t]+$/.test(gap) ? gap : ' '
}
