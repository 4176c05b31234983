/** The edits of a session: refused where another holds the file, claimed for the turn, remembered, and announced at its end. */
import type { Write } from '../../store/batch.ts'
import { integer, marks, type Reader, type Row, text } from '../../store/store.ts'
import { sha256 } from '../../system/text.ts'
import type { AgentName } from '../agents.ts'
import { storeChange } from '../changes.ts'
import { type Held, othersBelow, othersOver } from '../claims/held.ts'
import type { NamedPlace } from '../claims/places.ts'
import type { Desk } from '../desk.ts'
import { timeText } from '../time.ts'

/** Somebody holds a file, or a folder above it. */
export interface FileHolder {
  /** The normal form of the file that was asked about. */
  path: string
  name: string
  role: string
  since: string
}

const longestPath = 1024
const foldersLookedInto = 20
const heldBelowNamed = 5
/** So many files of one turn are remembered. */
const filesATurn = 1000

/** A file by its normal path. What is on the disk is not looked at: an edit is of a file. */
export const fileAt = (path: string): NamedPlace => ({
  spelling: path,
  path,
  hash: sha256(path),
  isFolder: false,
  isSpelledFolder: false,
  base: path,
})

/** Nobody can claim what reads like a pattern, or is longer than a path may be. */
export const isClaimable = ({ path }: NamedPlace): boolean =>
  path !== '.' && !path.includes('*') && path.length <= longestPath

/** Who else holds each of these, if anybody does; of several, the nearest. */
export async function holdersOf(
  reader: Reader,
  { project }: Desk,
  files: NamedPlace[],
  held: Held,
  agentId: string,
): Promise<FileHolder[]> {
  const found = files.flatMap((file) => {
    const row = othersOver(file, held, agentId).at(-1)
    return row ? [{ path: file.path, row }] : []
  })
  return withRoles(reader, project, found)
}

/** What others hold below these, where they are folders; some of it is enough. */
export async function holdersBelow(
  reader: Reader,
  { project }: Desk,
  folders: NamedPlace[],
  agentId: string,
): Promise<FileHolder[]> {
  const found: { path: string; row: Row }[] = []
  for (const folder of folders.slice(0, foldersLookedInto)) {
    const rows = await othersBelow(reader, project, folder, { agentId, most: heldBelowNamed })
    found.push(...rows.map((row) => ({ path: text(row.file_path), row })))
  }
  return withRoles(reader, project, found)
}

async function withRoles(
  reader: Reader,
  project: string,
  found: { path: string; row: Row }[],
): Promise<FileHolder[]> {
  const ids = [...new Set(found.map(({ row }) => text(row.agent_id)))]
  if (ids.length === 0) return []
  const rows = await reader.all(
    `SELECT agent_id, role FROM agents WHERE project = ? AND agent_id IN (${marks(ids.length)})`,
    ...[project, ...ids],
  )
  const roles = new Map(rows.map((row) => [text(row.agent_id), text(row.role)]))
  return found.map(({ path, row }) => ({
    path,
    name: text(row.agent_name),
    role: roles.get(text(row.agent_id)) ?? 'unknown',
    since: timeText(integer(row.claimed_us)),
  }))
}

/** Counts one more edit of each of these. */
export async function rememberEdits(
  write: Write,
  { project }: Desk,
  key: string,
  paths: string[],
): Promise<void> {
  const which = 'WHERE project = ? AND session_key = ?'
  for (const path of paths) {
    const hash = sha256(path)
    const counted = await write.run(
      `UPDATE turn_edits SET edits = edits + 1 ${which} AND path_hash = ?`,
      ...[project, key, hash],
    )
    if (counted > 0) continue
    const [row] = await write.all(`SELECT COUNT(*) AS files FROM turn_edits ${which}`, project, key)
    if (integer(row?.files) >= filesATurn) return
    const file = { path_hash: hash, file_path: path, edits: 1 }
    write.append('turn_edits', { project, session_key: key, ...file })
  }
}

/** One change a file. They are forgotten with that, so that an end that is heard twice announces nothing twice. */
export async function announceEdits(
  write: Write,
  desk: Desk,
  key: string,
  agent: AgentName,
): Promise<void> {
  const which = 'WHERE project = ? AND session_key = ?'
  const rows = await write.all(
    `SELECT file_path, edits FROM turn_edits ${which} ORDER BY project, session_key, path_hash`,
    ...[desk.project, key],
  )
  if (rows.length === 0) return
  await write.run(`DELETE FROM turn_edits ${which}`, desk.project, key)
  for (const row of rows.sort((a, b) => (text(a.file_path) < text(b.file_path) ? -1 : 1))) {
    const edits = integer(row.edits)
    const times = edits === 1 ? '1 edit' : `${edits} edits`
    const summary = `Edited by ${agent.name} (${times} in one turn; announced by its hook).`
    await storeChange(write, desk, agent, { file_path: text(row.file_path), summary })
  }
}
