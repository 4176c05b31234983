/** Copies everything from one database to another, of whatever engines: interrupted anywhere, it goes on when it is run again. */
import { AgentMailError } from '../../errors.ts'
import { again } from '../../store/again.ts'
import { identityOf, rowsOrNone } from '../../store/identity.ts'
import {
  doneIn,
  knownSchema,
  migrate,
  type Table,
  tables,
  versionedTables,
} from '../../store/schema.ts'
import { type Reader, type Store, StoreError, type View } from '../../store/store.ts'
import { countRows, type Fingerprint, fingerprint } from '../../store/table-walk.ts'
import { log } from '../../system/log.ts'
import { type CopyTarget, copyTable } from './table-copy.ts'
import { versionAuthor } from './version-keeper.ts'

/** A source that is written to meanwhile is looked at again so often. */
const maxRounds = 3

export interface CopyProgress {
  doing: 'copying' | 'verifying'
  table: string
  /** Rows of all tables that were passed, of how many. */
  done: number
  all: number
}

export interface Copied {
  /** As they are in both databases. */
  tables: ({ name: string } & Fingerprint)[]
  /** How many rows were written; the others were there already. */
  copied: number
  /** What the target's engine calls the version that holds it, where it keeps versions. */
  version: string | null
}

/** The source is only read. The target is nobody else's until it is complete. */
export async function copyDatabase(
  source: View,
  target: Store,
  tell: (progress: CopyProgress) => void = () => {},
): Promise<Copied> {
  const sourceId = await checkPlaces(source, target)
  await begin(target, sourceId)
  const unfinished = whileUnfinished(target, sourceId)
  let copied = 0
  for (let round = 1; round <= maxRounds; round++) {
    let all = 0
    for (const { name } of tables) all += await countRows(source, name)
    const copying = passing('copying', all, tell)
    for (const table of tables) copied += await copyTable(source, unfinished, table, copying(table))
    const verified = await verify(source, target, passing('verifying', all, tell))
    if (!verified) continue
    await complete(unfinished)
    const version = await keepVersion(target, `${source.engine} (database ${sourceId})`)
    return { tables: verified, copied, version: version ?? null }
  }
  throw new AgentMailError(
    'busy',
    `source and target still differ after ${maxRounds} rounds: one of them is written to meanwhile`,
    'Stop the servers on both, then run the same copy again: it goes on where it stopped.',
  )
}

/** Gives the id of the source; throws, in words, if one cannot be copied to the other. */
export async function checkPlaces(source: View, target: View | undefined): Promise<string> {
  const from = await identityOf(source)
  if (!from) throw refused('the source holds nothing of AgentMail', 'Check --from.')
  if (from.copying_from !== undefined) {
    throw refused('the source is an unfinished copy itself', 'Complete that copy first.')
  }
  if (doneIn(from) < knownSchema) {
    throw refused(
      `the source has the tables of an older AgentMail (schema ${from.schema} of ${knownSchema})`,
      'A copy only reads its source: open it once with this version, as in agentmail agents --db <source>, then copy it.',
    )
  }
  const to = target && (await identityOf(target))
  if (to?.database_id === from.database_id) {
    throw refused('source and target are the same database', 'Name another one with --to.')
  }
  doneIn(to)
  if (to?.copied_from === from.database_id) {
    throw refused(
      'the target is a complete copy of this source already',
      'Nothing in it was changed. To copy again, name an empty database with --to.',
    )
  }
  if (target && to?.copying_from !== from.database_id) await checkEmpty(target, to?.copying_from)
  return from.database_id
}

async function checkEmpty(target: Reader, copyingFrom: string | undefined): Promise<void> {
  if (copyingFrom !== undefined) {
    throw refused(
      'the target is an unfinished copy of another database',
      `Complete that copy (of database ${copyingFrom}), or name an empty database with --to.`,
    )
  }
  for (const { name } of tables) {
    if ((await rowsOrNone(target.all(`SELECT 1 FROM ${name} LIMIT 1`))).length === 0) continue
    throw refused(
      `the target is not empty: there is something in ${name}`,
      'Nothing in it was changed. Name an empty database, or one that is not there yet, with --to.',
    )
  }
}

/** Makes the tables, and marks the target as a copy that is not complete. */
async function begin(target: Store, sourceId: string): Promise<void> {
  await migrate(target, { isCopying: true })
  await again(() =>
    target.transaction(async (transaction) => {
      const identity = await identityOf(transaction)
      if (identity?.copying_from === sourceId) return
      await checkEmpty(transaction, identity?.copying_from)
      await transaction.run("DELETE FROM meta WHERE name = 'copied_from'")
      await transaction.run("INSERT INTO meta (name, value) VALUES ('copying_from', ?)", sourceId)
    }),
  )
}

/** Writes for as long as the copy is not complete: another run may have completed it, and then servers are at work on it. */
const whileUnfinished = (target: Store, sourceId: string): CopyTarget => ({
  all: (sql, ...values) => target.all(sql, ...values),
  transaction: (work) =>
    target.transaction(async (transaction) => {
      const identity = await identityOf(transaction)
      if (identity?.copying_from === sourceId) return work(transaction)
      throw refused('another run has completed this copy meanwhile', 'There is nothing left to do.')
    }),
})

async function complete(target: CopyTarget): Promise<void> {
  await again(() =>
    target.transaction((transaction) =>
      transaction.run("UPDATE meta SET name = 'copied_from' WHERE name = 'copying_from'"),
    ),
  )
}

/** What both hold, if it is the same; else nothing. */
async function verify(
  source: View,
  target: View,
  pass: (table: Table) => (rows: number) => void,
): Promise<Copied['tables'] | undefined> {
  const same: Copied['tables'] = []
  for (const table of tables) {
    const [one, other] = await Promise.all([
      fingerprint(source, table, pass(table)),
      fingerprint(target, table),
    ])
    if (one.rows !== other.rows || one.sha256 !== other.sha256) return undefined
    same.push({ name: table.name, ...one })
  }
  // Every write but a sign of life changes the row of its project: while those stand still, all tables belong together.
  const projects = tables.find(({ name }) => name === 'projects')
  const before = same.find(({ name }) => name === 'projects')
  const after = projects && (await fingerprint(source, projects))
  return after?.sha256 === before?.sha256 ? same : undefined
}

/** The copy is complete without it: the next server on the target makes one too. */
async function keepVersion(target: Store, from: string): Promise<string | undefined> {
  try {
    const message = `AgentMail: everything copied from ${from}`
    return await target.versions?.keep(versionedTables, async () => message, versionAuthor())
  } catch (error) {
    if (!StoreError.is(error)) throw error
    log(`the copy is complete, but no version of it could be made: ${error.message}`)
    return undefined
  }
}

function passing(
  doing: CopyProgress['doing'],
  all: number,
  tell: (progress: CopyProgress) => void,
) {
  let done = 0
  return (table: Table) => {
    tell({ doing, table: table.name, done, all })
    return (rows: number) => {
      done += rows
      tell({ doing, table: table.name, done, all })
    }
  }
}

const refused = (message: string, next: string) =>
  new AgentMailError('invalid_request', message, next)
