/** Looks at a database and tells how it is: what it is and can do, how fast, how much it holds, and what is wrong. */

import { again } from '../../store/again.ts'
import { type Identity, identityOf } from '../../store/identity.ts'
import { knownSchema, tables, tablesIn } from '../../store/schema.ts'
import type { ServerDescription, Store, Version, View } from '../../store/store.ts'
import { countRows } from '../../store/table-walk.ts'
import { systemClock } from '../../system/clock.ts'
import { uuid } from '../../system/random.ts'
import { type DatabaseProblem, problemsOf } from './check-problems.ts'

const reads = 15
const writes = 5
const clockLooks = 5

/** `empty`: nothing of AgentMail is in it. `older`: its tables must be brought up to date, which the next server does. */
type DatabaseState = 'missing' | 'empty' | 'older' | 'newer' | 'unfinished_copy' | 'ready'

export interface DatabaseCheck {
  state: DatabaseState
  engine: string | null
  schema: { done: number; known: number }
  database_id: string | null
  copied_from: string | null
  copying_from: string | null
  /** The median of a few small reads. */
  read_ms: number | null
  /** The median of a few durable writes; nothing where none was tried. */
  write_ms: number | null
  /** How far its clock is ahead of this machine's; nothing where it has none of its own. */
  clock_difference_ms: number | null
  supports: { group_commit: boolean; several_machines: boolean; versions: boolean } | null
  versions: { count: number; newest: Version | null } | null
  tells_trailing_spaces_apart: boolean | null
  /** How its server is set up, where it has one. */
  server: ServerDescription | null
  rows: Record<string, number>
  problems: DatabaseProblem[]
}

/** How what a table holds is called. */
const contents: Record<string, string> = {
  agents: 'known_agents',
  presence: 'registered_agents',
  file_claims: 'claims',
  journal: 'journal_entries',
}

/**
 * @param view nothing where there is no database. Nothing is changed in it.
 * @param options.isQuick nothing is counted, which takes long where much is stored.
 */
export async function checkDatabase(
  view: View | undefined,
  { isQuick = false } = {},
): Promise<DatabaseCheck> {
  const identity = view && (await identityOf(view))
  const versions = isQuick ? undefined : view?.versions && (await view.versions.list())
  const check: DatabaseCheck = {
    state: stateOf(view, identity),
    engine: view?.engine ?? null,
    schema: { done: identity?.schema ?? 0, known: knownSchema },
    database_id: identity?.database_id ?? null,
    copied_from: identity?.copied_from ?? null,
    copying_from: identity?.copying_from ?? null,
    read_ms: view ? await median(reads, () => identityOf(view)) : null,
    write_ms: null,
    clock_difference_ms: view?.clock ? await clockDifference(view.clock) : null,
    supports: view
      ? {
          group_commit: true,
          several_machines: view.clock !== undefined,
          versions: view.versions !== undefined,
        }
      : null,
    versions: versions ? { count: versions.length, newest: versions.at(-1) ?? null } : null,
    tells_trailing_spaces_apart: identity ? await tellsTrailingSpacesApart(view) : null,
    server: (await view?.describe?.()) ?? null,
    rows: identity && !isQuick ? await rowsOf(view) : {},
    problems: [],
  }
  const foreign = check.state === 'empty' && view ? await tablesIn(view) : []
  return { ...check, problems: problemsOf(check, foreign) }
}

/** The median time of writes that are durable and leave nothing behind: a row comes and goes in one transaction. */
export function measureWrites(store: Store): Promise<number> {
  return median(writes, () => {
    const name = `check ${uuid()}`
    return again(() =>
      store.transaction(async (transaction) => {
        await transaction.run("INSERT INTO meta (name, value) VALUES (?, '')", name)
        await transaction.run('DELETE FROM meta WHERE name = ?', name)
      }),
    )
  })
}

function stateOf(view: View | undefined, identity: Identity | undefined): DatabaseState {
  if (!view) return 'missing'
  if (!identity) return 'empty'
  if (identity.schema > knownSchema) return 'newer'
  if (identity.copying_from !== undefined) return 'unfinished_copy'
  return identity.schema < knownSchema ? 'older' : 'ready'
}

async function rowsOf(view: View): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const { name } of tables) rows[contents[name] ?? name] = await countRows(view, name)
  return rows
}

/** Asked of a column that is there, since what a database compares by is said of each. */
async function tellsTrailingSpacesApart(view: View): Promise<boolean> {
  const [row] = await view.all("SELECT name = 'schema ' AS same FROM meta WHERE name = 'schema'")
  return row?.same === 0
}

/** By the look that took the shortest time, since that is the least uncertain. */
async function clockDifference(look: () => Promise<number>): Promise<number> {
  let best = { took: Number.POSITIVE_INFINITY, difference: 0 }
  for (let count = 0; count < clockLooks; count++) {
    const before = performance.now()
    const time = await look()
    const took = performance.now() - before
    if (took < best.took) best = { took, difference: time - (systemClock.now() - took / 2) }
  }
  return Math.round(best.difference)
}

async function median(times: number, work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = []
  for (let count = 0; count < times; count++) {
    const before = performance.now()
    await work()
    taken.push(performance.now() - before)
  }
  const middle = taken.sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0
  return Math.round(middle * 1000) / 1000
}
