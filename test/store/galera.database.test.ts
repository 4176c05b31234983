/** A Galera cluster as a store: what every store holds, with each connection to another of three nodes. */
import { afterAll, beforeAll } from 'vitest'
import { mysqlAddress } from '../../src/store/mysql/address.ts'
import { openMysql } from '../../src/store/mysql/mysql.ts'
import { storeSuite } from '../suites/store-suite.ts'
import { eventually } from '../support/eventually.ts'
import { describeWith, isLong } from '../support/parts.ts'
import { type DatabaseServer, query } from '../support/store/database-servers.ts'
import { at } from '../support/store/databases.ts'
import { startGalera } from '../support/store/galera.ts'

describeWith('libgalera_smm.so', 'Galera', () => {
  let nodes: DatabaseServer[]
  beforeAll(async () => {
    nodes = await startGalera()
  })
  afterAll(() => Promise.all((nodes ?? []).map((node) => node.stop())))

  const newDatabase = async () => {
    const { database } = mysqlAddress(await at(nodes, 0).newDatabase())
    // A node that is behind does not know of it yet.
    await Promise.all(
      nodes.map((node) =>
        eventually(`${database} is on every node`, async () => {
          const found = await query(node.url(''), `SHOW DATABASES LIKE '${database}'`)
          return found.length > 0
        }),
      ),
    )
    let connections = 0
    return () => openMysql(mysqlAddress(at(nodes, connections++ % nodes.length).url(database)))
  }
  storeSuite('Galera', newDatabase, { clocks: isLong })
})
