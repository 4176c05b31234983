/** Dolt as a store: what every store holds, on a server of its own. */
import { afterAll, beforeAll } from 'vitest'
import { openMysql } from '../src/store/mysql.ts'
import { mysqlAddress } from '../src/store/mysql-address.ts'
import { storeSuite } from './store-suite.ts'
import type { DatabaseServer } from './support/database-servers.ts'
import { startDolt } from './support/dolt.ts'
import { describeWith, isLong } from './support/parts.ts'

describeWith('dolt', 'Dolt', () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startDolt()
  })
  afterAll(() => server?.stop())

  const newDatabase = async () => {
    const address = mysqlAddress(await server.newDatabase())
    return () => openMysql(address)
  }
  storeSuite('Dolt', newDatabase, { clocks: isLong })
})
