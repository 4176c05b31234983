/** The journals of all projects as they grow: where each ends, what comes after a place in one, and who watches. */
import { integer, type Reader, type Row, type SqlValue, text } from '../store/store.ts'
import type { News, Tidings } from './news.ts'
import { timeText } from './time.ts'

/** What one look at a journal gives at most. */
export const entriesALook = 500
/** Of what was said, and of a summary, in characters. */
const excerptLength = 200
const textLength = 1000

export interface JournalEntry {
  entry: number
  at: string
  agent_id: string
  agent: string
  event: string
  file: string | null
  /** Of what was said; null also where that was pruned. */
  message: { id: number; channel: string; subject: string; excerpt: string } | null
  /** The beginning of the summary of a change, or a note. */
  text: string | null
}

export class Journals {
  readonly #reader: Reader
  readonly #news: News

  constructor(reader: Reader, news: News) {
    this.#reader = reader
    this.#news = news
  }

  /** The last entry of each project, by key; of those that have any. */
  async lastEntries(): Promise<Map<string, number>> {
    const rows = await this.#reader.all('SELECT project, last_entry FROM projects')
    const last = rows.map((row) => [text(row.project), integer(row.last_entry)] as const)
    return new Map(last.filter(([, entry]) => entry > 0))
  }

  /** The entries after one, up to another, without gaps but for what was pruned; the first of them where they are many. */
  async after(project: string, entry: number, upTo: number): Promise<JournalEntry[]> {
    const rows = await this.#reader.all(
      `SELECT j.entry, j.at_us, j.agent_id, j.agent_name, j.event, j.file_path, j.note, m.id,
          m.channel, m.subject, SUBSTR(m.body, 1, ${excerptLength}) AS excerpt,
          SUBSTR(c.summary, 1, ${textLength}) AS summary
        FROM journal j
        LEFT JOIN messages m ON m.project = j.project AND m.id = j.message_id
        LEFT JOIN changes c ON c.project = j.project AND c.id = j.change_id
        WHERE j.project = ? AND j.entry > ? AND j.entry <= ?
        ORDER BY j.project, j.entry LIMIT ${entriesALook}`,
      ...[project, entry, upTo],
    )
    return rows.map(entryOf)
  }

  /** Tells everything that happens in any project from now on, until the function that this gives is called. */
  watch(watcher: (tidings: Tidings) => void): () => void {
    return this.#news.watch(watcher)
  }

  /** Tells whoever watches. */
  tell(tidings: Tidings): void {
    this.#news.tell(tidings)
  }
}

const entryOf = (row: Row): JournalEntry => ({
  entry: integer(row.entry),
  at: timeText(integer(row.at_us)),
  agent_id: text(row.agent_id),
  agent: text(row.agent_name),
  event: text(row.event),
  file: textOrNull(row.file_path),
  message:
    typeof row.id === 'number'
      ? {
          id: row.id,
          channel: text(row.channel),
          subject: text(row.subject),
          excerpt: text(row.excerpt),
        }
      : null,
  text: textOrNull(row.summary) ?? textOrNull(row.note),
})

const textOrNull = (value: SqlValue | undefined): string | null =>
  typeof value === 'string' ? value : null
