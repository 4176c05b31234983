/** What is told to whoever looks at the page, as the shapes have it. */
import type { JournalEntry } from '../../coordination/journal.ts'
import { journalEvents } from '../../coordination/ledger.ts'
import type { JournalView, StreamEvents } from '../shapes.ts'

export type WatchEvent = {
  [Name in keyof StreamEvents]: {
    name: Name
    data: StreamEvents[Name]
    /** Where a watcher is after it, where it moves on with it. */
    cursor?: string
  }
}[keyof StreamEvents]

/** Nothing of an event that only a later version knows. */
export function journalView(
  project: string,
  { event, ...entry }: JournalEntry,
): JournalView | undefined {
  const known = journalEvents.find((one) => one === event)
  return known && { project, event: known, ...entry }
}
