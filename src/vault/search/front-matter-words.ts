/** The values of a note's front matter as words to be found; most blocks are so simple that no parser is needed. */
import { AgentMailError } from '../../errors.ts'
import { parseFrontMatter } from '../front-matter/front-matter.ts'
import { splitNote } from '../front-matter/note-text.ts'

export interface FrontMatterWords {
  /** What the note calls itself: `title` and `aliases`. */
  titles: string[]
  values: string[]
  body: string
}

/** Of a note whose front matter cannot be understood, all is body. */
export function readFrontMatter(note: string): FrontMatterWords {
  try {
    const parts = splitNote(note)
    if (!parts.block) return { titles: [], values: [], body: parts.body }
    const entries = simpleEntries(parts.block.yaml) ?? parseFrontMatter(parts).values
    return { ...wordsOf(entries), body: parts.body }
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    return { titles: [], values: [], body: note }
  }
}

function wordsOf(entries: Record<string, unknown>): { titles: string[]; values: string[] } {
  const titles: string[] = []
  const values: string[] = []
  for (const [key, value] of Object.entries(entries)) {
    const words = [...scalars(value)]
    if (/^(title|alias|aliases)$/i.test(key)) titles.push(...words)
    values.push(...words)
  }
  return { titles, values }
}

function* scalars(value: unknown): Generator<string> {
  if (value === null || value === undefined || value === '') return
  if (typeof value !== 'object') yield String(value)
  else for (const part of Object.values(value)) yield* scalars(part)
}

/** `key: value`, with a value in which nothing has a meaning of its own to YAML. */
const plain = /(?![\s[\]{}>|*&!%#`@"',?:-])(?:(?!: | #|:$).)+/.source
const quoted = /"[^"\\]*"|'[^']*'/.source
const list = /\[[\w ,/-]*\]/.source
const pairLine = new RegExp(`^([\\w-][\\w -]*):(?:[ \\t]+(${plain}|${quoted}|${list}))?[ \\t]*$`)
const itemLine = new RegExp(`^[ \\t]*-[ \\t]+(${plain}|${quoted})[ \\t]*$`)

/** Nothing where a block has more to it than keys with words or lists of words. */
function simpleEntries(yaml: string): Record<string, unknown> | undefined {
  const entries = new Map<string, string | string[]>()
  let items: string[] | undefined
  for (const line of yaml.split(/\r?\n/)) {
    if (line === '') continue
    const item = items && itemLine.exec(line)?.[1]
    if (item !== undefined) {
      items?.push(unquoted(item))
      continue
    }
    const [, key, value] = pairLine.exec(line) ?? []
    if (key === undefined || entries.has(key)) return undefined
    items = value === undefined ? [] : undefined
    entries.set(key, items ?? wordsIn(value ?? ''))
  }
  return Object.fromEntries(entries)
}

const wordsIn = (value: string): string | string[] =>
  value.startsWith('[') ? value.slice(1, -1).split(',').map(unquoted) : unquoted(value)

/** A number stays as it was typed, which is how it is looked for. */
function unquoted(value: string): string {
  if (/^["']/.test(value)) return value.slice(1, -1)
  return /^(?:~|null)$/i.test(value) ? '' : value.trim()
}
