/** Removes what is old from a database, beside servers that work on it: interrupted anywhere, the next run goes on. */
import { Removal } from '../../store/removal.ts'
import { versionedTables } from '../../store/schema.ts'
import { type Reader, type Store, StoreError, text } from '../../store/store.ts'
import type { WriteQueue } from '../../store/write-queue.ts'
import { type Clock, sleep } from '../../system/clock.ts'
import type { Desk } from '../desk.ts'
import { type PrunedRows, pruneProject } from './prune-project.ts'
import { PruneTurn } from './prune-turn.ts'
import { versionAuthor } from './version-keeper.ts'

const dayMs = 24 * 3600_000
/** A call is not repeated with its key after that. */
export const keptKeysMs = 7 * dayMs
const waitMs = 500

export interface PruneRequest {
  /** What is older goes; without it only keys of idempotency do. */
  ageMs: number | undefined
  /** How the person is called, for whom what they have not read is kept. */
  person?: string | undefined
  /** Only in this project. */
  project?: string | undefined
  /** Counts what would go, and changes nothing. */
  isDryRun?: boolean
  isEnding?: () => boolean
  /** Where another process is at it: waits for it, or leaves it to that one. */
  isPatient?: boolean
  /** Prunes what others keep in the same database. */
  others?: (reader: Reader, removal: Removal) => Promise<void>
}

export interface Pruned {
  /** What is older went, in Unix milliseconds. */
  beforeMs: number | undefined
  projects: ({ project: string } & PrunedRows)[]
  /** Why the space was not given back at once, where the engine has to be asked for that. */
  trouble?: string
}

export interface PruneParts {
  store: Store
  reader: Reader
  queue: WriteQueue
  clock: Clock
  desk(project: string): Desk
}

/** Nothing where another process is at it. */
export async function pruneDatabase(
  parts: PruneParts,
  request: PruneRequest,
): Promise<Pruned | undefined> {
  const { ageMs, isDryRun = false, isPatient = false } = request
  const { queue, clock } = parts
  let isElsewhere = false
  const isEnding = () => isElsewhere || (request.isEnding?.() ?? false)
  const turn = new PruneTurn(queue, clock)
  const mayGoOn = async () => {
    while (!(await turn.take())) {
      isElsewhere = !isPatient
      if (isEnding()) return false
      await sleep(waitMs)
    }
    return true
  }
  try {
    const removal = new Removal({ queue, isDryRun, isEnding, mayGoOn })
    const now = clock.now()
    const beforeMs = ageMs === undefined ? undefined : Math.max(0, now - ageMs)
    const limits = {
      beforeUs: beforeMs === undefined ? undefined : beforeMs * 1000,
      keysBeforeUs: (now - keptKeysMs) * 1000,
      person: request.person,
    }
    const projects: Pruned['projects'] = []
    for (const project of await projectsOf(parts.reader, request.project)) {
      if (isEnding()) break
      projects.push({ project, ...(await pruneProject(parts.desk(project), removal, limits)) })
    }
    await request.others?.(parts.reader, removal)
    const isWhole = ageMs !== undefined && !isDryRun && !isEnding()
    const trouble = isWhole ? await giveBack(parts.store, projects) : undefined
    return isElsewhere ? undefined : { beforeMs, projects, ...(trouble && { trouble }) }
  } finally {
    await turn.end()
  }
}

async function projectsOf(reader: Reader, only: string | undefined): Promise<string[]> {
  const rows = await reader.all('SELECT project FROM projects ORDER BY project')
  const names = rows.map((row) => text(row.project))
  return only === undefined ? names : names.filter((name) => name === only)
}

const hasGone = ({ project: _, ...rows }: Pruned['projects'][number]): boolean =>
  Object.values(rows).some((count) => count > 0)

/** A version of what is left, and then the space: what is in older versions stays. Gives what went wrong, which costs nothing but space. */
async function giveBack(
  { versions }: Store,
  projects: Pruned['projects'],
): Promise<string | undefined> {
  if (!versions || !projects.some(hasGone)) return undefined
  try {
    await versions.keep(versionedTables, async () => 'AgentMail: pruned', versionAuthor())
    await versions.collect()
    return undefined
  } catch (error) {
    if (!StoreError.is(error)) throw error
    return error.message
  }
}
