/** Pruning beside a server on database servers; on Dolt its commits still tell the past, and its space is asked back. */
import { describe, expect, it, vi } from 'vitest'
import { besideServerSuite } from '../../suites/pruning-beside-server.ts'
import { agentmail } from '../../support/agentmail.ts'
import { oldDays } from '../../support/coordination/old-days.ts'
import { auditOf } from '../../support/email/audit.ts'
import { describeWith } from '../../support/parts.ts'
import { TestServer } from '../../support/server/server.ts'
import { query } from '../../support/store/database-servers.ts'
import { startDolt } from '../../support/store/dolt.ts'
import { startMariadb } from '../../support/store/mariadb.ts'
import { sharedDatabaseServer } from '../../support/store/shared-database-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

vi.setConfig({ testTimeout: 300_000 })

const prune = (db: string, age: string) =>
  agentmail(['db', 'prune', '--older-than', age, '--json'], {
    cwd: temporaryFolder(),
    env: { AGENTMAIL_DB: db, AGENTMAIL_PROJECT: undefined },
  })

describeWith('mariadbd', 'pruning beside a server on MariaDB', () => {
  const database = sharedDatabaseServer(startMariadb)
  besideServerSuite(() => database().newDatabase(), 2500)
})

describeWith('dolt', 'pruning', () => {
  const database = sharedDatabaseServer(() => startDolt())

  describe('beside a server on Dolt', () => {
    besideServerSuite(() => database().newDatabase(), 2500)
  })

  it('leaves to the commits of Dolt what it removes', async () => {
    const db = await database().newDatabase()
    await oldDays(db, { messages: 5, days: 100 })
    const first = await TestServer.start({ db })
    await first.stop() // which makes a commit
    const [{ hash } = { hash: '' }] = await query(db, "SELECT DOLT_HASHOF('HEAD') AS hash")
    const server = await TestServer.start({ db })
    const audit = auditOf(server)
    const then = (await audit.entries()).at(-1)?.at ?? ''
    const before = [await audit.entries(then), await audit.entries(String(hash))]
    expect(before[0]).toHaveLength(13)
    const ann = await server.register('zoe')
    await server.call('send_message', { agent_id: ann, subject: 's', body: 'b' })
    const { stderr } = await prune(db, '90d')
    expect(stderr).toBe('')
    expect(await query(db, 'SELECT COUNT(*) AS times FROM messages')).toMatchObject([{ times: 1 }])
    expect([await audit.entries(then), await audit.entries(String(hash))]).toEqual(before)
    // What came between a moment before the horizon and one after it is in no version as a whole.
    const now = new Date(Date.now() + 60_000).toISOString()
    expect((await audit.run('--diff', then, now)).stderr).toMatch(
      /^error: diff: the journal before/,
    )
    expect((await audit.run('--json')).stderr).toMatch(/^The journal before \S+ was pruned/)
    expect((await audit.run('--json', '--as-of', String(hash))).stderr).toBe('')
  })

  it('is done where the user may not ask for the space', async () => {
    const db = await database().newDatabase()
    await oldDays(db, { messages: 5, days: 100 })
    const name = new URL(db).pathname.slice(1)
    await query(db, "CREATE USER poor@'%' IDENTIFIED BY 'p'", `GRANT ALL ON ${name}.* TO poor@'%'`)
    const { exitCode, stdout, stderr } = await prune(
      `mysql://poor:p@${new URL(db).host}/${name}`,
      '90d',
    )
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ removed: { messages: 5, changes: 2 } })
    expect(stderr).toMatch(/^The space could not be given back at once \(.*\)\. Nothing is lost/)
  })

  it('costs a server nothing but its connections, where Dolt takes them to collect', async () => {
    const choice = { DOLT_GC_SAFEPOINT_CONTROLLER_CHOICE: 'kill_connections' }
    const dolt = await startDolt(choice)
    try {
      const db = await dolt.newDatabase()
      await oldDays(db, { messages: 5, days: 100 })
      const server = await TestServer.start({ db })
      const agent_id = await server.register('zoe')
      const { exitCode } = await prune(db, '90d')
      expect(exitCode).toBe(0)
      for (const message_id of [6, 7]) {
        const said = await server.call('send_message', { agent_id, subject: 's', body: 'b' })
        expect(said.structuredContent).toEqual({ message_id })
      }
      const read = await server.call('read_messages', { agent_id, after_id: 0 })
      expect(read.structuredContent).toMatchObject({ messages: [{ id: 6 }, { id: 7 }] })
    } finally {
      await dolt.stop()
    }
  })
})
