/** The audit trail on database servers; on Dolt by its commits, too. */
import { expect, it } from 'vitest'
import { noCommitsSuite, startCommitting, timesSuite } from '../suites/history-suite.ts'
import { auditOf, entriesAfter, expectStory, tellStory } from '../support/email/audit.ts'
import { eventually } from '../support/eventually.ts'
import { describeWith } from '../support/parts.ts'
import { type DatabaseServer, query } from '../support/store/database-servers.ts'
import { at } from '../support/store/databases.ts'
import { startDolt } from '../support/store/dolt.ts'
import { startMariadb } from '../support/store/mariadb.ts'
import { sharedDatabaseServer } from '../support/store/shared-database-server.ts'

const newDatabaseOn = (server: () => DatabaseServer) => () => server().newDatabase()

describeWith('mariadbd', 'the audit trail on MariaDB', () => {
  noCommitsSuite(newDatabaseOn(sharedDatabaseServer(startMariadb)))
})

describeWith('dolt', 'the audit trail on Dolt', () => {
  const newDatabase = newDatabaseOn(sharedDatabaseServer(startDolt))
  timesSuite(newDatabase)

  /** The commits of a database, oldest first, and how many entries each holds by Dolt's own account. */
  async function commitsOf(url: string) {
    const log = await query(url, 'SELECT commit_hash, committer, email, message FROM dolt_log')
    const commits = log.map((row) => ({ hash: String(row.commit_hash), row, entries: 0 })).reverse()
    for (const commit of commits) {
      const counting = query(url, `SELECT COUNT(*) AS entries FROM journal AS OF '${commit.hash}'`)
      commit.entries = Number((await counting.catch(() => []))[0]?.entries ?? 0) // none before the table
    }
    return commits
  }

  it('is told by the commits of Dolt, and names the first that holds an entry', async () => {
    const url = await newDatabase()
    const server = await startCommitting(url, 0.3)
    let part = 0
    const moments = await tellStory(server, async () => {
      const wanted = entriesAfter[part++]
      return eventually('a commit holds this part', async () => {
        const last = (await commitsOf(url)).at(-1)
        return last?.entries === wanted ? last?.hash : undefined
      })
    })
    const audit = auditOf(server)
    await expectStory(audit, moments)
    const commits = await commitsOf(url)
    const holding = (entry: number) => commits.find(({ entries }) => entries > entry)?.hash
    const entries = await audit.entries()
    expect(entries.map(({ commit }) => commit)).toEqual(entries.map((_, index) => holding(index)))
    expect(await audit.entries('HEAD')).toEqual(entries)
    const before = at(commits, commits.length - 2).entries
    expect(await audit.entries('HEAD~1')).toEqual(entries.slice(0, before))
    const [first, second] = moments
    const shown = await audit.run('--as-of', first, '--json')
    expect(JSON.parse(shown.stdout)).toEqual(await audit.entries(first))
    expect((await audit.run('--diff', first, second)).stdout).toMatch(
      /^\+ agent .* bob +reviewer\n\+ message .* ann +\[broadcast\] hello bob\n\+ change .* a\.ts {2}better\n$/,
    )
    expect(await audit.entries(first.slice(0, 8))).toEqual(await audit.entries(first))
    const later = await audit.run('--since', first.slice(0, 8), '--json')
    expect(JSON.parse(later.stdout)).toEqual(entries.slice(entriesAfter[0]))
    const beforeTheTables = at(commits, 0).hash
    expect(await audit.entries(beforeTheTables)).toEqual([])
    expect(await audit.differences(beforeTheTables, second)).toHaveLength(6)
    for (const args of [
      ['--as-of', ''],
      ['--diff', '', 'HEAD'],
      ['--diff', 'HEAD', ''],
      ['HEAD'],
    ]) {
      expect((await audit.run(...args)).exitCode, args.join()).toBe(1)
    }
    const { exitCode, stderr } = await audit.run('--as-of', 'nothing')
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(
        /as-of: there is no commit "nothing", and it is no time\n.*2026/,
      ),
    })
  })

  it('names no commit until there is one; the last comes when the server stops', async () => {
    const url = await newDatabase()
    const server = await startCommitting(url)
    await tellStory(server, async () => {})
    const audit = auditOf(server)
    expect((await audit.entries()).map(({ commit }) => commit)).toEqual(Array(8).fill(null))
    expect((await audit.run()).stdout).toMatch(/^\S+ \S+ {2}- {9}ann +registered {2}coder$/m)
    expect((await server.stop()).exitCode).toBe(0)
    const last = (await commitsOf(url)).at(-1)
    expect(last).toMatchObject({
      entries: 8,
      row: { committer: 'AgentMail', email: expect.stringMatching(/^agentmail@\S+$/) },
    })
    expect(last?.row.message).toMatch(/^(?=.*2 registered)(?=.*1 said).*\(ann, bob\)$/)

    const after = auditOf(await startCommitting(url))
    expect(new Set((await after.entries()).map(({ commit }) => commit))).toEqual(
      new Set([last?.hash]),
    )
    expect((await after.run()).stdout).toContain(`  ${last?.hash.slice(0, 8)}  ann `)
  })

  it('leaves the tables of others as they are, and its own that churn out of every commit', async () => {
    const url = await newDatabase()
    await query(
      url,
      'CREATE TABLE recipes (title VARCHAR(100) NOT NULL PRIMARY KEY)',
      'CREATE TABLE drafts (title VARCHAR(100) NOT NULL PRIMARY KEY)',
      "CALL DOLT_COMMIT('-A', '-m', 'mine')",
      "INSERT INTO recipes VALUES ('soup')",
      "INSERT INTO drafts VALUES ('stew')",
      "CALL DOLT_ADD('drafts')",
    )
    const server = await startCommitting(url)
    await tellStory(server, async () => {})
    await server.stop()
    const commits = await commitsOf(url)
    expect(commits.at(-1)?.entries).toBe(8)
    for (const { hash } of commits) {
      const tables = (await query(url, `SHOW TABLES AS OF '${hash}'`)).flatMap(Object.values)
      expect(tables).not.toContain('presence')
      expect(tables).not.toContain('writers')
    }
    expect(await query(url, "SELECT * FROM recipes AS OF 'HEAD'")).toEqual([])
    expect(await query(url, "SELECT * FROM drafts AS OF 'HEAD'")).toEqual([])
    const status = await query(
      url,
      "SELECT * FROM dolt_status WHERE table_name IN ('recipes', 'drafts')",
    )
    expect(status.map((row) => [row.table_name, row.staged, row.status]).toSorted()).toEqual([
      ['drafts', 1, 'modified'],
      ['recipes', 0, 'modified'],
    ])
  })
})
