/** A server whose project has a hundred thousand messages, five thousand agents, and a claim of each of them. */
import { openSqlite } from '../../../src/store/sqlite.ts'
import { TestServer } from '../server/server.ts'
import { at } from '../store/databases.ts'
import { addAgents, addClaims, addMessages } from '../store/many-rows.ts'

export const messages = 100_000
export const few = 5000

export const channelOf = (n: number): string =>
  n % 7 === 0 ? `@name ${(n % 31) + 1}` : n % 7 === 1 ? 'builds' : 'broadcast'

/** With one more agent, who can write. */
export async function fullServer(atEnd: (end: () => void) => void) {
  const server = await TestServer.start({ env: { AGENTMAIL_STALE_SECONDS: '86400' } }, atEnd)
  const writer = await server.register('writer')
  const store = await openSqlite(server.database)
  const ids = await addAgents(store, few, Date.now(), 'default')
  await addClaims(store, few, (n) => at(ids, n - 1), undefined, 'default')
  await addMessages(store, messages, channelOf)
  await store.close()
  return { server, writer }
}
