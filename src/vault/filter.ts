/** Finds notes by a value of their front matter: `field:value`. */
import { AgentMailError } from '../errors.ts'
import { isRecord, jsonOf } from '../system/text.ts'
import { parseFrontMatter } from './front-matter/front-matter.ts'
import { decodeNote, splitNote } from './front-matter/note-text.ts'
import { simpleValues } from './front-matter/simple-values.ts'

export interface Filter {
  /** Whether the note with these bytes matches; throws for one that cannot be read. */
  matches(bytes: Buffer): boolean
  /** The same, by the fields that were kept of it. */
  matchesFields(fields: string): boolean
}

/** Longer than the front matter of almost every note. */
const maxFieldsLength = 4096

/** The fields of a note as they are kept, to be compared with a filter; null where they are too many. */
export function fieldsOf(bytes: Buffer): string | null {
  try {
    const parts = splitNote(decodeNote(bytes))
    if (!parts.block) return '{}'
    if (parts.block.yaml.length > maxFieldsLength) return null
    const values = simpleValues(parts.block.yaml) ?? parseFrontMatter(parts).values
    const fields = JSON.stringify(values)
    return fields.length > maxFieldsLength ? null : fields // an alias can stand for much
  } catch (error) {
    if (AgentMailError.is(error)) return '{}' // what cannot be read matches nothing
    throw error
  }
}

/** @example parseFilter('status:pending') */
export function parseFilter(text: string): Filter {
  const colon = text.indexOf(':')
  if (colon < 1) {
    throw new AgentMailError(
      'invalid_request',
      `filter must be field:value, not "${text}"`,
      'Write the name of a front matter field, a colon and its value, such as status:pending.',
    )
  }
  const [field, wanted] = [text.slice(0, colon), text.slice(colon + 1)]
  const mayMatch = candidate(field, wanted)
  const key = `${JSON.stringify(field)}:`
  const value = isScalar(wanted) ? '' : JSON.stringify(wanted)
  const isIn = (values: Record<string, unknown>) =>
    Object.hasOwn(values, field) && isValue(values[field], wanted)
  return {
    matches(bytes) {
      const parts = splitNote(decodeNote(bytes))
      return (
        parts.block !== null && mayMatch(parts.block.yaml) && isIn(parseFrontMatter(parts).values)
      )
    },
    matchesFields(fields) {
      const values = fields.includes(key) && fields.includes(value) ? jsonOf(fields) : undefined
      return isRecord(values) && isIn(values)
    },
  }
}

/** To parse YAML takes ten times as long as to see that neither the field nor its value stands in it. */
function candidate(field: string, wanted: string): (yaml: string) => boolean {
  const name = plainStart(field)
  const value = isScalar(wanted) ? '' : plainStart(wanted)
  return (yaml) => yaml.includes('\\') || (yaml.includes(name) && yaml.includes(value))
}

/** What stands in any spelling of a text: quotes are doubled or escaped, and lines are broken at blanks. */
const plainStart = (text: string): string => text.split(/[\s'"\\]/)[0] ?? ''

function isValue(value: unknown, wanted: string): boolean {
  if (Array.isArray(value)) return value.some((one) => !Array.isArray(one) && isValue(one, wanted))
  if (typeof value === 'number') return numberOf(wanted) === value
  if (typeof value === 'boolean') return wanted.toLowerCase() === String(value)
  if (value === null) return /^(|~|null)$/i.test(wanted)
  if (typeof value !== 'string') return false
  return value === wanted || isSameTime(value, wanted)
}

/** Text that YAML takes for something else, so that it may be written in other ways. */
const isScalar = (text: string) =>
  /^(|~|null|true|false)$/i.test(text) || numberOf(text) !== undefined || timeOf(text) !== undefined

function numberOf(text: string): number | undefined {
  const isNumber = /^([-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|0x[\da-f]+|0o[0-7]+)$/i.test(text)
  return isNumber ? Number(text) : undefined
}

function isSameTime(one: string, other: string): boolean {
  const time = timeOf(one)
  return time !== undefined && time === timeOf(other)
}

/** A day is its first moment in UTC. */
function timeOf(text: string): number | undefined {
  const iso = /^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[-+]\d\d:\d\d)?)?$/.exec(text)
  if (!iso) return undefined
  const [, time, , , zone] = iso
  const parsed = Date.parse(time && !zone ? `${text.replace(' ', 'T')}Z` : text.replace(' ', 'T'))
  return Number.isNaN(parsed) ? undefined : parsed
}
