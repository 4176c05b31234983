/** One address book, on SQLite: everybody writes to everybody, whichever door they use. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { company } from '../support/addresses/correspondents.ts'
import { everybodyWrites } from '../support/addresses/everybody-writes.ts'
import { TestServer } from '../support/server/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('windows, panes, another session and worktree, agents of the tools and the person', () => {
  it('reach each other through a running server', async () => {
    const data = temporaryFolder()
    const env = { XDG_DATA_HOME: data }
    mkdirSync(join(data, 'agentmail'))
    const db = join(data, 'agentmail/agentmail.db')
    const everybody = await company(async (cwd) => {
      const { url } = await TestServer.start({ db, cwd, env })
      return { env, url }
    })
    await everybodyWrites(everybody)
  })

  it('reach each other without one', async () => {
    const env = { XDG_DATA_HOME: temporaryFolder() }
    await everybodyWrites(await company(async () => ({ env })))
  })
})
