/** Forgets the keys of idempotency that are too old for a retry. */
import type { Removal } from '../../store/removal.ts'
import { tableNamed } from '../../store/schema.ts'
import { integer, marks, type Reader, type Row, type SqlValue, text } from '../../store/store.ts'
import { pagesOf } from '../../store/table-walk.ts'
import type { Desk } from '../desk.ts'

/** Gives how many were used before. */
export async function pruneKeys(desk: Desk, removal: Removal, beforeUs: number): Promise<number> {
  const { project, store } = desk
  const table = tableNamed('idempotency_keys')
  let removed = 0
  for await (const page of pagesOf(store, table, {
    project,
    agent_id: '',
    tool: '',
    key_hash: '',
  })) {
    if (removal.isEnding) break
    const keys = page.filter((row) => row.project === project)
    const times = await timesOf(store, project, keys)
    const isOld = (key: Row) => (times.get(key) ?? 0) < beforeUs
    removed += await removal.rows(table, keys.filter(isOld))
    await date(
      desk,
      removal,
      keys.filter((key) => key.used_us === null && !isOld(key)),
      times,
    )
    if (keys.length < page.length) break
  }
  return removed
}

/** Earlier versions did not say when a key was used: what it was used for does, and if that is gone it is old. */
async function timesOf(
  reader: Reader,
  project: string,
  keys: Row[],
): Promise<Map<Row, number | undefined>> {
  const times = new Map<string, number>()
  const undated = keys.filter((key) => key.used_us === null)
  for (const [tool, table, time] of sources) {
    const ids = undated.filter((key) => key.tool === tool).map((key) => integer(key.result_id))
    if (ids.length === 0) continue
    const rows = await reader.all(
      `SELECT id, ${time} AS us FROM ${table} WHERE project = ? AND id IN (${marks(ids.length)})`,
      project,
      ...ids,
    )
    for (const row of rows) times.set(`${tool} ${row.id}`, integer(row.us))
  }
  return new Map(
    keys.map((key) => {
      const { used_us = null, tool, result_id } = key
      return [key, used_us === null ? times.get(`${tool} ${result_id}`) : integer(used_us)]
    }),
  )
}

const sources = [
  ['send_message', 'messages', 'created_us'],
  ['announce_change', 'changes', 'announced_us'],
] as const

/** Before what they were used for is pruned. */
async function date(
  { queue }: Desk,
  { isDryRun }: Removal,
  keys: Row[],
  times: Map<Row, number | undefined>,
): Promise<void> {
  if (keys.length === 0 || isDryRun) return
  const key = ['project', 'agent_id', 'tool', 'key_hash']
  const which = key.map((column) => `${column} = ?`).join(' AND ')
  await queue.write(async (write) => {
    for (const row of keys) {
      const values = key.map((column): SqlValue => text(row[column]))
      const us = times.get(row) ?? 0
      await write.run(`UPDATE idempotency_keys SET used_us = ? WHERE ${which}`, us, ...values)
    }
  })
}
