/** What a database says of itself: which one it is, how far its tables are, and what it is a copy of. */
import { type Reader, type Row, StoreError, text } from './store.ts'

export interface Identity {
  /** How many migrations were done in it. */
  schema: number
  database_id: string
  /** The database that it is an unfinished copy of. */
  copying_from: string | undefined
  /** The database that it was once copied from. */
  copied_from: string | undefined
}

/** Nothing, where nothing of AgentMail is there yet. */
export async function identityOf(reader: Reader): Promise<Identity | undefined> {
  const rows = await rowsOrNone(reader.all('SELECT name, value FROM meta'))
  const meta = new Map(rows.map((row) => [text(row.name), text(row.value)]))
  const schema = meta.get('schema')
  if (schema === undefined) return undefined
  return {
    schema: Number(schema),
    database_id: meta.get('database_id') ?? '',
    copying_from: meta.get('copying_from'),
    copied_from: meta.get('copied_from'),
  }
}

/** None, where there is no such table. */
export async function rowsOrNone(reading: Promise<Row[]>): Promise<Row[]> {
  try {
    return await reading
  } catch (error) {
    if (StoreError.is(error) && error.trouble === 'failed') return []
    throw error
  }
}
