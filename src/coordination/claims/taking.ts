/** Taking what is free, and letting go of it, in the transaction in which somebody has looked. */
import { AgentMailError } from '../../errors.ts'
import type { Write } from '../../store/batch.ts'
import { chunksOf, integer, marks, type SqlValue, text } from '../../store/store.ts'
import type { AgentName } from '../agents.ts'
import type { Desk } from '../desk.ts'
import { Ledger } from '../ledger.ts'
import { type Held, heldAt, othersOver, pathsAStatement } from './held.ts'
import type { NamedPlace } from './places.ts'

const claimsAnAgent = 10_000
const claimsAProject = 100_000

/**
 * The claims at these places and above them. Where one may be free, they are read once the counters
 * are taken: whoever claims takes those too, so no claim on a folder comes between.
 */
export async function heldAsSeenBy(
  write: Write,
  desk: Desk,
  places: NamedPlace[],
  agentId: string,
): Promise<Held> {
  const { project } = desk
  const held = await heldAt(write, project, places)
  const isPerhapsFree = (place: NamedPlace) =>
    !held.has(place.path) && othersOver(place, held, agentId).length === 0
  if (!places.some(isPerhapsFree)) return held
  await Ledger.lookedAt(write, desk)
  return heldAt(write, project, places)
}

/** @param byHook whether a hook claims it for a turn, and not the agent itself. */
export async function take(
  write: Write,
  desk: Desk,
  agent: AgentName,
  free: Pick<NamedPlace, 'path' | 'hash'>[],
  byHook = false,
): Promise<void> {
  // Without a free path nothing changes, so nothing is taken from the ledger.
  if (free.length === 0) return
  const { project } = desk
  await checkRoom(write, desk, agent.agent_id, free.length)
  const ledger = await Ledger.open(write, desk)
  for (const { path, hash } of free) {
    const at = ledger.nextTime()
    write.append('file_claims', {
      project,
      path_hash: hash,
      file_path: path,
      agent_id: agent.agent_id,
      agent_name: agent.name,
      claimed_us: at,
      by_hook: byHook ? 1 : null,
    })
    ledger.record(agent, 'claimed', { at, file_path: path })
  }
}

/** What a hook has claimed for an agent is the agent's own once it claims that itself. */
export async function keepAsOwn(
  write: Write,
  { project }: Desk,
  { agent_id }: AgentName,
  places: NamedPlace[],
  held: Held,
): Promise<void> {
  const isOfHook = ({ path }: NamedPlace) => {
    const row = held.get(path)
    return row?.agent_id === agent_id && row.by_hook !== null
  }
  for (const some of chunksOf(places.filter(isOfHook), pathsAStatement)) {
    await write.run(
      `UPDATE file_claims SET by_hook = NULL WHERE project = ? AND agent_id = ? AND path_hash IN (${marks(some.length)})`,
      ...[project, agent_id, ...some.map(({ hash }) => hash)],
    )
  }
}

/** Releases all that an agent holds, or what hooks have claimed for it. */
export async function letGo(
  write: Write,
  desk: Desk,
  agent: AgentName,
  which: { isByHook?: boolean } = {},
): Promise<void> {
  const these = `WHERE project = ? AND agent_id = ? ${which.isByHook ? 'AND by_hook IS NOT NULL' : ''}`
  const whose = [desk.project, agent.agent_id]
  const rows = await write.all(`SELECT file_path FROM file_claims ${these}`, ...whose)
  if (rows.length === 0) return
  const ledger = await Ledger.open(write, desk)
  await write.run(`DELETE FROM file_claims ${these}`, ...whose)
  for (const path of rows.map((row) => text(row.file_path)).sort()) {
    ledger.record(agent, 'released', { file_path: path })
  }
}

/** All that one agent holds is another's from now on. */
export async function handOn(
  write: Write,
  desk: Desk,
  from: AgentName,
  to: AgentName,
): Promise<void> {
  const these = 'WHERE project = ? AND agent_id = ?'
  const rows = await write.all(
    `SELECT file_path FROM file_claims ${these}`,
    ...[desk.project, from.agent_id],
  )
  if (rows.length === 0) return
  const ledger = await Ledger.open(write, desk)
  await write.run(
    `UPDATE file_claims SET agent_id = ?, agent_name = ? ${these}`,
    ...[to.agent_id, to.name, desk.project, from.agent_id],
  )
  for (const file_path of rows.map((row) => text(row.file_path)).sort()) {
    ledger.record(from, 'released', { file_path })
    ledger.record(to, 'claimed', { file_path })
  }
}

/** Refuses what would be too many. Counts only where it could be: a count goes through all claims. */
async function checkRoom(write: Write, desk: Desk, agentId: string, more: number): Promise<void> {
  const { project } = desk
  const ledger = await Ledger.lookedAt(write, desk)
  if (ledger.claimsAtMost + more > claimsAProject) {
    ledger.claimsAtMost = await countClaims(write, 'project = ?', project)
  }
  if (ledger.claimsAtMost + more > claimsAProject) {
    throw tooManyClaims('the project has', ledger.claimsAtMost, claimsAProject, more)
  }
  if (ledger.claimsAtMost + more <= claimsAnAgent) return
  const own = await countClaims(write, 'project = ? AND agent_id = ?', project, agentId)
  if (own + more > claimsAnAgent) throw tooManyClaims('you have', own, claimsAnAgent, more)
}

async function countClaims(write: Write, which: string, ...values: SqlValue[]): Promise<number> {
  const [row] = await write.all(
    `SELECT COUNT(*) AS claims FROM file_claims WHERE ${which}`,
    ...values,
  )
  return integer(row?.claims)
}

const tooManyClaims = (whose: string, held: number, most: number, more: number) =>
  new AgentMailError(
    'invalid_request',
    `too many claims: ${whose} ${held} of at most ${most}, and these would be ${more} more`,
    'Nothing of this call was claimed. Release what nobody works on, or claim fewer files.',
  )
