/** How the agent of a session is called: by a name that it was given, else by its client and a number. */
import type { Write } from '../../store/batch.ts'
import { type Reader, text } from '../../store/store.ts'
import type { Desk } from '../desk.ts'
import { type Session, sessionKey, sessionsWhere } from './session-rows.ts'

/** What is known of a session that begins. */
export interface SessionBeginning {
  client: string
  session: string
  /** The names that it was given, the first one first. */
  names: string[]
  /** Whether no number may lead to this name. */
  isAvoided(name: string): boolean
  /** As places.ts writes it; nothing where nobody knows. */
  place: string | null
}

export interface ChosenName {
  name: string
  /** Who had it here before, and in which role. */
  before?: { agent_id: string; role: string }
  /** Whether the session was given it. */
  isGiven: boolean
  /** Whether another session is at work under a name that this one was given, so that the place is that one's. */
  isPlaceTaken: boolean
}

/** One that was not heard of for so long does not come back under its number. */
const abandonedUs = 12 * 3600 * 1_000_000
/** Its windows share a daemon, and with that the pane of the one that came first. */
const isPaneShared = (client: string): boolean => client === 'codex'
/** In a pane whoever begins has come after the other; outside, all are at one place. */
const isPane = (place: string | null): boolean => place?.startsWith('tmux ') ?? false

/**
 * In the transaction in which it is registered, so that two that begin at once do not get one name.
 * @param own the same session, where it has ended and is resumed.
 */
export async function chooseName(
  write: Write,
  desk: Desk,
  beginning: SessionBeginning,
  own: Session | undefined,
): Promise<ChosenName> {
  let isPlaceTaken = false
  for (const name of beginning.names) {
    const others = await othersAt(write, desk, beginning, name)
    isPlaceTaken = others.some((other) => isBusy(other, beginning.client, desk))
    if (isPlaceTaken) continue
    const before = others[0] ?? (await agentAt(write, desk, beginning.place, name))
    return { name, isGiven: true, isPlaceTaken, ...(before && { before }) }
  }
  return { ...(await numbered(write, desk, beginning, own)), isPlaceTaken }
}

/** The other sessions that have, or had, this name at this place. */
async function othersAt(
  reader: Reader,
  desk: Desk,
  { client, session, place }: SessionBeginning,
  name: string,
): Promise<Session[]> {
  if (place === null) return []
  const own = sessionKey({ client, session })
  const values = [name, place, own]
  const which = 'a.name = ? AND s.place = ? AND s.session_key <> ?'
  return sessionsWhere(reader, desk.project, which, ...values)
}

/** Whether somebody is there under this name whom what begins does not follow: it was started by that one, or is in another window. */
function isBusy(other: Session, client: string, { clock, presence }: Desk): boolean {
  const lives = other.lastSeenUs >= (clock.now() - presence.staleMs) * 1000
  if (other.state === 'offline' || !lives) return false
  return other.state === 'work' || isPaneShared(client) || !isPane(other.place)
}

/** An agent of this name that was registered from this place. */
async function agentAt(
  reader: Reader,
  { project }: Desk,
  place: string | null,
  name: string,
): Promise<ChosenName['before']> {
  if (place === null) return undefined
  const [row] = await reader.all(
    `SELECT p.agent_id, a.role FROM presence p
      JOIN agents a ON a.project = p.project AND a.agent_id = p.agent_id
      WHERE p.project = ? AND p.place = ? AND p.leaving IS NULL AND a.name = ?
      ORDER BY p.last_seen_us DESC LIMIT 1`,
    ...[project, place, name],
  )
  return row && { agent_id: text(row.agent_id), role: text(row.role) }
}

async function numbered(
  write: Write,
  desk: Desk,
  { client, place, isAvoided }: SessionBeginning,
  own: Session | undefined,
): Promise<Omit<ChosenName, 'isPlaceTaken'>> {
  const taken = await takenNames(write, desk)
  const isFree = (name: string) => !taken.has(name) && !isAvoided(name)
  if (own && isFree(own.name)) return { name: own.name, before: own, isGiven: false }
  let n = 1
  while (!isFree(`${client}-${n}`)) n++
  const name = `${client}-${n}`
  const ended = await sessionsWhere(
    write,
    desk.project,
    "a.name = ? AND s.client = ? AND s.state = 'offline'",
    ...[name, client],
  )
  const before = ended.find((one) => one.place === place)
  return { name, isGiven: false, ...(before && { before }) }
}

/** Those of agents that live, and of sessions that may come back to theirs. */
async function takenNames(
  reader: Reader,
  { project, clock, presence }: Desk,
): Promise<Set<string>> {
  const now = clock.now() * 1000
  const living = await reader.all(
    `SELECT a.name FROM presence p JOIN agents a ON a.project = p.project AND a.agent_id = p.agent_id
      WHERE p.project = ? AND p.last_seen_us >= ?`,
    ...[project, now - presence.staleMs * 1000],
  )
  const sessions = await sessionsWhere(
    reader,
    project,
    "s.state <> 'offline' AND s.heard_us >= ?",
    now - abandonedUs,
  )
  return new Set([
    ...living.map((row) => text(row.name)),
    ...sessions.flatMap(({ name, former }) => [name, former ?? '']),
  ])
}
