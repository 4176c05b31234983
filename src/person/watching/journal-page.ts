/** What happened between two moments, of one project or all: the newest of it, oldest first. */
import type { JournalWalk } from '../../coordination/overview/journal-walk.ts'
import { parseTime, timeText } from '../../coordination/time.ts'
import { integer, type Row } from '../../store/store.ts'
import type { JournalPage, JournalView } from '../shapes.ts'
import { journalViewOf } from './journal-view.ts'
import { mailsBetween } from './messages-view.ts'
import type { Sight } from './sight.ts'

const mostLooked = 200_000
const mostMails = 2000

export interface JournalQuestion {
  project?: string | undefined
  /** RFC 3339; only later. */
  since?: string | undefined
  until?: string | undefined
  /** A name or an id. */
  agent?: string | undefined
  file?: string | undefined
  limit: number
}

/** The next entry of a project that was not told yet. */
interface Head {
  project: string
  walk: JournalWalk
  row: Row
}

export async function journalPage(sight: Sight, question: JournalQuestion): Promise<JournalPage> {
  const { since, until, agent, file, limit } = question
  const sinceUs = since === undefined ? undefined : parseTime(since)
  const untilUs = until === undefined ? undefined : parseTime(until, 'until')
  const projects = await sight.projects(question.project)
  const walks: JournalWalk[] = []
  let heads: Head[] = []
  let prunedUs = 0
  for (const { name, project } of projects) {
    const walk = await project.overview.journal({ sinceUs, untilUs, agent, file, mostLooked })
    walks.push(walk)
    const row = await walk.next()
    if (row) heads.push({ project: name, walk, row })
    const pruned = await project.overview.horizon()
    if (pruned > (sinceUs ?? 0)) prunedUs = Math.max(prunedUs, pruned)
  }
  const entries: JournalView[] = []
  let oldestUs = 0
  while (entries.length < limit) {
    const newest = newestOf(heads)
    if (!newest) break
    entries.push(journalViewOf(newest.row, newest.project))
    oldestUs = timeOf(newest)
    const row = await newest.walk.next()
    if (row) newest.row = row
    else heads = heads.filter((head) => head !== newest)
  }
  const ends = walks.map(({ endedUs = 0 }) => endedUs)
  const leftUs = Math.max(heads.length > 0 ? oldestUs : 0, ...ends)
  const isPruned = prunedUs <= (untilUs ?? prunedUs)
  const cutUs = Math.max(leftUs, isPruned ? prunedUs : 0)
  const range = { sinceUs: Math.max(sinceUs ?? 0, leftUs), untilUs: untilUs ?? Infinity }
  const isOfFile = file !== undefined && file !== ''
  const asked = { ...range, agent, limit: mostMails }
  const mails = isOfFile ? [] : await mailsBetween(sight, projects, asked)
  return {
    entries: entries.reverse(),
    cut_at: cutUs > 0 ? timeText(cutUs) : null,
    mails: mails.reverse(),
  }
}

const timeOf = ({ row }: Head): number => integer(row.at_us)

const newestOf = (heads: Head[]): Head | undefined =>
  heads.reduce<Head | undefined>(
    (newest, head) => (newest && timeOf(newest) >= timeOf(head) ? newest : head),
    undefined,
  )
