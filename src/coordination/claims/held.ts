/** The claims that are held at places, above them and below them. */
import { chunksOf, integer, marks, type Reader, type Row, text } from '../../store/store.ts'
import { sha256 } from '../../system/text.ts'
import type { Desk } from '../desk.ts'
import { timeText } from '../time.ts'
import { asFolder, baseOf, type NamedPlace, pathsOver } from './places.ts'

export interface ClaimEntry {
  file_path: string
  agent_id: string
  claimed_at: string
  holder_name: string
}

/** By their paths. */
export type Held = Map<string, Row>

export const pathsAStatement = 250
/** What would be more folders is looked for the other way round: among those that are held. */
const foldersAtOnce = 20_000

/** The claims at these places, as files and as folders, and on the folders above them. */
export async function heldAt(reader: Reader, project: string, places: NamedPlace[]): Promise<Held> {
  const paths = new Set<string>()
  const folders = places.reduce((sum, { base }) => sum + base.split('/').length, 0)
  if (folders <= foldersAtOnce) {
    for (const { base } of places) pathsOver(base, paths)
    return heldBy(reader, project, paths)
  }
  const rows = await reader.all(
    "SELECT file_path FROM file_claims WHERE project = ? AND file_path LIKE '%/**'",
    project,
  )
  const held = new Set(rows.map((row) => baseOf(text(row.file_path))))
  const lengths = new Set([...held].map((base) => base.length))
  for (const { base } of places) {
    paths.add(base).add(asFolder(base)).add(asFolder('.'))
    for (let end = base.indexOf('/'); end !== -1; end = base.indexOf('/', end + 1)) {
      const above = lengths.has(end) ? base.slice(0, end) : ''
      if (held.has(above)) paths.add(asFolder(above))
    }
  }
  return heldBy(reader, project, paths)
}

/** The claims on these paths. */
export async function heldBy(
  reader: Reader,
  project: string,
  paths: Iterable<string>,
): Promise<Held> {
  const held: Held = new Map()
  for (const some of chunksOf([...paths], pathsAStatement)) {
    const byHash = new Map(some.map((path) => [sha256(path), path]))
    const rows = await reader.all(
      `SELECT * FROM file_claims WHERE project = ? AND path_hash IN (${marks(byHash.size)})`,
      project,
      ...byHash.keys(),
    )
    for (const row of rows) held.set(byHash.get(text(row.path_hash)) ?? '', row)
  }
  return held
}

/** What others hold at a place and above it. */
export function othersOver({ base }: NamedPlace, held: Held, agentId: string): Row[] {
  const isOver = (path: string) =>
    baseOf(path) === base || path === asFolder('.') || isInside(base, path)
  return [...held]
    .filter(([path, row]) => row.agent_id !== agentId && isOver(path))
    .map(([, row]) => row)
    .sort(byPath)
}

const isInside = (base: string, folder: string): boolean =>
  folder.endsWith('/**') && base.startsWith(folder.slice(0, -2))

/** What others hold below a folder, at most so much; in no order, so that no engine has to sort all that is held there. */
export async function othersBelow(
  reader: Reader,
  project: string,
  folder: NamedPlace,
  { agentId, most }: { agentId: string; most: number },
): Promise<Row[]> {
  const { sql, values } = isBelow(folder)
  const rows = await reader.all(
    `SELECT * FROM file_claims WHERE project = ? ${sql} AND agent_id <> ? LIMIT ${most}`,
    ...[project, ...values, agentId],
  )
  return rows.sort(byPath)
}

/** The first so many below these folders, of which none is inside another, in the order of their paths. */
export async function heldBelow(
  { store, project }: Desk,
  folders: NamedPlace[],
  { start, most, but }: { start: string; most: number; but: (row: Row) => boolean },
): Promise<Row[]> {
  const found: Row[] = []
  for (const folder of folders) {
    for (let cursor = start; found.length < most; ) {
      const { sql, values } = isBelow(folder, cursor)
      const rows = await store.all(
        `SELECT * FROM file_claims WHERE project = ? ${sql} ORDER BY project, file_path LIMIT ${most}`,
        ...[project, ...values],
      )
      found.push(...rows.filter((row) => !but(row)))
      const last = rows.at(-1)
      if (!last || rows.length < most) break
      cursor = text(last.file_path)
    }
  }
  return found
}

/**
 * As a condition, after a path where one is given: `0` comes after `/`, and no name begins with less than
 * NUL, though with less than a space, which MariaDB takes the end of a text for.
 */
function isBelow({ base }: NamedPlace, after = ''): { sql: string; values: string[] } {
  if (base === '.') return { sql: 'AND file_path > ?', values: [after] }
  const first = `${base}/\0`
  const start = inBytes(after, first) > 0 ? after : first // since an engine searches by one of two
  return { sql: 'AND file_path > ? AND file_path < ?', values: [start, `${base}0`] }
}

export const entryOf = (row: Row): ClaimEntry => ({
  file_path: text(row.file_path),
  agent_id: text(row.agent_id),
  claimed_at: timeText(integer(row.claimed_us)),
  holder_name: text(row.agent_name),
})

export const byPath = (one: Row, other: Row): number =>
  inBytes(text(one.file_path), text(other.file_path))

/** As every store orders texts, which is not how JavaScript compares them. */
const inBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

/** In the order of what is below them, without those that are inside another. */
export function outermost(folders: NamedPlace[]): NamedPlace[] {
  const sorted = folders.toSorted((a, b) => inBytes(`${a.base}/`, `${b.base}/`))
  const whole = sorted.find(({ base }) => base === '.')
  if (whole) return [whole]
  const found: NamedPlace[] = []
  for (const one of sorted) {
    const last = found.at(-1)
    if (!last || !`${one.base}/`.startsWith(`${last.base}/`)) found.push(one)
  }
  return found
}
