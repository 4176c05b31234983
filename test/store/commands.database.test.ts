/** Commands on a team's database itself: they remove the stale only where no server does, and hold on through an outage. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { agentmail, start } from '../support/agentmail.ts'
import { eventually } from '../support/eventually.ts'
import { describeWith } from '../support/parts.ts'
import { TestServer } from '../support/server/server.ts'
import { type DatabaseServer, query } from '../support/store/database-servers.ts'
import { startMariadb } from '../support/store/mariadb.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

vi.setConfig({ testTimeout: 120_000 })

const hasty = { AGENTMAIL_STALE_SECONDS: '1' }

describeWith('mariadbd', 'a command', () => {
  let database: DatabaseServer
  beforeAll(async () => {
    database = await startMariadb()
  })
  afterAll(() => database.stop())

  const run = (db: string, ...args: string[]) =>
    agentmail(args, { cwd: temporaryFolder(), env: { AGENTMAIL_DB: db, ...hasty } })
  const claim = async (db: string, name: string) =>
    (await run(db, 'claim', 'a.ts', '--as', name)).exitCode
  /** The agent of an earlier command has been silent for long, by the database's clock. */
  const passTime = (db: string) =>
    query(db, 'UPDATE presence SET last_seen_us = last_seen_us - 60000000')

  it('releases the claims of those who are stale where no server looks after them', async () => {
    const db = await database.newDatabase()
    expect(await claim(db, 'ann')).toBe(0)
    await passTime(db)
    expect(await claim(db, 'bob')).toBe(0)
  })

  it('leaves that to a server, which may be more patient, wherever one is', async () => {
    const db = await database.newDatabase()
    const server = await TestServer.start({ db, env: { AGENTMAIL_STALE_SECONDS: '3600' } })
    expect(await claim(db, 'ann')).toBe(0)
    await passTime(db)
    expect(await claim(db, 'bob')).toBe(1)
    await server.stop()
    expect(await claim(db, 'bob')).toBe(0)
  })

  it('makes no database by a mistyped name; a server does', async () => {
    const db = database.url('not_there_yet')
    const { exitCode, stderr } = await run(db, 'agents')
    expect([exitCode, stderr]).toEqual([5, expect.stringMatching(/it does not exist.*\n.*serve/)])
    expect(await query(database.url(''), "SHOW DATABASES LIKE 'not_there_yet'")).toEqual([])
    await TestServer.start({ db })
    expect((await run(db, 'agents')).exitCode).toBe(0)
  })

  it('holds its claims though the database is gone for a while', async () => {
    const db = await database.newDatabase()
    const holding = start(['claim', 'a.ts', '--as', 'ann', '--hold'], {
      cwd: temporaryFolder(),
      env: { AGENTMAIL_DB: db },
    })
    let said = ''
    for (const stream of [holding.stdout, holding.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk
      })
    }
    const over = new Promise((resolve) => holding.on('exit', resolve))
    await eventually('it holds', async () => said.includes('Holding') || undefined)
    await database.kill()
    await eventually('it notices', async () => said.includes('cannot be reached') || undefined)
    await database.start()
    await eventually('it goes on', async () => said.includes('reached again') || undefined)
    expect(await query(db, 'SELECT agent_name FROM file_claims')).toMatchObject([
      { agent_name: 'ann' },
    ])
    holding.kill('SIGTERM')
    expect(await over).toBe(0)
    expect(await query(db, 'SELECT agent_name FROM file_claims')).toEqual([])
  })
})
