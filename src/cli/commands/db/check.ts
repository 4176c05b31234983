/** agentmail db check: how the database is, as words or as JSON. */
import type { Config } from '../../../config.ts'
import {
  checkDatabase,
  type DatabaseCheck,
  measureWrites,
} from '../../../coordination/upkeep/check.ts'
import { type Database, databaseOf } from '../../../store/database.ts'
import type { Call } from '../../command.ts'
import { print, printJson } from '../../output.ts'
import { line } from '../../table.ts'
import { factsOf } from './facts.ts'

/** Gives the exit code: 1 when something is wrong. */
export async function checkDb({ json }: Call, config: Config): Promise<number> {
  const database = databaseOf(config, { create: false })
  const found = await withWrites(database, await look(database))
  if (json) printJson({ database: database.name, ...found })
  else show(database, found)
  return found.problems.length > 0 ? 1 : 0
}

async function look(database: Database): Promise<DatabaseCheck> {
  try {
    const view = await database.view()
    try {
      return await checkDatabase(view)
    } finally {
      await view?.close()
    }
  } catch (error) {
    throw database.explained(error)
  }
}

/** Only where all the tables are there, so that nothing has to be made to write. */
async function withWrites(database: Database, found: DatabaseCheck): Promise<DatabaseCheck> {
  if (found.state !== 'ready') return found
  try {
    const store = await database.open()
    try {
      return { ...found, write_ms: await measureWrites(store) }
    } finally {
      await store.close()
    }
  } catch (error) {
    const { message, next = '' } = database.explained(error)
    const problem = { problem: `it cannot be written: ${message}`, advice: next }
    return { ...found, problems: [...found.problems, problem] }
  }
}

const made = 'it is made when it is first used, as by agentmail serve with the same --db.'
const good: Partial<Record<DatabaseCheck['state'], string>> = {
  missing: `There is no such database yet: ${made}`,
  empty: `Nothing of AgentMail is in the database yet: ${made}`,
}

function show(database: Database, found: DatabaseCheck): void {
  const facts = [['Database', database.name], ...factsOf(found)]
  for (const [name = '', value = ''] of facts) print(`${`${name}:`.padEnd(10)} ${line(value)}`)
  print('')
  for (const { problem, advice } of found.problems) print(`Problem: ${problem}\n  ${advice}`)
  if (found.problems.length === 0) print(good[found.state] ?? 'All is well.')
}
