/** One address book, on the databases of a team: everybody writes to everybody, through a server and past it. */
import { describe, it, vi } from 'vitest'
import { company } from '../support/addresses/correspondents.ts'
import { everybodyWrites } from '../support/addresses/everybody-writes.ts'
import { describeWith, isLong } from '../support/parts.ts'
import { TestServer } from '../support/server/server.ts'
import { startDolt } from '../support/store/dolt.ts'
import { startMariadb } from '../support/store/mariadb.ts'
import { sharedDatabaseServer } from '../support/store/shared-database-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

vi.setConfig({ testTimeout: 180_000 })

const engines = [
  { engine: 'MariaDB', part: 'mariadbd', start: startMariadb },
  { engine: 'Dolt', part: 'dolt', start: startDolt },
]

describe('everybody reaches everybody', () => {
  for (const { engine, part, start } of engines) {
    describeWith(part, `on ${engine}`, () => {
      const database = sharedDatabaseServer(start)
      const newEnvironment = async () => ({
        XDG_DATA_HOME: temporaryFolder(),
        AGENTMAIL_DB: await database().newDatabase(),
      })

      it('through a running server', async () => {
        const env = await newEnvironment()
        const everybody = await company(async (cwd) => {
          const { url } = await TestServer.start({ db: env.AGENTMAIL_DB, cwd, env })
          return { env, url }
        })
        await everybodyWrites(everybody)
      })

      it.runIf(engine !== 'Dolt' || isLong)('without one', async () => {
        const env = await newEnvironment()
        await everybodyWrites(await company(async () => ({ env })))
      })
    })
  }
})
