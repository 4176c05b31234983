/** agentmail db copy between files and servers: everything arrives, there and back, whoever interrupts it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, it } from 'vitest'
import { agentmail, ended, start } from '../../support/agentmail.ts'
import { describeWith } from '../../support/parts.ts'
import { copied, copy, history } from '../../support/store/copied-database.ts'
import { type DatabaseServer, query } from '../../support/store/database-servers.ts'
import { startDolt } from '../../support/store/dolt.ts'
import { contentOf, filledDatabase, newFile } from '../../support/store/filled-database.ts'
import { startMariadb } from '../../support/store/mariadb.ts'
import { sharedDatabaseServer } from '../../support/store/shared-database-server.ts'

function roundTrip(server: () => DatabaseServer): void {
  it('takes everything there and back: what it holds is the same, and agents go on with it', async () => {
    const source = await filledDatabase()
    const [middle, end] = [await server().newDatabase(), newFile()]
    const there = await copied(source, middle)
    const back = await copied(middle, end)
    expect(there.tables).toEqual(await contentOf(source))
    expect(back.tables).toEqual(there.tables)
    expect(there.copied).toBe(there.tables.reduce((sum, { rows }) => sum + rows, 0))
    expect(await history(middle)).toEqual(await history(end))
    const texts = (path: string) =>
      new DatabaseSync(path).prepare('SELECT * FROM messages ORDER BY project, id').all()
    expect(texts(end)).toEqual(texts(source))
    const said = await agentmail(['post', 'go', 'on', '--as', 'ann ', '--db', end])
    expect(said).toMatchObject({ exitCode: 0, stderr: '' })
  })
}

describeWith('mariadbd', 'a copy between SQLite and MariaDB', () => {
  roundTrip(sharedDatabaseServer(startMariadb))
})

describeWith('dolt', 'a copy between SQLite and Dolt', () => {
  const server = sharedDatabaseServer(startDolt)

  roundTrip(server)

  it('is completed by running it again, however often it was killed, and nobody opens it before', async () => {
    const bulk = 8000
    const [source, target] = [await filledDatabase(bulk), await server().newDatabase()]
    const arrived = async () => {
      const counting = query(target, 'SELECT COUNT(*) AS rows_there FROM messages')
      return Number((await counting.catch(() => []))[0]?.rows_there ?? 0)
    }
    let kills = 0
    for (; kills < 3 && (await arrived()) < bulk; kills++) {
      const before = await arrived()
      const child = start(['db', 'copy', '--from', source, '--to', target])
      const over = ended(child)
      while (child.exitCode === null && (await arrived()) === before) await sleep(20)
      child.kill('SIGKILL')
      expect((await over).signal).toBe('SIGKILL')
    }
    expect(kills).toBeGreaterThan(1)
    expect(await agentmail(['serve', '--port', '0', '--db', target])).toMatchObject({
      exitCode: 5,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: the database is an unfinished copy.*\n.*db copy again/,
      ),
    })
    const before = await arrived()
    expect(before).toBeGreaterThan(0)
    const { tables: found, copied: written } = await copied(source, target)
    expect(found).toEqual(await contentOf(source))
    expect(written).toBeLessThanOrEqual(found.reduce((sum, { rows }) => sum + rows, 0) - before)
  })

  it('gives the target one version that holds it, and changes nothing there ever after', async () => {
    const [source, target] = [await filledDatabase(), await server().newDatabase()]
    const before = await query(target, 'SELECT commit_hash FROM dolt_log')
    const { version } = await copied(source, target)
    const log = await query(target, 'SELECT commit_hash, message FROM dolt_log')
    expect(log).toHaveLength(before.length + 1)
    expect(log[0]).toMatchObject({
      commit_hash: version,
      message: expect.stringMatching(
        /^AgentMail: everything copied from SQLite [\d.]+ \(database /,
      ),
    })
    expect(await query(target, 'SELECT * FROM dolt_status')).toEqual([])

    const hash = () => query(target, 'SELECT DOLT_HASHOF_DB() AS hash')
    const whole = await hash()
    const refused = await copy(source, target)
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refused.stderr).toMatch(
      /^error: the target is a complete copy.*\nNothing in it was changed/,
    )
    expect(await hash()).toEqual(whole)
  })
})
