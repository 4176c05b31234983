/** The rows of sessions: what a project knows of each session of a coding client. */
import type { Write } from '../../store/batch.ts'
import {
  chunksOf,
  integer,
  marks,
  type Reader,
  type Row,
  type SqlValue,
  StoreError,
  text,
} from '../../store/store.ts'
import type { Clock } from '../../system/clock.ts'
import { uuid } from '../../system/random.ts'
import { sha256 } from '../../system/text.ts'
import type { Desk } from '../desk.ts'

/** `waits`: for a person, who was asked something. */
export type SessionState = 'ready' | 'work' | 'waits' | 'offline'

/** A session as its client calls it. */
export interface SessionName {
  client: string
  session: string
}

/** What is kept of a session, and changes with it. */
export interface SessionFacts {
  agent_id: string
  /** What its agent was called before, and others may still call it. */
  former: string | null
  /** The name of its mailbox, if it has one. */
  mailbox: string | null
  place: string | null
  /** The folder in which it began. */
  home: string | null
  state: SessionState
  guard: string | null
  auto_claim: string | null
}

export interface Session extends SessionFacts {
  key: string
  client: string
  /** As the client calls it; the beginning of one that is too long. */
  session_id: string
  /** Of its agent. */
  name: string
  role: string
  /** Whether its agent is registered at present. */
  isPresent: boolean
  lastSeenUs: number
  stateUs: number
  startedUs: number
  heardUs: number
  token: string
}

const longest = 255
/** That it was heard of is noted so often, where nothing else is. */
const heardEveryUs = 60_000_000
const dayUs = 24 * 3600 * 1_000_000
const endedKeptUs = 7 * dayUs
const silentKeptUs = 30 * dayUs
const sessionsAProject = 2000
const removedAtOnce = 200

/** Whatever a client calls its session, and however long that is. */
export const sessionKey = ({ client, session }: SessionName): string =>
  sha256(`${client} ${session}`)

const from = `SELECT s.*, a.name, a.role, p.last_seen_us FROM sessions s
  JOIN agents a ON a.project = s.project AND a.agent_id = s.agent_id
  LEFT JOIN presence p ON p.project = s.project AND p.agent_id = s.agent_id`

export async function sessionsWhere(
  reader: Reader,
  project: string,
  condition: string,
  ...values: SqlValue[]
): Promise<Session[]> {
  const rows = await reader.all(
    `${from} WHERE s.project = ? AND ${condition} ORDER BY s.heard_us DESC, s.session_key`,
    ...[project, ...values],
  )
  return rows.map(sessionOf)
}

export async function sessionOfKey(
  reader: Reader,
  project: string,
  key: string,
): Promise<Session | undefined> {
  return (await sessionsWhere(reader, project, 's.session_key = ?', key))[0]
}

const sessionOf = (row: Row): Session => ({
  key: text(row.session_key),
  client: text(row.client),
  session_id: text(row.session_id),
  agent_id: text(row.agent_id),
  name: text(row.name),
  role: text(row.role),
  former: textOrNull(row.former),
  mailbox: textOrNull(row.mailbox),
  place: textOrNull(row.place),
  home: textOrNull(row.home),
  state: sessionStateOf(row.state),
  guard: textOrNull(row.guard),
  auto_claim: textOrNull(row.auto_claim),
  isPresent: typeof row.last_seen_us === 'number',
  lastSeenUs: typeof row.last_seen_us === 'number' ? row.last_seen_us : 0,
  stateUs: integer(row.state_us),
  startedUs: integer(row.started_us),
  heardUs: integer(row.heard_us),
  token: text(row.token),
})

const textOrNull = (value: SqlValue | undefined) => (typeof value === 'string' ? value : null)

const states: SessionState[] = ['ready', 'work', 'waits', 'offline']
export const sessionStateOf = (value: SqlValue | undefined): SessionState =>
  states.find((one) => one === value) ?? 'ready'

/** Where a session began that has not ended, in whichever project: from there it goes into other folders. */
export async function homeOf(reader: Reader, name: SessionName): Promise<string | undefined> {
  const [row] = await reader.all(
    "SELECT home FROM sessions WHERE session_key = ? AND state <> 'offline' AND home IS NOT NULL ORDER BY heard_us DESC, project LIMIT 1",
    sessionKey(name),
  )
  return row && text(row.home)
}

/** The sessions of these agents that have not ended; of several, the one that was heard of last. */
export async function sessionsOfAgents(
  { store, project }: Desk,
  ids: string[],
): Promise<Map<string, Pick<Session, 'client' | 'state'>>> {
  const rows = await store.all(
    `SELECT agent_id, client, state FROM sessions
      WHERE project = ? AND state <> 'offline' AND agent_id IN (${marks(ids.length)})
      ORDER BY heard_us, session_key`,
    ...[project, ...ids],
  )
  return new Map(
    rows.map((row) => [
      text(row.agent_id),
      { client: text(row.client), state: sessionStateOf(row.state) },
    ]),
  )
}

export async function addSession(
  write: Write,
  desk: Desk,
  { client, session }: SessionName,
  facts: SessionFacts,
): Promise<void> {
  await makeRoom(write, desk)
  const us = desk.clock.now() * 1000
  write.append('sessions', {
    project: desk.project,
    session_key: sessionKey({ client, session }),
    client,
    session_id: [...session.slice(0, 2 * longest)].slice(0, longest).join(''),
    ...facts,
    state_us: us,
    started_us: us,
    heard_us: us,
    token: uuid(),
  })
  const { project, news } = desk
  write.afterCommit(() => news.tell({ about: 'agents', project }))
}

/** Writes what has changed, and now and then that it was heard of. Of two processes that change one at once, the second starts over. */
export async function saveSession(
  write: Write,
  { project, clock, news }: Desk,
  before: Session,
  after: SessionFacts,
): Promise<void> {
  const us = clock.now() * 1000
  const columns = [
    'agent_id',
    'former',
    'mailbox',
    'place',
    'home',
    'state',
    'guard',
    'auto_claim',
  ] as const
  const isSame = columns.every((column) => before[column] === after[column])
  if (isSame && us - before.heardUs < heardEveryUs) return
  const stateUs = before.state === after.state ? before.stateUs : us
  const saved = await write.run(
    `UPDATE sessions SET ${columns.map((column) => `${column} = ?`).join(', ')}, state_us = ?, heard_us = ?, token = ?
      WHERE project = ? AND session_key = ? AND token = ?`,
    ...columns.map((column) => after[column]),
    ...[stateUs, us, uuid(), project, before.key, before.token],
  )
  if (saved !== 1) throw new StoreError('again', 'another process changed the session')
  if (!isSame) write.afterCommit(() => news.tell({ about: 'agents', project }))
}

/** Whether it is to be noted again that a session was heard of. */
export const isHeardLongAgo = ({ heardUs }: Session, { clock }: Desk): boolean =>
  clock.now() * 1000 - heardUs >= heardEveryUs

/** Notes it of the sessions at work of these agents. */
export async function heardOf(
  write: Write,
  clock: Clock,
  project: string,
  agentIds: string[],
): Promise<void> {
  const us = clock.now() * 1000
  await write.run(
    `UPDATE sessions SET heard_us = ? WHERE project = ? AND state = 'work' AND heard_us < ? AND agent_id IN (${marks(agentIds.length)})`,
    ...[us, project, us - heardEveryUs, ...agentIds],
  )
}

/** Whoever was this agent until now is it no longer. */
export async function endOthers(
  write: Write,
  { project }: Desk,
  agentId: string,
  key: string,
): Promise<void> {
  await write.run(
    "UPDATE sessions SET state = 'offline', token = ? WHERE project = ? AND agent_id = ? AND session_key <> ? AND state <> 'offline'",
    ...[uuid(), project, agentId, key],
  )
}

/** Removes those that ended long ago or were not heard of for longer; where that leaves too many, the oldest. */
async function makeRoom(write: Write, { project, clock }: Desk): Promise<void> {
  const now = clock.now() * 1000
  const old = await write.all(
    `SELECT session_key FROM sessions WHERE project = ?
      AND (heard_us < ? OR (heard_us < ? AND state = 'offline')) LIMIT ${removedAtOnce}`,
    ...[project, now - silentKeptUs, now - endedKeptUs],
  )
  await removeSessions(write, project, old.map(keyOf))
  const [counted] = await write.all(
    'SELECT COUNT(*) AS sessions FROM sessions WHERE project = ?',
    project,
  )
  if (integer(counted?.sessions) < sessionsAProject) return
  const oldest = await write.all(
    `SELECT session_key FROM sessions WHERE project = ? ORDER BY project, heard_us LIMIT ${removedAtOnce}`,
    project,
  )
  await removeSessions(write, project, oldest.map(keyOf))
}

const keyOf = (row: Row): string => text(row.session_key)

/** With the edits that they have not announced. */
async function removeSessions(write: Write, project: string, keys: string[]): Promise<void> {
  for (const some of chunksOf(keys, removedAtOnce)) {
    const these = `WHERE project = ? AND session_key IN (${marks(some.length)})`
    await write.run(`DELETE FROM turn_edits ${these}`, project, ...some)
    await write.run(`DELETE FROM sessions ${these}`, project, ...some)
  }
}

/** Those of agents that nobody knows any more. */
export async function removeSessionsOf(
  write: Write,
  project: string,
  agentIds: string[],
): Promise<void> {
  const rows = await write.all(
    `SELECT session_key FROM sessions WHERE project = ? AND agent_id IN (${marks(agentIds.length)})`,
    ...[project, ...agentIds],
  )
  await removeSessions(write, project, rows.map(keyOf))
}
