/** The journal of a project, as it is read: who registered, said, claimed, released, announced what, and when. */
import { AgentMailError } from '../errors.ts'
import { integer, marks, type Row, type SqlValue, text } from '../store/store.ts'
import { baseOf, pathsOver } from './claims/places.ts'
import type { Desk } from './desk.ts'
import { checkHorizon, horizonOf } from './horizon.ts'
import { parseTime, timeForms, timeText } from './time.ts'
import type { VersionFinder } from './upkeep/version-finder.ts'

export interface HistoryEntry {
  at: string
  agent_id: string
  agent_name: string
  event: string
  file: string | null
  text: string | null
  /** Where the database keeps versions: the first one that holds this entry; null until there is one. */
  commit?: string | null
}

export interface HistoryRequest {
  file?: string | undefined
  /** A name or an id. */
  agent?: string | undefined
  /** Times, or versions where the database keeps them. */
  since?: string | undefined
  as_of?: string | undefined
}

/** A condition on entries of the journal, and its values. */
export type Condition = [sql: string, ...values: SqlValue[]]

/** A moment of a project: the last entry that was in its journal by then. */
export interface HistoryMoment {
  entry: number
  /** In microseconds. */
  us: number
  /** A version that holds all of it. */
  version?: string | undefined
}

const entriesAtOnce = 500

/** Oldest first, and as it stood at `as_of`. */
export async function* readHistory(
  desk: Desk,
  { file, agent, since, as_of }: HistoryRequest,
): AsyncGenerator<HistoryEntry> {
  const conditions: Condition[] = []
  if (file) conditions.push(await isAbout(desk, file))
  if (agent) conditions.push(['(j.agent_id = ? OR j.agent_name = ?)', agent, agent])
  const finder = await desk.versions?.finder()
  if (since) conditions.push(['j.entry > ?', (await momentOf(desk, since, 'since', finder)).entry])
  const moment = as_of ? await momentOf(desk, as_of, 'as-of', finder) : undefined
  if (moment) conditions.push(['j.entry <= ?', moment.entry])
  const check = async () => {
    if (moment) checkHorizon(moment.us, await prunedAt(desk, moment.version, finder), 'as-of')
  }
  await check()
  let place = 0
  for await (const row of readJournal(desk, conditions, versionToRead(moment))) {
    const entry = integer(row.entry)
    if (finder) place = await finder.first((progress) => progress.entry >= entry, place)
    yield { ...historyEntryOf(row), ...(finder && { commit: finder.idAt(place) ?? null }) }
  }
  await check() // somebody may have pruned meanwhile
}

/** What happened to this file or folder, and to the folders above it. */
async function isAbout(desk: Desk, file: string): Promise<Condition> {
  const paths = await pathsAround(desk, file)
  return [`j.file_path IN (${marks(paths.length)})`, ...paths]
}

/** Its own path, and those of the folders above it. */
export async function pathsAround(desk: Desk, file: string): Promise<string[]> {
  const [path = ''] = await desk.normalPaths([file])
  return [...pathsOver(baseOf(path))]
}

/** The time before which the journal was pruned, if something that was asked for is missing for it. */
export async function prunedBefore(
  desk: Desk,
  { since, as_of }: Pick<HistoryRequest, 'since' | 'as_of'>,
): Promise<{ pruned_before: string | null }> {
  const finder = await desk.versions?.finder()
  const moment = as_of ? await momentOf(desk, as_of, 'as-of', finder) : undefined
  const pruned = await prunedAt(desk, moment?.version, finder)
  const sinceUs = since ? (await momentOf(desk, since, 'since', finder)).us : 0
  return { pruned_before: sinceUs < pruned ? timeText(pruned) : null }
}

/** In a version, or now. */
export const prunedAt = (
  { store, project }: Desk,
  version: string | undefined,
  finder: VersionFinder | undefined,
): Promise<number> => (version && finder ? finder.prunedIn(version) : horizonOf(store, project))

/** The journal only grows, so a moment is a place in it; a version that reaches so far proves it. */
export async function momentOf(
  desk: Desk,
  given: string,
  name: string,
  finder: VersionFinder | undefined,
): Promise<HistoryMoment> {
  if (!finder || /^\d{4}-\d\d-\d\d[Tt ]/.test(given)) {
    const us = parseTime(given, name, timeForms)
    const place = await finder?.first((progress) => progress.us >= us)
    const version = place === undefined ? undefined : finder?.idAt(place)
    if (!finder || !version) return { entry: await lastEntryBy(desk, us), us }
    const isBegun = (await finder.at(version)).entry > 0
    return { entry: isBegun ? await lastEntryBy(desk, us, version) : 0, us, version }
  }
  const version = finder.withPrefix(given) ?? (await desk.versions?.find(given))
  if (version) {
    return { ...(await finder.at(version)), version }
  }
  throw new AgentMailError(
    'invalid_request',
    `${name}: there is no commit "${given.slice(0, 60)}", and it is no time`,
    `${timeForms} Or a commit: its hash as in agentmail history --json, or HEAD~1.`,
  )
}

/** Before its first entry a project may have no tables to look at. */
export const versionToRead = (moment: HistoryMoment | undefined): string | undefined =>
  moment?.entry === 0 ? undefined : moment?.version

/** @param version one that holds all of it, since the journal as it is now may have been pruned. */
async function lastEntryBy(
  { project, store, versions }: Desk,
  us: number,
  version?: string,
): Promise<number> {
  const journal = version && versions ? versions.table('journal', version) : 'journal'
  const [row] = await store.all(
    `SELECT entry FROM ${journal} WHERE project = ? AND at_us <= ? ORDER BY project DESC, entry DESC LIMIT 1`,
    project,
    us,
  )
  return row ? integer(row.entry) : 0
}

/** Rows of the journal with what they tell of, oldest first; as they stand in a version, or now. */
export async function* readJournal(
  { project, store, versions }: Desk,
  conditions: Condition[],
  version?: string,
): AsyncGenerator<Row> {
  const table = (name: string) => (version && versions ? versions.table(name, version) : name)
  const where = conditions.map(([condition]) => `AND ${condition}`).join(' ')
  const values = conditions.flatMap(([, ...some]) => some)
  for (let cursor = 0; ; ) {
    const rows = await store.all(
      `SELECT j.entry, j.at_us, j.agent_id, j.agent_name, j.event, j.file_path, j.note, j.message_id,
          m.channel, m.subject, m.body, c.summary
        FROM ${table('journal')} j
        LEFT JOIN ${table('messages')} m ON m.project = j.project AND m.id = j.message_id
        LEFT JOIN ${table('changes')} c ON c.project = j.project AND c.id = j.change_id
        WHERE j.project = ? AND j.entry > ? ${where}
        ORDER BY j.project, j.entry LIMIT ${entriesAtOnce}`,
      project,
      cursor,
      ...values,
    )
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < entriesAtOnce) return
    cursor = integer(last.entry)
    await new Promise((resolve) => setImmediate(resolve)) // a long journal must not keep others waiting
  }
}

export const historyEntryOf = (row: Row): HistoryEntry => ({
  at: timeText(integer(row.at_us)),
  agent_id: text(row.agent_id),
  agent_name: text(row.agent_name),
  event: text(row.event),
  file: row.file_path === null ? null : text(row.file_path),
  text: textOf(row),
})

function textOf(row: Row): string | null {
  if (typeof row.body === 'string') return `[${row.channel}] ${row.subject}\n${row.body}`
  if (typeof row.summary === 'string') return row.summary
  return typeof row.note === 'string' ? row.note : null
}
