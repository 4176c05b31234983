/** A JSON file of somebody else, with comments perhaps: single entries are put in and taken out, and every other byte stays. */
import { isDeepStrictEqual } from 'node:util'
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { AgentMailError } from '../errors.ts'
import { isRecord } from '../system/text.ts'
import {
  indentAt,
  isFirstOnLine,
  type JsonStyle,
  styleOf,
  written,
  writtenInline,
} from './json-text.ts'

export type JsonPath = (string | number)[]

/** The library that parses would also edit, but it lays out anew whatever stands on the same line. */
export class JsonDocument {
  readonly #bom: string
  #text: string
  #root: Node | undefined

  /** @throws where it is no JSON, with the line and column. */
  constructor(text: string) {
    this.#bom = text.startsWith('\ufeff') ? '\ufeff' : ''
    this.#text = text.slice(this.#bom.length)
    this.#root = parsed(this.#text)
  }

  get text(): string {
    return this.#bom + this.#text
  }

  get value(): unknown {
    return this.#root && meaningOf(this.#root)
  }

  /** Nothing where nothing is there. */
  at(path: JsonPath): unknown {
    const node = this.#root && findNodeAtLocation(this.#root, path)
    return node && meaningOf(node)
  }

  /** What is on the way there is made. A number at the end of the path is a place in a list, its length for the end. */
  set(path: JsonPath, value: unknown): void {
    if (isDeepStrictEqual(this.at(path), value)) return
    this.#change(setIn(this.value ?? {}, path, value), this.#withSet(path, value))
  }

  remove(path: JsonPath): void {
    if (this.at(path) === undefined) return
    this.#change(setIn(this.value, path, undefined), this.#without(path))
  }

  /** Each change is compared with what was meant: a file that is stranger than this understands is left alone. */
  #change(expected: unknown, text: string): void {
    const root = parsed(text)
    if (!isDeepStrictEqual(root && meaningOf(root), expected)) {
      throw new AgentMailError(
        'bad_config',
        'it is written in a way that cannot be changed safely',
        'A name that stands in it twice can be the reason.',
      )
    }
    this.#text = text
    this.#root = root
  }

  #withSet(path: JsonPath, value: unknown): string {
    const style = styleOf(this.#text)
    if (!this.#root) {
      const before = this.#text.trim() === '' ? '' : this.#text.replace(/[^\n]$/, `$&${style.eol}`)
      return `${before}${written(setIn({}, path, value), style, '')}${style.eol}`
    }
    for (let depth = path.length; ; depth--) {
      const found = findNodeAtLocation(this.#root, path.slice(0, depth))
      if (!found) continue
      if (depth === path.length) return this.#replaced(found, value, style)
      const key = path[depth] ?? ''
      const inner = path.slice(depth + 1)
      const content = inner.length > 0 ? setIn(emptyFor(inner), inner, value) : value
      if (found.type !== (typeof key === 'string' ? 'object' : 'array')) {
        throw new AgentMailError(
          'bad_config',
          `${path.slice(0, depth).join('.') || 'the whole of it'} is not ${typeof key === 'string' ? 'an object' : 'a list'}`,
          'Correct it, and run this again.',
        )
      }
      return this.#inserted(found, typeof key === 'string' ? key : undefined, content, style)
    }
  }

  #replaced(node: Node, value: unknown, style: JsonStyle): string {
    const old = this.#text.slice(node.offset, endOf(node))
    const isInline = !old.includes('\n') && (node.children?.length ?? 0) > 0
    const text = isInline
      ? writtenInline(value, blankIn(old))
      : written(value, style, indentAt(this.#text, node.offset))
    return this.#text.slice(0, node.offset) + text + this.#text.slice(endOf(node))
  }

  /** At the end of an object or list. */
  #inserted(container: Node, key: string | undefined, value: unknown, style: JsonStyle): string {
    const text = this.#text
    const entry = (content: string, blank = ' ') =>
      key === undefined ? content : `${JSON.stringify(key)}:${blank}${content}`
    const last = container.children?.at(-1)
    const close = endOf(container) - 1
    const whole = text.slice(container.offset, close + 1)
    if (!last) {
      const outer = indentAt(text, container.offset)
      const indent = outer + style.unit
      const kept = text.slice(container.offset + 1, close).trimEnd() // a comment, if anything
      const content = entry(written(value, style, indent))
      const inside = `${kept}${style.eol}${indent}${content}${style.eol}${outer}`
      return text.slice(0, container.offset + 1) + inside + text.slice(close)
    }
    const comma = commaAfter(text, endOf(last), close)
    if (!whole.includes('\n')) {
      const blank = blankIn(whole)
      const at = comma === undefined ? endOf(last) : comma + 1
      const content = entry(writtenInline(value, blank), blank)
      const added = comma === undefined ? `,${blank}${content}` : `${blank}${content},`
      return text.slice(0, at) + added + text.slice(at)
    }
    const first = container.children?.find(({ offset }) => isFirstOnLine(text, offset))
    const indent = first
      ? indentAt(text, first.offset)
      : indentAt(text, container.offset) + style.unit
    const content = `${style.eol}${indent}${entry(written(value, style, indent))}`
    const at = endOfRemark(text, comma === undefined ? endOf(last) : comma + 1)
    if (comma !== undefined) return `${text.slice(0, at)}${content},${text.slice(at)}`
    const upTo = `${text.slice(0, endOf(last))},${text.slice(endOf(last), at)}`
    return upTo + content + text.slice(at)
  }

  #without(path: JsonPath): string {
    const text = this.#text
    const node = this.#root && findNodeAtLocation(this.#root, path)
    const child = node?.parent?.type === 'property' ? node.parent : node
    const container = child?.parent
    if (!child || !container) return text
    const siblings = container.children ?? []
    const index = siblings.indexOf(child)
    const close = endOf(container) - 1
    const next = commaAfter(text, endOf(child), close)
    const previous = siblings[index - 1]
    const before =
      next === undefined && previous ? commaAfter(text, endOf(previous), child.offset) : undefined
    const isNext = next !== undefined && text.slice(endOf(child), next).trim() === ''
    const own = this.#room(child.offset, isNext ? next + 1 : endOf(child), index)
    const comma = before ?? (isNext ? undefined : next)
    const gone = comma === undefined ? [own] : [own, [comma, comma + 1] as const]
    const kept = gone
      .sort(([one], [other]) => other - one)
      .reduce((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text)
    if (siblings.length > 1) return kept
    const inside = kept.slice(container.offset + 1, close - (text.length - kept.length))
    return inside.trim() === ''
      ? kept.slice(0, container.offset + 1) + kept.slice(container.offset + 1 + inside.length)
      : kept
  }

  /** What goes with an entry: its lines, where nothing else is on them, else the blanks towards its neighbour. */
  #room(start: number, end: number, index: number): readonly [number, number] {
    const text = this.#text
    const [rest = ''] = /^[ \t]*\r?\n?/.exec(text.slice(end)) ?? []
    if (isFirstOnLine(text, start) && rest.endsWith('\n')) {
      return [text.lastIndexOf('\n', start - 1) + 1, end + rest.length]
    }
    const blanks = rest.replace(/\r?\n$/, '').length
    if (isFirstOnLine(text, start) || index === 0) return [start, end + blanks]
    return [text.slice(0, start).trimEnd().length, end]
  }
}

const endOf = (node: Node): number => node.offset + node.length

const blankIn = (text: string): '' | ' ' => (/[:,] /.test(text) || !/[:,]/.test(text) ? ' ' : '')

/** By our own hand: the library's makes `__proto__` a prototype. */
function meaningOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(meaningOf)
  if (node.type !== 'object') return node.value
  const entries = (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key && value ? [[String(key.value), meaningOf(value)] as const] : [],
  )
  return Object.fromEntries(entries)
}

/** A copy in which this is so; nothing as a value takes out. */
function setIn(value: unknown, [key, ...rest]: JsonPath, to: unknown): unknown {
  if (key === undefined) return to
  if (Array.isArray(value) && typeof key === 'number') {
    const list: unknown[] = [...value]
    const item = setIn(list[key] ?? emptyFor(rest), rest, to)
    list.splice(key, 1, ...(item === undefined ? [] : [item]))
    return list
  }
  const entries = new Map(isRecord(value) ? Object.entries(value) : [])
  const item = setIn(entries.get(String(key)) ?? emptyFor(rest), rest, to)
  if (item === undefined) entries.delete(String(key))
  else entries.set(String(key), item)
  return Object.fromEntries(entries)
}

const emptyFor = ([key]: JsonPath): unknown => (typeof key === 'number' ? [] : {})

/** Where the next comma stands, beyond comments. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  scanner.scan()
  const offset = scanner.getTokenOffset()
  return offset < to && text[offset] === ',' ? offset : undefined
}

/** Behind the comments that stand on the same line. */
function endOfRemark(text: string, from: number): number {
  const remark = /(?:[ \t]*\/\*(?:[^*\n]|\*(?!\/))*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?(?=[ \t]*\r?$)/my
  remark.lastIndex = from
  return from + (remark.exec(text)?.[0].length ?? 0)
}

/** Nothing for a file that is empty, or has comments alone. */
function parsed(text: string): Node | undefined {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const [error] = errors
  if (!error) return root
  const before = text.slice(0, error.offset).split('\n')
  const what = printParseErrorCode(error.error)
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .toLowerCase()
  throw new AgentMailError(
    'parse_error',
    `it is no JSON: ${what} in line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`,
    'Correct it, and run this again.',
  )
}
