/** agentmail db check on database servers. */
import { expect, it, onTestFinished } from 'vitest'
import { agentmail } from '../../support/agentmail.ts'
import { describeWith } from '../../support/parts.ts'
import { check, rows } from '../../support/store/checked-database.ts'
import { query } from '../../support/store/database-servers.ts'
import { at } from '../../support/store/databases.ts'
import { startDolt } from '../../support/store/dolt.ts'
import { filledDatabase } from '../../support/store/filled-database.ts'
import { startGalera } from '../../support/store/galera.ts'
import { startMariadb } from '../../support/store/mariadb.ts'
import { sharedDatabaseServer } from '../../support/store/shared-database-server.ts'

describeWith('mariadbd', 'a check of MariaDB', () => {
  const server = sharedDatabaseServer(startMariadb)

  it('makes nothing on a server that has no such database, nor in one that is empty', async () => {
    expect(await check(server().url('nowhere'))).toMatchObject({ state: 'missing' })
    expect(await query(server().url(''), "SHOW DATABASES LIKE 'nowhere'")).toEqual([])
    const empty = await server().newDatabase()
    expect(await check(empty)).toMatchObject({ state: 'empty', rows: {} })
    expect(await query(empty, 'SHOW TABLES')).toEqual([])
  })

  it('finds tables of something else in the way, and so does whoever wants to use it', async () => {
    const db = await server().newDatabase()
    await query(db, 'CREATE TABLE agents (badge INT PRIMARY KEY)', 'INSERT INTO agents VALUES (7)')
    const inTheWay = 'has a table "agents" of something else'
    expect((await check(db)).problems).toEqual([expect.stringContaining(inTheWay)])
    const { stderr, exitCode } = await agentmail(['agents', '--db', db])
    expect({ stderr, exitCode }).toEqual({ stderr: expect.stringContaining(inTheWay), exitCode: 5 })
    expect(await query(db, 'SELECT * FROM agents')).toMatchObject([{ badge: 7 }])
    expect((await query(db, 'SHOW TABLES')).length).toBeLessThanOrEqual(2) // and the store's own
  })

  it('tells what it can do, and that it may lose what it acknowledged', async () => {
    const db = await server().newDatabase()
    await agentmail(['agents', '--db', db])
    expect(await check(db)).toMatchObject({
      ...{ state: 'ready', engine: expect.stringMatching(/^MariaDB \d/), versions: null },
      supports: { group_commit: true, several_machines: true, versions: false },
      server: { collation: 'utf8mb4_nopad_bin', is_durable: true, tls: null, cluster: null },
      ...{ tells_trailing_spaces_apart: true, write_ms: expect.any(Number), problems: [] },
    })
    await query(server().url(''), 'SET GLOBAL innodb_flush_log_at_trx_commit = 2')
    expect((await check(db)).problems).toEqual([expect.stringContaining('a power cut can lose')])
    expect(await query(db, 'SELECT * FROM writers')).toEqual([])
  })
})

describeWith('libgalera_smm.so', 'a check of a Galera cluster', () => {
  it('tells how the node is that was asked, also one that lags behind', async () => {
    const nodes = await startGalera(2)
    onTestFinished(async () => {
      await Promise.all(nodes.map((node) => node.stop()))
    })
    const [first, second] = [at(nodes, 0), at(nodes, 1)]
    const here = await first.newDatabase()
    const there = second.url(new URL(here).pathname.slice(1))
    const copied = await agentmail(['db', 'copy', '--from', await filledDatabase(), '--to', here])
    expect(copied).toMatchObject({ exitCode: 0, stderr: '' })
    const cluster = { nodes: 2, status: 'Primary', node_state: 'Synced' }
    expect(await check(there)).toMatchObject({ rows, server: { cluster }, problems: [] })
    await query(there, 'SET GLOBAL wsrep_desync = ON')
    const { problems, server } = await check(there)
    expect(server?.cluster).toMatchObject({ node_state: 'Donor/Desynced' })
    expect(problems).toEqual([expect.stringContaining('has not everything that its cluster has')])
  })
})

describeWith('dolt', 'a check of Dolt', () => {
  const server = sharedDatabaseServer(startDolt)

  it('tells its versions, and makes none', async () => {
    const db = await server().newDatabase()
    await agentmail(['post', 'one', 'message', '--as', 'ann', '--db', db])
    const log = await query(db, 'SELECT commit_hash, message FROM dolt_log')
    const found = await check(db)
    expect(found).toMatchObject({
      ...{ state: 'ready', engine: expect.stringMatching(/^Dolt \d/), problems: [] },
      supports: { group_commit: true, several_machines: true, versions: true },
      versions: {
        count: log.length,
        newest: { id: log[0]?.commit_hash, message: log[0]?.message },
      },
      server: { is_durable: true, tls: null, cluster: null },
      ...{ tells_trailing_spaces_apart: true, rows: { messages: 1 } },
    })
    expect(Math.abs(found.clock_difference_ms ?? 9999)).toBeLessThan(1000)
    expect(await query(db, 'SELECT * FROM dolt_status')).toEqual([])
    expect(await query(db, 'SELECT commit_hash FROM dolt_log')).toHaveLength(log.length)
  })
})
