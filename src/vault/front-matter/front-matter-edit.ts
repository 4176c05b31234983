/** A note written anew: its front matter as asked for, with every byte kept that need not change. */
import { isDeepStrictEqual } from 'node:util'
import { AgentMailError } from '../../errors.ts'
import { isRecord, jsonOf } from '../../system/text.ts'
import { type FrontMatter, parseFrontMatter } from './front-matter.ts'
import { type FencedBlock, joinNote, type NoteText, splitNote } from './note-text.ts'
import { spanOf } from './yaml-spans.ts'
import { type PairChanges, spliceYaml } from './yaml-splice.ts'

export interface ReadNote {
  parts: NoteText
  frontMatter: FrontMatter
}

/** How a change is written: the first way that reads back as asked is taken, so they go from kind to rough. */
interface Way {
  style: 'block' | 'json'
  isGreedy: boolean
  isWithin: boolean
  /** Whether pairs whose aliases lead to a pair that changes are written out. */
  isUnlinked: boolean
}

const ways: Way[] = [true, false].flatMap((isWithin) =>
  [false, true].flatMap((isGreedy) =>
    (isWithin ? (['block'] as const) : (['block', 'json'] as const)).flatMap((style) =>
      [false, true].map((isUnlinked) => ({ style, isGreedy, isWithin, isUnlinked })),
    ),
  ),
)

const maxDepth = 100
const noNote: NoteText = { bom: '', block: null, body: '' }

/**
 * @param frontmatter the whole of it: a key left out is removed, a new one comes last.
 * @param body written as it is.
 */
export function editNote(
  old: ReadNote | undefined,
  frontmatter: Record<string, unknown>,
  body: string,
): string {
  const note = old ?? { parts: noNote, frontMatter: parseFrontMatter(noNote) }
  const wanted = jsonValues(frontmatter)
  const isSame = isDeepStrictEqual(wanted, note.frontMatter.values)
  if (old && isSame && body === old.parts.body) return joinNote(old.parts)
  const tried = new Set<string>()
  for (const way of ways) {
    const changes = changesTo(note.frontMatter, wanted, way)
    const text = joinNote({ ...note.parts, block: blockWith(note, changes, body, way), body })
    if (!tried.has(text) && isAsAsked(text, note, wanted, body, changes)) return text
    tried.add(text)
  }
  throw notWritable('it would not read back as it was given')
}

/** JSON has no -0 and no undefined; deeper than the parser goes, nothing could be read back. */
function jsonValues(frontmatter: Record<string, unknown>): Record<string, unknown> {
  if (isDeeper(frontmatter, maxDepth)) throw notWritable('it is nested too deep')
  const values = jsonOf(JSON.stringify(frontmatter))
  if (!isRecord(values)) throw notWritable('it must be keys with values')
  return values
}

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((one) => isDeeper(one, depth - 1)))

/** Numbers that JSON has rounded would be others than were meant: refuses them in every value that is not as it was read. */
export function checkNumbers(wanted: Record<string, unknown>, old: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(wanted)) {
    const isKept = Object.hasOwn(old, key) && isDeepStrictEqual(value, old[key])
    if (isKept || !hasRounded(value)) continue
    throw new AgentMailError(
      'invalid_request',
      `a number in ${key} is beyond 9007199254740991, where JSON loses digits`,
      'Give it as text. Nothing was written.',
    )
  }
}

function hasRounded(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasRounded)
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return false
  return Number.isInteger(value) || !Number.isFinite(value)
}

function changesTo(
  { pairs }: FrontMatter,
  wanted: Record<string, unknown>,
  { isUnlinked }: Way,
): PairChanges {
  const known = new Set(pairs.map(({ key }) => key))
  const removed = new Set<number>()
  const replaced = new Map<number, unknown>()
  for (const [index, { key, value }] of pairs.entries()) {
    if (!Object.hasOwn(wanted, key)) removed.add(index)
    else if (!isDeepStrictEqual(value, wanted[key])) replaced.set(index, wanted[key])
  }
  // Written out in order: an alias leads to what is before it, so one round finds all.
  for (const [index, { value, needs }] of pairs.entries()) {
    const isLinked = [...needs].some((one) => removed.has(one) || replaced.has(one))
    if (isUnlinked && isLinked && !removed.has(index) && !replaced.has(index)) {
      replaced.set(index, value)
    }
  }
  return { removed, replaced, added: Object.entries(wanted).filter(([key]) => !known.has(key)) }
}

function blockWith(
  { parts, frontMatter }: ReadNote,
  changes: PairChanges,
  body: string,
  way: Way,
): FencedBlock | null {
  const { block } = parts
  const lineEnd = lineEndOf(block?.open ?? parts.body)
  const isOpening = body.startsWith('---') || body.startsWith('\ufeff')
  const yaml = spliceYaml(block?.yaml ?? '', frontMatter, changes, { ...way, lineEnd })
  if (!block) {
    const fence = `---${lineEnd}`
    return yaml || isOpening ? { open: fence, yaml, close: fence } : null
  }
  if (changes.removed.size > 0 && yaml.trim() === '' && !isOpening) return null
  const isEnded = block.close.endsWith('\n') || body === ''
  return { open: block.open, yaml, close: isEnded ? block.close : block.close + lineEnd }
}

const lineEndOf = (text: string): string => /\r?\n/.exec(text)?.[0] ?? '\n'

/** The promise of a write, tested on its result before anything is written. */
function isAsAsked(
  text: string,
  old: ReadNote,
  wanted: Record<string, unknown>,
  body: string,
  { replaced, removed }: PairChanges,
): boolean {
  if (!text.isWellFormed()) return false
  const note = read(text)
  if (!note || note.parts.bom !== old.parts.bom || note.parts.body !== body) return false
  const written = new Map(sources(note))
  return (
    isDeepStrictEqual(note.frontMatter.values, wanted) &&
    sources(old).every(
      ([key, source], index) =>
        replaced.has(index) || removed.has(index) || written.get(key) === source,
    )
  )
}

function read(text: string): ReadNote | undefined {
  try {
    const parts = splitNote(text)
    return { parts, frontMatter: parseFrontMatter(parts) }
  } catch (error) {
    if (AgentMailError.is(error)) return undefined
    throw error
  }
}

function sources({ parts: { block }, frontMatter }: ReadNote): [key: string, source: string][] {
  const yaml = block?.yaml ?? ''
  return frontMatter.pairs.map(({ key, item }) => {
    const { start, end } = spanOf(item, yaml)
    return [key, yaml.slice(start, end)]
  })
}

const notWritable = (why: string) =>
  new AgentMailError(
    'invalid_request',
    `the front matter cannot be written: ${why}`,
    'Give simpler keys and values, and text without lone surrogates. Nothing was written.',
  )
