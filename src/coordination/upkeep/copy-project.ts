/** Copies one project of a database into one of another that others may be at work on: whole, in one transaction, or not at all. */
import { AgentMailError } from '../../errors.ts'
import { again } from '../../store/again.ts'
import { type Identity, identityOf, rowsOrNone } from '../../store/identity.ts'
import { insertAll, removeAll } from '../../store/insert.ts'
import { doneIn, type Table, tableNamed, tables, tablesIn } from '../../store/schema.ts'
import {
  integer,
  type Reader,
  type Store,
  StoreError,
  type Transaction,
  text,
  type View,
} from '../../store/store.ts'
import { pagesOf } from '../../store/table-walk.ts'
import { uuid } from '../../system/random.ts'
import { sha256 } from '../../system/text.ts'
import { keyOfName, usualName } from '../projects/keys.ts'

/** What a project has many rows of. Its counters and its horizon are one row each. */
const ownTables = tables.filter(({ key }) => key[0] === 'project' && key.length > 1)
/** As long as none of them holds anything, no id and no holder is given out that the copy could meet. */
const mustBeEmpty = ['messages', 'changes', 'file_claims']
/** A large project takes its time, and so does whoever is at work on the target. */
const patienceMs = 60_000

/** How many rows of each table. */
export type CopiedRows = Record<string, number>

/**
 * The source is only read, whatever its age; the target has the tables of today.
 * @param to the key of the project in the target.
 */
export async function copyProject(
  source: View,
  target: Store,
  { from, to }: { from: string; to: string },
): Promise<CopiedRows> {
  const isThere = new Set(await tablesIn(source))
  const work = async (transaction: Transaction): Promise<CopiedRows> => {
    await take(transaction, to)
    await checkEmpty(transaction, to)
    const before = await countersOf(source, from)
    const later = await transaction.all('SELECT * FROM journal WHERE project = ?', to)
    await transaction.run('DELETE FROM journal WHERE project = ?', to)
    const copied: CopiedRows = {}
    for (const table of ownTables.filter(({ name }) => isThere.has(name))) {
      copied[table.name] = await copyRows(source, transaction, table, { from, to })
    }
    const behind = later.map((row, index) => ({ ...row, entry: before.last_entry + index + 1 }))
    await insertAll(transaction, 'journal', behind)
    if (isThere.has('horizons')) await copyHorizon(source, transaction, { from, to })
    await raise(transaction, to, { ...before, last_entry: before.last_entry + later.length })
    await noteCopied(transaction, copyName(await identityOf(source), from), before.token)
    if ((await countersOf(source, from)).token === before.token) return copied
    throw new StoreError('again', 'the source is written to')
  }
  return again(() => target.transaction(work), patienceMs)
}

/** Whether all that a project of another database holds was copied from there, alone or with everything else. */
export async function isCopied(source: Reader, key: string, target: Reader): Promise<boolean> {
  const [from, to] = [await identityOf(source), await identityOf(target)]
  if (from && to?.copied_from === from.database_id) return true
  const look = 'SELECT value FROM meta WHERE name = ?'
  const [row] = await rowsOrNone(target.all(look, copyName(from, key)))
  return row !== undefined && text(row.value) === (await countersOf(source, key)).token
}

/** Under which a database remembers what was copied into it. */
const copyName = (from: Identity | undefined, key: string): string =>
  `copied ${sha256(`${from?.database_id} ${key}`).slice(0, 48)}`

async function noteCopied(transaction: Transaction, name: string, token: string): Promise<void> {
  await transaction.run('DELETE FROM meta WHERE name = ?', name)
  await transaction.run('INSERT INTO meta (name, value) VALUES (?, ?)', name, token)
}

/** The key of the project that is meant: by its name, else the one that the database was made for, else the only one. */
export async function projectIn(source: View, name: string | undefined): Promise<string> {
  const identity = await identityOf(source)
  if (!identity) throw refused('the source holds nothing of AgentMail', 'Check --from.')
  if (identity.copying_from !== undefined) {
    throw refused('the source is an unfinished copy itself', 'Complete that copy first.')
  }
  doneIn(identity)
  const rows = await source.all('SELECT project FROM projects')
  const keys = rows.map((row) => text(row.project))
  if (name !== undefined) {
    const key = (await keyOfName(source, name).catch(() => undefined)) ?? name
    const found = [key, ''].find((one) => keys.includes(one) && [one, usualName(one)].includes(key))
    if (found !== undefined) return found
    throw refused(`there is no project "${name}" in the source`, 'Check --from-project.')
  }
  const [only, ...others] = keys.includes('') ? [''] : keys
  if (only === undefined) throw refused('the source holds no project', 'Nothing was copied.')
  if (others.length === 0) return only
  throw refused(
    `the source holds ${keys.length} projects: ${keys.sort().slice(0, 20).join(', ')}`,
    'Say with --from-project which one is meant.',
  )
}

/** Whoever writes to it meanwhile finds another token, and starts over. */
async function take(transaction: Transaction, key: string): Promise<void> {
  const found = await transaction.run(
    'UPDATE projects SET token = ? WHERE project = ?',
    ...[uuid(), key],
  )
  if (found > 0) return
  await transaction.run(
    'INSERT INTO projects (project, last_message, last_change, last_entry, last_us, token) VALUES (?, 0, 0, 0, 0, ?)',
    ...[key, uuid()],
  )
}

async function checkEmpty(transaction: Transaction, key: string): Promise<void> {
  for (const table of mustBeEmpty) {
    const rows = await transaction.all(`SELECT 1 FROM ${table} WHERE project = ? LIMIT 1`, key)
    if (rows.length === 0) continue
    const what = table === 'file_claims' ? 'claims' : table
    throw refused(
      `the project in the target has ${what} already`,
      'Nothing was changed. Copy it into another project: --project <another name>.',
    )
  }
}

async function copyRows(
  source: Reader,
  transaction: Transaction,
  table: Table,
  { from, to }: { from: string; to: string },
): Promise<number> {
  let copied = 0
  const beginning = table.key.map((column) => [column, numbers.includes(column) ? 0 : ''])
  const start = { ...Object.fromEntries(beginning), project: from }
  for await (const page of pagesOf(source, table, start)) {
    const rows = page.filter((row) => row.project === from).map((row) => ({ ...row, project: to }))
    await removeAll(transaction, table, rows)
    await insertAll(transaction, table.name, rows)
    copied += rows.length
    if (rows.length < page.length) break
  }
  return copied
}

/** The columns of keys that are none of text. */
const numbers = ['id', 'entry', 'message_id']

async function copyHorizon(
  source: Reader,
  transaction: Transaction,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const look = 'SELECT * FROM horizons WHERE project = ?'
  const [theirs] = await source.all(look, from)
  if (!theirs) return
  const [own] = await transaction.all(look, to)
  const pruned_us = Math.max(integer(theirs.pruned_us), own ? integer(own.pruned_us) : 0)
  await removeAll(transaction, tableNamed('horizons'), own ? [own] : [])
  await insertAll(transaction, 'horizons', [{ project: to, pruned_us, token: uuid() }])
}

interface SourceCounters {
  last_message: number
  last_change: number
  last_entry: number
  last_us: number
  token: string
}

async function countersOf(reader: Reader, key: string): Promise<SourceCounters> {
  const [row] = await reader.all('SELECT * FROM projects WHERE project = ?', key)
  return {
    last_message: integer(row?.last_message),
    last_change: integer(row?.last_change),
    last_entry: integer(row?.last_entry),
    last_us: integer(row?.last_us),
    token: text(row?.token),
  }
}

/** So that whatever comes next is after all that is there. */
async function raise(
  transaction: Transaction,
  key: string,
  { last_message, last_change, last_entry, last_us }: SourceCounters,
): Promise<void> {
  const own = await countersOf(transaction, key)
  await transaction.run(
    'UPDATE projects SET last_message = ?, last_change = ?, last_entry = ?, last_us = ? WHERE project = ?',
    Math.max(last_message, own.last_message),
    Math.max(last_change, own.last_change),
    last_entry,
    Math.max(last_us, own.last_us),
    key,
  )
}

const refused = (message: string, next: string) =>
  new AgentMailError('invalid_request', message, next)
