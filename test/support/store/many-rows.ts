/** Messages, claims and agents by the thousand, put into a database past its servers, which would take minutes. */
import { insertAll } from '../../../src/store/insert.ts'
import type { Row, Store } from '../../../src/store/store.ts'
import { sha256 } from '../../../src/system/text.ts'
import { upTo } from './databases.ts'

const rowsATransaction = 5000

async function addRows(store: Store, table: string, rows: Row[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsATransaction) {
    const some = rows.slice(start, start + rowsATransaction)
    await store.transaction((transaction) => insertAll(transaction, table, some))
  }
}

/** The holder of each claim is asked for by its number, from 1. */
export const addClaims = (
  store: Store,
  count: number,
  holder: (number: number) => string,
  path = (number: number) => `src/part-${number % 100}/file-${number}.ts`,
  project = '',
): Promise<void> =>
  addRows(
    store,
    'file_claims',
    upTo(count).map((number) => ({
      project,
      path_hash: sha256(path(number)),
      file_path: path(number),
      agent_id: holder(number),
      agent_name: 'holder',
      claimed_us: number,
    })),
  )

/** Agents that were heard of last at that time, in milliseconds; gives their ids. */
export async function addAgents(
  store: Store,
  count: number,
  lastSeenMs: number,
  project = '',
): Promise<string[]> {
  const ids = upTo(count).map((number) => `agent-${String(number).padStart(6, '0')}`)
  const agents = ids.map((agent_id, index) => ({
    ...{ project, agent_id, name: `name ${index + 1}`, role: 'coder' },
    registered_us: index + 1,
  }))
  await addRows(store, 'agents', agents)
  const presence = ids.map((agent_id) => ({
    ...{ project, agent_id, last_seen_us: lastSeenMs * 1000, token: 'token' },
  }))
  await addRows(store, 'presence', presence)
  return ids
}

/** Messages of fifty agents a tenth of a second apart, the last a minute ago, in a project that has none yet. */
export async function addMessages(
  store: Store,
  count: number,
  channel: (number: number) => string = () => 'broadcast',
  project = 'default',
): Promise<void> {
  const lastUs = (Date.now() - 60_000) * 1000
  const messages = upTo(count).map((number) => ({
    ...{ project, id: number, created_us: lastUs - (count - number) * 100_000 },
    ...{ sender_id: `agent-${number % 50}`, sender_name: `name ${(number % 50) + 1}` },
    ...{ channel: channel(number), subject: `subject ${number}`, body: `What ${number} says.` },
  }))
  await addRows(store, 'messages', messages)
  // With another token, so that a server which knows the counters looks at them again.
  const sql = "UPDATE projects SET last_message = ?, token = 'added' WHERE project = ?"
  await store.transaction(({ run }) => run(sql, count, project))
}
