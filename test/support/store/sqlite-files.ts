/** Files of SQLite, opened as a server does and as another program might. */
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { onTestFinished } from 'vitest'
import { Config } from '../../../src/config.ts'
import { openCoordination } from '../../../src/connection/open-coordination.ts'
import { AgentMailError } from '../../../src/errors.ts'
import { fileDatabase } from '../../../src/store/database.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export const newPath = () => join(temporaryFolder(), 'agentmail.db')

export async function open(path: string) {
  const coordination = await openCoordination(new Config({}, {}), fileDatabase(path))
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= coordination.close()
    return closing
  }
  onTestFinished(close)
  return { close, ...coordination.project('') }
}

export async function create(path: string): Promise<void> {
  const { close } = await open(path)
  await close()
}

/** The error that opening it gives, as a person reads it. */
export async function refusal(path: string): Promise<{ code: string; text: string }> {
  const error = await open(path).catch((reason: unknown) => reason)
  if (AgentMailError.is(error)) return { code: error.code, text: error.text }
  throw error
}

/** Runs SQL as another program might, and gives the rows of the last statement. */
export function sql(path: string, ...statements: string[]) {
  const database = new DatabaseSync(path)
  const rows = statements.map((statement) => database.prepare(statement).all())
  database.close()
  return rows.at(-1) ?? []
}
