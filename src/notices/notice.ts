/** What a person is told: of what kind, by whom and what about, in one line; never a text itself. */
import { isRecord, steering } from '../system/text.ts'

const kinds = ['message', 'draft', 'unknown_send'] as const
export type NoticeKind = (typeof kinds)[number]

export interface Notice {
  /** `several`: what was too much for one minute, as one. */
  kind: NoticeKind | 'several'
  project: string
  from: string
  subject: string
  /** The page of the server, where one runs. */
  url: string
}

/** What somebody has to tell. */
export interface Telling {
  kind: NoticeKind
  /** Without it, whom the settings name; else `agentmail`. */
  from?: string | undefined
  subject: string
  project?: string
  url?: string
  /** The same key is told once, however often it is tried again. Without it, each is another. */
  key?: string
}

/** How often each kind came. */
type Counts = Partial<Record<NoticeKind, number>>

/** What waits to be posted, with the folder that it is from where no project was named; where too many wait, only how many more there are. */
export type Waiting = { id: string; at: number } & (
  | (Notice & { kind: NoticeKind; folder?: string })
  | { counts: Counts }
)

const mostInSubject = 80
const mostInName = 255

export const noticeOf = (telling: Telling, from: string, project: string) => ({
  kind: telling.kind,
  project: inOneLine(telling.project ?? project, mostInName),
  from: inOneLine(telling.from ?? from, mostInName) || 'agentmail',
  subject: inOneLine(telling.subject, mostInSubject),
  url: telling.url ?? '',
})

/** Whole characters, as a reader counts them, as far as they fit. @example inOneLine('a\nb', 80) // 'a b' */
function inOneLine(text: string, most: number): string {
  const line = text
    .toWellFormed()
    .slice(0, 64 * most) // no more is looked at, however long it is
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(steering, '')
    .trim()
  const points = Array.from(line)
  if (points.length <= most) return line
  let kept = ''
  let length = 0
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    length += Array.from(segment).length
    if (length > most) break
    kept += segment
  }
  return (kept === '' ? points.slice(0, most).join('') : kept).toWellFormed().trimEnd()
}

export const isSummary = (waiting: Waiting): waiting is Waiting & { counts: Counts } =>
  'counts' in waiting

/** What was counted before, and one more. */
export const countedOn = (counts: Counts, kind: NoticeKind): Counts => ({
  ...counts,
  [kind]: (counts[kind] ?? 0) + 1,
})

/** What is posted of these: one as it is, several as how many of what kind. */
export function asOne(waiting: Waiting[], page: string): Notice {
  const [first] = waiting
  if (first && waiting.length === 1 && !isSummary(first)) {
    const { kind, project, from, subject, url } = first
    return { kind, project, from, subject, url: url || page }
  }
  const projects = new Set(waiting.map((one) => (isSummary(one) ? '' : one.project)))
  const [project = ''] = projects.size === 1 ? projects : []
  return { kind: 'several', project, from: 'agentmail', subject: inCounts(waiting), url: page }
}

const names: Record<NoticeKind, [string, string]> = {
  message: ['message', 'messages'],
  draft: ['draft', 'drafts'],
  unknown_send: ['unknown send', 'unknown sends'],
}

function inCounts(waiting: Waiting[]): string {
  const count = (kind: NoticeKind) =>
    waiting
      .map((one) => (isSummary(one) ? (one.counts[kind] ?? 0) : Number(one.kind === kind)))
      .reduce((sum, more) => sum + more, 0)
  const counts = kinds.map((kind) => ({ kind, count: count(kind) }))
  const sum = counts.reduce((all, one) => all + one.count, 0)
  const words = counts
    .filter((one) => one.count > 0)
    .map((one) => `${one.count} ${names[one.kind][one.count === 1 ? 0 : 1]}`)
  return `${sum} more: ${words.join(', ')}`
}

/** Nothing where a line is none of ours. */
export function waitingOf(value: unknown): Waiting | undefined {
  if (!isRecord(value) || typeof value.id !== 'string' || !isTime(value.at)) return undefined
  const { id, at } = value
  if (isRecord(value.counts)) return { id, at, counts: countsOf(value.counts) }
  const kind = kinds.find((one) => one === value.kind)
  const { project, from, subject, url, folder } = value
  if (kind === undefined || typeof project !== 'string' || typeof from !== 'string')
    return undefined
  if (typeof subject !== 'string' || typeof url !== 'string') return undefined
  const where = typeof folder === 'string' ? { folder } : {}
  return { id, at, kind, project, from, subject, url, ...where }
}

function countsOf(value: Record<string, unknown>): Counts {
  const counted = kinds.flatMap((kind) => (isTime(value[kind]) ? [[kind, value[kind]]] : []))
  return Object.fromEntries(counted)
}

export const isTime = (value: unknown): value is number => Number.isSafeInteger(value)
