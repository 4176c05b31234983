/** agentmail db prune: removes what is older than an age, beside servers that work on the database. */
import type { Config } from '../../../config.ts'
import { isServed } from '../../../connection/connect.ts'
import { openCoordination } from '../../../connection/open-coordination.ts'
import { type AllPruned, pruneAll } from '../../../connection/prune-all.ts'
import { AgentMailError } from '../../../errors.ts'
import { didYouMean } from '../../../nearest.ts'
import { type Database, databaseOf } from '../../../store/database.ts'
import { identityOf, rowsOrNone } from '../../../store/identity.ts'
import { text } from '../../../store/store.ts'
import { rfc3339 } from '../../../system/clock.ts'
import { type Call, flagText } from '../../command.ts'
import { print, printError, printJson, printTable } from '../../output.ts'
import { ProgressLine } from '../../progress-line.ts'
import { line } from '../../table.ts'
import { ageMs } from '../../times.ts'
import { number } from './facts.ts'

export async function pruneDb({ flags, json }: Call, config: Config): Promise<number> {
  const age = ageOf(flags['older-than'])
  const isDryRun = flags['dry-run'] === true
  const project = config.text('project')
  const database = databaseOf(config, { create: false })
  await isServed(database) // refused beside one that has lost it
  const key = await checkThere(database, project)
  const start = performance.now()
  const pruned = await prune(config, database, { ageMs: age.ms, isDryRun, project: key }, json)
  if (!pruned) {
    printError('Interrupted. What went is gone; the same command goes on with the rest.')
    return 130
  }
  const seconds = Math.round(performance.now() - start) / 1000
  const told = {
    database: database.name,
    ledger: pruned.ledger ?? null,
    older_than: age.text,
    before: pruned.beforeMs === undefined ? null : rfc3339(pruned.beforeMs),
    dry_run: isDryRun,
    removed: { ...sumOf(pruned.projects), sends: pruned.sends },
    projects: pruned.projects,
    seconds,
  }
  if (json) printJson(told)
  else show(told)
  if (pruned.trouble) {
    printError(
      `The space could not be given back at once (${pruned.trouble}). Nothing is lost by it: the database does so by itself in time.`,
    )
  }
  return 0
}

function ageOf(flag: string | boolean | undefined): { text: string; ms: number } {
  const given = flagText(flag)
  if (given !== undefined) return { text: given, ms: ageMs(given, '--older-than') }
  throw new AgentMailError(
    'missing_arguments',
    '--older-than is missing: how old must be what is removed?',
    'Write agentmail db prune --older-than 90d; 12h, 30m and 0s (everything) are ages too. --dry-run tells what would go.',
  )
}

/** The key of the project, if one is named. Nothing is made where there is nothing to prune. */
async function checkThere(
  database: Database,
  project: string | undefined,
): Promise<string | undefined> {
  const view = await database.view().catch((error) => {
    throw database.explained(error)
  })
  try {
    if (!view || !(await identityOf(view))) {
      throw new AgentMailError(
        'invalid_request',
        `there is no database of AgentMail: ${database.name}`,
        'Name it with --db or AGENTMAIL_DB.',
      )
    }
    if (project === undefined) return undefined
    const named = 'SELECT project FROM project_names WHERE name = ?'
    const [found] = await rowsOrNone(view.all(named, project))
    const key = found ? text(found.project) : project
    const which = 'SELECT project FROM projects WHERE project = ?'
    if ((await rowsOrNone(view.all(which, key))).length > 0) return key
    const known = await rowsOrNone(view.all('SELECT name FROM project_names ORDER BY name'))
    const hint = didYouMean(
      project,
      known.map(({ name }) => text(name)),
    )
    throw new AgentMailError(
      'invalid_request',
      `there is no project "${line(project)}" in it${line(hint)}`,
      'Leave --project (or AGENTMAIL_PROJECT) out to prune all of them.',
    )
  } catch (error) {
    throw AgentMailError.is(error) ? error : database.explained(error)
  } finally {
    await view?.close()
  }
}

/** Nothing where it was interrupted. */
async function prune(
  config: Config,
  database: Database,
  request: { ageMs: number; isDryRun: boolean; project: string | undefined },
  isSilent: boolean,
): Promise<AllPruned | undefined> {
  const coordination = await openCoordination(config, database)
  const progress = new ProgressLine(isSilent)
  let isInterrupted = false
  const stop = () => {
    isInterrupted = true
  }
  process.once('SIGINT', stop)
  try {
    const isEnding = () => {
      progress.tell('Pruning; others go on meanwhile …')
      return isInterrupted
    }
    const pruned = await pruneAll(config, database, coordination, {
      ...request,
      isEnding,
      isPatient: true,
    })
    return isInterrupted ? undefined : pruned
  } finally {
    process.off('SIGINT', stop)
    progress.end()
    await coordination.close()
  }
}

type Told = {
  database: string
  ledger: string | null
  before: string | null
  dry_run: boolean
  removed: Record<string, number>
  projects: AllPruned['projects']
}

function sumOf(projects: AllPruned['projects']) {
  const sum = { messages: 0, changes: 0, journal_entries: 0, agents: 0, idempotency_keys: 0 }
  for (const rows of projects) {
    sum.messages += rows.messages
    sum.changes += rows.changes
    sum.journal_entries += rows.journal_entries
    sum.agents += rows.agents
    sum.idempotency_keys += rows.idempotency_keys
  }
  return sum
}

function show({ database, ledger, before, dry_run, removed }: Told): void {
  const rows = Object.entries(removed).map(([kind, count]) => [
    kind.replaceAll('_', ' '),
    number(count),
  ])
  printTable([dry_run ? 'WOULD GO' : 'REMOVED', 'ROWS'], rows)
  print('')
  const places = ledger === null ? database : `${database} and ${ledger}`
  print(`From ${places}, what was before ${before} (keys of idempotency: 7 days ago).`)
  if (dry_run) print('It was a dry run: nothing was changed.')
}
