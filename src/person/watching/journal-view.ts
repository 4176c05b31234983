/** An entry of the journal, as the page has it. */
import { journalEvents } from '../../coordination/ledger.ts'
import { timeText } from '../../coordination/time.ts'
import { integer, type Row, text } from '../../store/store.ts'
import type { JournalView } from '../shapes.ts'
import { excerptOf } from './excerpts.ts'

/** @param row with the columns of `readJournal`. */
export function journalViewOf(row: Row, project: string): JournalView {
  const { summary, note } = row
  return {
    project,
    entry: integer(row.entry),
    at: timeText(integer(row.at_us)),
    agent_id: text(row.agent_id),
    agent: text(row.agent_name),
    event: journalEvents.find((event) => event === row.event) ?? 'said',
    file: typeof row.file_path === 'string' ? row.file_path : null,
    message:
      typeof row.message_id === 'number' && typeof row.channel === 'string'
        ? {
            id: row.message_id,
            channel: row.channel,
            subject: text(row.subject),
            excerpt: excerptOf(text(row.body)),
          }
        : null,
    text: typeof summary === 'string' ? summary : typeof note === 'string' ? note : null,
  }
}
