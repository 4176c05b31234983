/** The front matter of a note: YAML 1.2 read into plain values, with what an edit needs to leave the rest alone. */
import { Composer, CST, type Document, isMap, Lexer, Parser, type YAMLError } from 'yaml'
import type { NoteText } from './note-text.ts'
import { unreadableFrontMatter } from './unreadable.ts'
import { type ReadPair, type Refuse, readPairs } from './yaml-values.ts'

/** Deeper, and the YAML library's recursion could take the whole process down, not just throw. */
const maxDepth = 100

/** Well beyond any list that a person keeps in a note, and read in a second or two. */
const maxPieces = 200_000

export interface FrontMatter {
  values: Record<string, unknown>
  /** In the order of the block, each with its tokens. */
  pairs: (ReadPair & { item: CST.CollectionItem })[]
  /** Nothing where the block holds no map yet. */
  root: CST.BlockMap | CST.FlowCollection | undefined
  /** Whether `...` ends the document before the block ends. */
  hasEnd: boolean
}

/** @example parseFrontMatter(splitNote('---\ntags: [a]\n---\nHello')).values // { tags: ['a'] } */
export function parseFrontMatter({ block }: NoteText): FrontMatter {
  if (!block) return { values: {}, pairs: [], root: undefined, hasEnd: false }
  const refuse: Refuse = (offset, what) => {
    throw unreadableFrontMatter(block.open + block.yaml, block.open.length + offset, what)
  }
  const { contents, directives } = readDocument(block.yaml, refuse)
  const hasEnd = directives?.docEnd === true
  if (contents === null || contents.srcToken === undefined) {
    return { values: {}, pairs: [], root: undefined, hasEnd }
  }
  const root = contents.srcToken
  if (!isMap(contents) || (root.type !== 'block-map' && root.type !== 'flow-collection')) {
    return refuse(contents.range[0], 'it must be keys with values')
  }
  const pairs = readPairs(contents, block.yaml, refuse).map((pair, index) => ({
    ...pair,
    item: contents.items[index]?.srcToken ?? refuse(0, 'it has a key without a source'),
  }))
  const values = Object.fromEntries(pairs.map(({ key, value }) => [key, value]))
  return { values, pairs, root, hasEnd }
}

/** The library's own `parseDocument` says nothing of a second document, and prints what it warns of. */
function readDocument(yaml: string, refuse: Refuse): Document.Parsed {
  const composer = new Composer({
    keepSourceTokens: true,
    merge: false,
    resolveKnownTags: false,
    schema: 'core',
    uniqueKeys: false, // takes the square of the time, and misses `1` beside "1"
  })
  const [first, second] = composer.compose(readTokens(yaml, refuse), true, yaml.length)
  if (!first) return refuse(0, 'it is no YAML document')
  const errors = [...first.errors, ...(second?.errors ?? [])]
  const error = errors.sort((a, b) => a.pos[0] - b.pos[0])[0]
  if (error && !(second && error.pos[0] >= second.range[0])) refuse(error.pos[0], wordsFor(error))
  if (second) refuse(second.range[0], 'a second document begins here')
  return first
}

function readTokens(yaml: string, refuse: Refuse): CST.Token[] {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  const take = (token: CST.Token) => {
    if (token.type === 'error') refuse(token.offset, plainWords(token.message))
    tokens.push(token)
  }
  let pieces = 0
  let isText = false // of a scalar, whatever signs it is made of
  for (const piece of new Lexer().lex(yaml)) {
    const at = parser.offset
    if (!isText && piece === CST.FLOW_END) refuseUnclosed(parser, refuse)
    if (!isText && /^["']/.test(piece) && !isClosed(piece)) {
      refuse(at, 'the quote that opens here is not closed')
    }
    for (const token of parser.next(piece)) take(token)
    if (parser.stack.length > maxDepth) refuse(at, 'it is nested too deep')
    if (++pieces > maxPieces) refuse(at, 'it has too many values')
    isText = !isText && piece === CST.SCALAR
  }
  refuseUnclosed(parser, refuse)
  for (const token of parser.end()) take(token)
  return tokens
}

/** The library names the place where it noticed, often the last line; a person looks for the first. */
function refuseUnclosed({ stack }: Parser, refuse: Refuse): void {
  const open = stack.findLast((token) => token.type === 'flow-collection' && !token.end.length)
  if (open) refuse(open.offset, 'the bracket that opens here is not closed')
}

const isClosed = (quote: string) => quote.length > 1 && quote.at(-1) === quote[0]

/** What most often goes wrong, in words that say what to do. */
const ownWords: Partial<Record<YAMLError['code'], string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'a value with a colon and a space in it must be in quotes',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line, with a colon and a blank behind it',
  BAD_ALIAS: 'a value that begins with * or & must be in quotes',
  TAB_AS_INDENT: 'a tab indents a line where only spaces may',
}

const wordsFor = ({ code, message }: YAMLError) =>
  ownWords[code] ??
  `${plainWords(message)}${code === 'BAD_SCALAR_START' ? ': put it in quotes' : ''}`

const plainWords = (message: string) =>
  message.charAt(0).toLowerCase() + message.slice(1, 200).replace(/\s+/g, ' ').trimEnd()
