/** Dolt as a store: what every store holds, on a server of its own. */
import { afterAll, beforeAll } from 'vitest'
import { mysqlAddress } from '../../src/store/mysql/address.ts'
import { openMysql } from '../../src/store/mysql/mysql.ts'
import { storeSuite } from '../suites/store-suite.ts'
import { describeWith, isLong } from '../support/parts.ts'
import type { DatabaseServer } from '../support/store/database-servers.ts'
import { startDolt } from '../support/store/dolt.ts'

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
