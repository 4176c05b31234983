/** What every store must hold: the port, and on it the coordination of agents and the ledger of mails under load, races, retries and odd clocks. */
import { describe, vi } from 'vitest'
import { mysqlAddress } from '../../src/store/mysql/address.ts'
import { openMysql } from '../../src/store/mysql/mysql.ts'
import { isLong } from '../support/parts.ts'
import type { DatabaseServer } from '../support/store/database-servers.ts'
import type { NewDatabase } from '../support/store/databases.ts'
import { sharedDatabaseServer } from '../support/store/shared-database-server.ts'
import { boundsSuite } from './store/bounds.ts'
import { claimsSuite } from './store/claims.ts'
import { clocksSuite } from './store/clocks.ts'
import { foldersSuite } from './store/folders.ts'
import { inboxSuite } from './store/inbox.ts'
import { inboxRaceSuite } from './store/inbox-races.ts'
import { lifeSuite } from './store/life.ts'
import { orderSuite } from './store/order.ts'
import { portSuite } from './store/port.ts'
import { projectsSuite } from './store/projects.ts'
import { pruningSuite } from './store/pruning.ts'
import { receiptsSuite } from './store/receipts.ts'
import { retrySuite } from './store/retries.ts'
import { schemaSuite } from './store/schema.ts'
import { searchSuite } from './store/search.ts'
import { sendsSuite } from './store/sends.ts'
import { sessionsSuite } from './store/sessions.ts'
import { watchingSuite } from './store/watching.ts'

/**
 * @param newDatabase makes an empty database, and gives what connects to it; each test makes its own
 * and connects as often as it likes, as several servers would.
 * @param options.clocks whether clocks that are set are tried, which no engine has a part in.
 * @example storeSuite('SQLite', async () => {
 *   const path = join(temporaryFolder(), 'agentmail.db')
 *   return () => openSqlite(path)
 * })
 */
export function storeSuite(
  name: string,
  newDatabase: NewDatabase,
  options: { clocks?: boolean } = {},
): void {
  vi.setConfig({ testTimeout: isLong ? 900_000 : 120_000 })
  describe(`${name}: the port`, () => portSuite(newDatabase))
  describe(`${name}: the schema`, () => schemaSuite(newDatabase))
  describe(`${name}: order`, () => orderSuite(newDatabase))
  describe(`${name}: projects`, () => projectsSuite(newDatabase))
  describe(`${name}: retries`, () => retrySuite(newDatabase))
  describe(`${name}: claims`, () => claimsSuite(newDatabase))
  describe(`${name}: folders`, () => foldersSuite(newDatabase))
  describe(`${name}: bounds`, () => boundsSuite(newDatabase))
  describe(`${name}: life`, () => lifeSuite(newDatabase))
  describe(`${name}: the inbox`, () => inboxSuite(newDatabase))
  describe(`${name}: receipts`, () => receiptsSuite(newDatabase))
  describe(`${name}: readers at once`, () => inboxRaceSuite(newDatabase))
  describe(`${name}: sessions`, () => sessionsSuite(newDatabase))
  describe(`${name}: mails`, () => sendsSuite(newDatabase))
  describe(`${name}: search`, () => searchSuite(newDatabase))
  describe(`${name}: watching`, () => watchingSuite(newDatabase))
  describe(`${name}: pruning`, () => pruningSuite(newDatabase))
  if (options.clocks ?? true) describe(`${name}: clocks`, () => clocksSuite(newDatabase))
}

/** The same on a database server that is started for it. */
export function serverStoreSuite(name: string, start: () => Promise<DatabaseServer>): void {
  const server = sharedDatabaseServer(start)
  const newDatabase = async () => {
    const address = mysqlAddress(await server().newDatabase())
    return () => openMysql(address)
  }
  storeSuite(name, newDatabase, { clocks: isLong })
}
