/** Claims as a person looks at them: page by page, around a path, or by words in it. */
import { integer, type Row, text } from '../../store/store.ts'
import { byPath, heldBy } from '../claims/held.ts'
import type { Desk } from '../desk.ts'
import { pathsAround } from '../history.ts'
import { coarseFilter } from '../search/coarse-filter.ts'
import { SearchWords } from '../search/words.ts'

export interface ClaimRow {
  path: string
  agent_id: string
  agent: string
  us: number
  isByHook: boolean
}

/** Whatever a filter leaves is compared; so much of it. */
const mostCompared = 2000

export async function claimsAfter(
  { store, project }: Desk,
  after: string,
  limit: number,
): Promise<ClaimRow[]> {
  const rows = await store.all(
    `SELECT * FROM file_claims WHERE project = ? AND file_path > ? ORDER BY project, file_path LIMIT ${limit}`,
    ...[project, after],
  )
  return rows.map(claimRow)
}

export async function claimsAround(
  desk: Desk,
  path: string,
): Promise<{ path: string; claims: ClaimRow[] }> {
  const paths = await pathsAround(desk, path)
  const held = await heldBy(desk.store, desk.project, paths)
  const [normal = ''] = await desk.normalPaths([path])
  return { path: normal, claims: [...held.values()].sort(byPath).map(claimRow) }
}

export async function claimsAt(desk: Desk, paths: string[]): Promise<ClaimRow[]> {
  const held = await heldBy(desk.store, desk.project, new Set(paths))
  return [...held.values()].map(claimRow)
}

export async function claimsNamed(
  { store, project }: Desk,
  words: string[],
  limit: number,
): Promise<ClaimRow[]> {
  const wanted = new SearchWords(words)
  const conditions = coarseFilter(wanted.compared, ['file_path'])
  const rows = await store.all(
    `SELECT * FROM file_claims WHERE project = ? ${conditions.map(([sql]) => `AND ${sql}`).join(' ')}
      ORDER BY project, file_path LIMIT ${mostCompared}`,
    ...[project, ...conditions.flatMap(([, ...values]) => values)],
  )
  return rows
    .map(claimRow)
    .filter(({ path }) => wanted.areIn(path))
    .slice(0, limit)
}

const claimRow = (row: Row): ClaimRow => ({
  path: text(row.file_path),
  agent_id: text(row.agent_id),
  agent: text(row.agent_name),
  us: integer(row.claimed_us),
  isByHook: row.by_hook !== null,
})
