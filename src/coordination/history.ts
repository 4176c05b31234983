/** The journal of a project, as it is read: who registered, said, claimed, released, announced what, and when. */
import { integer, type Row, type SqlValue, text } from '../store/store.ts'
import type { Desk } from './desk.ts'
import { parseTime, timeText } from './time.ts'

export interface HistoryEntry {
  at: string
  agent_id: string
  agent_name: string
  event: string
  file: string | null
  text: string | null
}

export interface HistoryRequest {
  file?: string | undefined
  /** A name or an id. */
  agent?: string | undefined
  since?: string | undefined
  as_of?: string | undefined
}

const entriesAtOnce = 500

/** Oldest first, and as it stood at `as_of`: the journal only grows, so that is what was in it by then. */
export async function* readHistory(
  { project, store, normalPaths }: Desk,
  { file, agent, since, as_of }: HistoryRequest,
): AsyncGenerator<HistoryEntry> {
  const conditions: [string, ...SqlValue[]][] = []
  if (file) conditions.push(['j.file_path = ?', ...(await normalPaths([file]))])
  if (agent) conditions.push(['(j.agent_id = ? OR j.agent_name = ?)', agent, agent])
  if (since) conditions.push(['j.at_us > ?', parseTime(since)])
  if (as_of) conditions.push(['j.at_us <= ?', parseTime(as_of, 'as-of')])
  const where = conditions.map(([condition]) => `AND ${condition}`).join(' ')
  const values = conditions.flatMap(([, ...some]) => some)
  for (let cursor = 0; ; ) {
    const rows = await store.all(
      `SELECT j.entry, j.at_us, j.agent_id, j.agent_name, j.event, j.file_path, j.note,
          m.channel, m.subject, m.body, c.summary
        FROM journal j
        LEFT JOIN messages m ON m.project = j.project AND m.id = j.message_id
        LEFT JOIN changes c ON c.project = j.project AND c.id = j.change_id
        WHERE j.project = ? AND j.entry > ? ${where}
        ORDER BY j.project, j.entry LIMIT ${entriesAtOnce}`,
      project,
      cursor,
      ...values,
    )
    yield* rows.map(entryOf)
    const last = rows.at(-1)
    if (!last || rows.length < entriesAtOnce) return
    cursor = integer(last.entry)
    await new Promise((resolve) => setImmediate(resolve)) // a long journal must not keep others waiting
  }
}

const entryOf = (row: Row): HistoryEntry => ({
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
