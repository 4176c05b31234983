/** Who holds which files, and what happened to one of them. */
import type { ClaimRow } from '../../coordination/overview/claim-rows.ts'
import { timeText } from '../../coordination/time.ts'
import type { ClaimView, FileView, JournalView } from '../shapes.ts'
import { journalViewOf } from './journal-view.ts'
import type { Sight } from './sight.ts'

const mostEntries = 200
const mostLooked = 50_000

export interface ClaimsQuestion {
  project?: string | undefined
  /** A path; of all projects, a project and a path with a line break between them. */
  after?: string | undefined
  limit: number
}

/** By path; of all projects, one after the other by name. */
export async function claimsPage(
  sight: Sight,
  { project, after = '', limit }: ClaimsQuestion,
): Promise<{ claims: ClaimView[]; has_more: boolean }> {
  const isOne = project !== undefined && project !== ''
  const [lastProject, ...lastPath] = isOne ? [''] : after.split('\n')
  const start = isOne ? after : lastPath.join('\n')
  const all = (await sight.projects(project)).sort((one, other) => (one.name < other.name ? -1 : 1))
  const claims: ClaimView[] = []
  for (const { name, project: one } of all) {
    if (!isOne && name < (lastProject ?? '')) continue
    const from = isOne || name === lastProject ? start : ''
    const rows = await one.overview.claims(from, limit + 1 - claims.length)
    claims.push(...rows.map((row) => claimView(row, name)))
    if (claims.length > limit) break
  }
  return { claims: claims.slice(0, limit), has_more: claims.length > limit }
}

/** Its history goes back as far as can be looked at in short. */
export async function fileView(sight: Sight, project: string, path: string): Promise<FileView> {
  const { name, project: one } = await sight.project(project)
  const { path: normal, claims } = await one.overview.claimsAround(path)
  const walk = await one.overview.journal({ file: path, mostLooked })
  const entries: JournalView[] = []
  let has_more = false
  for (let row = await walk.next(); row; row = await walk.next()) {
    has_more = entries.length === mostEntries
    if (has_more) break
    entries.push(journalViewOf(row, name))
  }
  return {
    path: normal,
    claims: claims.map((row) => claimView(row, name)),
    entries,
    has_more: has_more || walk.endedUs !== undefined,
  }
}

const claimView = (row: ClaimRow, project: string): ClaimView => ({
  ...{ project, path: row.path, agent_id: row.agent_id, agent: row.agent },
  since: timeText(row.us),
  by_hook: row.isByHook,
})
