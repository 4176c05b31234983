/** The clock of a database server that stands in local time: what AgentMail hears from it is the time all the same. */
import { expect, it, onTestFinished } from 'vitest'
import { mysqlAddress } from '../../src/store/mysql/address.ts'
import { openMysql } from '../../src/store/mysql/mysql.ts'
import { describeWith } from '../support/parts.ts'
import { startMariadb } from '../support/store/mariadb.ts'

/** Central Europe, written so that no tables are needed. */
const localTime = { TZ: 'CET-1CEST,M3.5.0,M10.5.0/3' }

describeWith('mariadbd', 'a MariaDB server in local time', () => {
  it('tells the time in the hour that comes twice in autumn, too', async () => {
    const database = await startMariadb(localTime)
    onTestFinished(() => database.stop())
    const store = await openMysql(mysqlAddress(await database.newDatabase()))
    onTestFinished(() => store.close())
    expect(Math.abs((await store.clock()) - Date.now())).toBeLessThan(60_000)
    for (const hour of [23, 24, 25, 26]) {
      const seconds = Date.UTC(2026, 9, 24, hour, 30) / 1000
      const told = await store.transaction(async (transaction) => {
        await transaction.run(`SET SESSION timestamp = ${seconds}`)
        return transaction.all('SELECT UNIX_TIMESTAMP(NOW(6)) AS seconds')
      })
      expect(Number(told[0]?.seconds)).toBe(seconds)
    }
  })
})
