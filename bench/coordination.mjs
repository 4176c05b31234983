/** B4–B8 and B16: the coordination server under load, with a long history, and with many who wait. */
import { longHistoryRows } from './long-history.mjs'
import { searchRows } from './searching.mjs'
import { sendRows } from './sending.mjs'
import { withServers } from './servers.mjs'
import { memoryRows, wakeRow } from './waiting.mjs'

/** One after the other: what is under load shares the machine with its client alone. */
export async function coordinationRows() {
  return [
    ...(await withServers(sendRows)),
    ...(await withServers(longHistoryRows)),
    ...(await withServers(searchRows)),
    await withServers(wakeRow),
    ...(await withServers(memoryRows)),
  ]
}
