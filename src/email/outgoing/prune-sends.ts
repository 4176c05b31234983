/** Removes finished sends from the ledger of mails: what could still be sent, or sent again, stays. */
import type { Removal } from '../../store/removal.ts'
import { tableNamed } from '../../store/schema.ts'
import { integer, type Reader, type Row, text } from '../../store/store.ts'
import { pagesOf } from '../../store/table-walk.ts'

interface SendLimits {
  /** What was finished before goes, in Unix milliseconds. */
  beforeMs: number
  /** Not so soon, where it was sent with a key: whoever repeats the call gets its answer. */
  keysBeforeMs: number
}

/** Gives how many went, or would go. */
export async function pruneSends(
  reader: Reader,
  removal: Removal,
  { beforeMs, keysBeforeMs }: SendLimits,
): Promise<number> {
  const approved = await approvedSends(reader)
  const isFinished = (row: Row): boolean => {
    const isKeyed = row.service_key !== null
    const limit = isKeyed ? Math.min(beforeMs, keysBeforeMs) : beforeMs
    const isOver = row.state === 'sent' || row.state === 'failed'
    return isOver && integer(row.changed_ms) < limit && !approved.has(nameOf(row))
  }
  let removed = 0
  const table = tableNamed('sends')
  for await (const page of pagesOf(reader, table)) {
    if (removal.isEnding) break
    removed += await removal.rows(table, page.filter(isFinished), ['token']) // unless it was taken up again
  }
  return removed
}

/** Of mails that a person approved: without them the approval would count for a second mail. */
async function approvedSends(reader: Reader): Promise<Set<string>> {
  const names = new Set<string>()
  for await (const page of pagesOf(reader, tableNamed('draft_notes'))) {
    for (const row of page) names.add(nameOf(row))
  }
  return names
}

const nameOf = (row: Row): string => `${text(row.scope)} ${text(row.key_hash)}`
