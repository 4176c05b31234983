/** Prunes what the settings name: the coordination in its database, and the mails in the ledger, wherever that is. */
import { personOf } from '../addresses/person.ts'
import type { Config } from '../config.ts'
import type { Coordination } from '../coordination/coordination.ts'
import { keptKeysMs, type Pruned, type PruneRequest } from '../coordination/upkeep/prune.ts'
import { ledgerDatabase } from '../email/correspondence.ts'
import { keptAnswersMs, pruneSends } from '../email/outgoing/prune-sends.ts'
import { AgentMailError } from '../errors.ts'
import type { Database } from '../store/database.ts'
import { Removal } from '../store/removal.ts'
import { migrate } from '../store/schema.ts'
import type { Reader } from '../store/store.ts'
import { WriteQueue } from '../store/write-queue.ts'
import { systemClock } from '../system/clock.ts'

/** Its projects by the names that they have now. */
export interface AllPruned extends Pruned {
  sends: number
  /** The ledger of mails, where it is another database. */
  ledger: string | undefined
}

/** Mails belong to no project: where one is named, they stay. Nothing where another process is at it. */
export async function pruneAll(
  config: Config,
  database: Database,
  coordination: Coordination,
  request: PruneRequest,
): Promise<AllPruned | undefined> {
  const { ageMs, project } = request
  let sends = 0
  const prune = async (reader: Reader, removal: Removal) => {
    if (ageMs === undefined || project !== undefined) return
    const now = systemClock.now() // by which the ledger is written
    sends += await pruneSends(reader, removal, {
      beforeMs: now - ageMs,
      keysBeforeMs: now - keptKeysMs,
      answersBeforeMs: now - keptAnswersMs,
    })
  }
  const named = async <T extends { project: string }>(rows: T): Promise<T> => ({
    ...rows,
    project: await coordination.projects.nameOf(rows.project),
  })
  const person = personOf(config)
  const pruned = await coordination.prune({ ...request, person, others: prune })
  if (!pruned) return undefined
  const ledger = await ledgerDatabase(config)
  const isOther = ledger.name !== database.name && ageMs !== undefined && project === undefined
  const isThere = isOther && (await onLedger(ledger, request, prune))
  return {
    ...pruned,
    projects: await Promise.all(pruned.projects.map(named)),
    ...{ sends, ledger: isThere ? ledger.name : undefined },
  }
}

/** Whether there is one. */
async function onLedger(
  ledger: Database,
  { isDryRun = false, isEnding = () => false }: PruneRequest,
  prune: (reader: Reader, removal: Removal) => Promise<void>,
): Promise<boolean> {
  try {
    const view = await ledger.view()
    await view?.close()
    if (!view) return false
    const store = await ledger.open()
    try {
      await migrate(store)
      await prune(store, new Removal({ queue: new WriteQueue(store), isDryRun, isEnding }))
    } finally {
      await store.close()
    }
    return true
  } catch (error) {
    throw AgentMailError.is(error) ? error : ledger.explained(error)
  }
}
