/** MariaDB as a store: what every store holds, on a server of its own. */
import { afterAll, beforeAll } from 'vitest'
import { openMysql } from '../src/store/mysql.ts'
import { mysqlAddress } from '../src/store/mysql-address.ts'
import { storeSuite } from './store-suite.ts'
import type { DatabaseServer } from './support/database-servers.ts'
import { startMariadb } from './support/mariadb.ts'
import { describeWith, isLong } from './support/parts.ts'

describeWith('mariadbd', 'MariaDB', () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startMariadb()
  })
  afterAll(() => server?.stop())

  const newDatabase = async () => {
    const address = mysqlAddress(await server.newDatabase())
    return () => openMysql(address)
  }
  storeSuite('MariaDB', newDatabase, { clocks: isLong })
})
