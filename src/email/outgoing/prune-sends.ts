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
  /** Nor where an agent sent it: people answer weeks later. */
  answersBeforeMs: number
}

export const keptAnswersMs = 90 * 24 * 3600_000

/** Gives how many went, or would go. */
export async function pruneSends(
  reader: Reader,
  removal: Removal,
  { beforeMs, keysBeforeMs, answersBeforeMs }: SendLimits,
): Promise<number> {
  const approved = await approvedSends(reader)
  const isFinished = (row: Row): boolean => {
    const limit = Math.min(
      beforeMs,
      ...(row.service_key === null ? [] : [keysBeforeMs]),
      ...(row.agent == null ? [] : [answersBeforeMs]),
    )
    const isOver = row.state === 'sent' || row.state === 'failed'
    return isOver && integer(row.changed_ms) < limit && !approved.has(nameOf(row))
  }
  let removed = 0
  const table = tableNamed('sends')
  for await (const page of pagesOf(reader, table)) {
    if (removal.isEnding) break
    removed += await removal.rows(table, page.filter(isFinished), ['token']) // unless it was taken up again
  }
  await pruneReplyKeys(reader, removal, Math.min(beforeMs, answersBeforeMs))
  return removed
}

/** Of what is answered later, nobody knows any more who asked. */
async function pruneReplyKeys(reader: Reader, removal: Removal, beforeMs: number): Promise<void> {
  const table = tableNamed('reply_keys')
  for await (const page of pagesOf(reader, table)) {
    if (removal.isEnding) return
    const old = page.filter((row) => integer(row.kept_ms) < beforeMs)
    await removal.rows(table, old, ['kept_ms']) // unless the thread was taken up again
  }
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
