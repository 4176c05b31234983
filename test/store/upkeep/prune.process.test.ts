/** agentmail db prune, and a server that prunes: what they remove, tell and refuse. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentmail, type Env } from '../../support/agentmail.ts'
import { oldDays } from '../../support/coordination/old-days.ts'
import { eventually } from '../../support/eventually.ts'
import { TestServer } from '../../support/server/server.ts'
import { contentOf, filledDatabase } from '../../support/store/filled-database.ts'
import { newPath, sql } from '../../support/store/sqlite-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function placeOf(db: string) {
  const state = temporaryFolder()
  const run = (args: string[], env: Env = {}) =>
    agentmail(args, {
      cwd: temporaryFolder(),
      env: { AGENTMAIL_DB: db, XDG_STATE_HOME: state, AGENTMAIL_PROJECT: undefined, ...env },
    })
  return { run, prune: (...args: string[]) => run(['db', 'prune', ...args]) }
}

const count = (db: string, table: string) =>
  Number(sql(db, `SELECT COUNT(*) AS times FROM ${table}`)[0]?.times)

describe('agentmail db prune', () => {
  it('tells by kind what would go, and then removes just that', async () => {
    const db = newPath()
    await oldDays(db, { messages: 20, days: 100 })
    await oldDays(db, { messages: 10, days: 100, project: 'other' })
    await oldDays(db, { messages: 5, days: 50, project: 'new' })
    const { prune } = placeOf(db)
    const before = await contentOf(db)
    const dry = await prune('--older-than', '90d', '--dry-run')
    expect([dry.exitCode, dry.stderr]).toEqual([0, ''])
    expect(dry.stdout).toMatch(/^WOULD GO +ROWS\nmessages +30\nchanges +15\n/)
    expect(await contentOf(db)).toEqual(before)

    const one = await prune('--older-than', '90d', '--project', 'other', '--json')
    expect(JSON.parse(one.stdout)).toMatchObject({
      database: db,
      older_than: '90d',
      dry_run: false,
      removed: { messages: 10, changes: 5, agents: 1, idempotency_keys: 10, sends: 0 },
      projects: [{ project: 'other', messages: 10 }],
    })
    const { exitCode, stdout } = await prune('--older-than', '2160h')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /^REMOVED +ROWS\nmessages +20\nchanges +10\njournal entries +34\nagents +1\nidempotency keys +25\nsends +0\n/,
    )
    expect([count(db, 'messages'), count(db, 'file_claims')]).toEqual([5, 3])
  })

  it('finds the ledger of mails beside it, and leaves it alone where a project is named', async () => {
    const folder = temporaryFolder()
    const state = temporaryFolder()
    const env = {
      ...{ AGENTMAIL_DB: undefined, AGENTMAIL_DIR: join(folder, 'office'), XDG_STATE_HOME: state },
      ...{ AGENTMAIL_MAIL: 'local', AGENTMAIL_MAIL_DIR: join(folder, 'mail') },
      AGENTMAIL_MAIL_FROM: 'me@example.org',
    }
    const run = (...args: string[]) => agentmail(args, { cwd: folder, env })
    expect(
      (await run('mail', 'send', '--to', 'j@example.com', '--subject', 's', '--body', 'Hi')).stderr,
    ).toBe('')
    await run('post', 'hello', 'x', '--as', 'ann')
    const ledger = join(state, 'agentmail/mail.db')
    expect(existsSync(ledger)).toBe(true)
    const young = await run('db', 'prune', '--older-than', '1h', '--json')
    expect(JSON.parse(young.stdout)).toMatchObject({ removed: { messages: 0, sends: 0 }, ledger })
    const all = await run('db', 'prune', '--older-than', '0s', '--json')
    expect(JSON.parse(all.stdout)).toMatchObject({ removed: { messages: 1, sends: 1 }, ledger })
    expect(count(ledger, 'sends')).toBe(0)
  })

  it('refuses in words what it cannot do, and makes nothing', async () => {
    const db = await filledDatabase()
    const nowhere = newPath()
    const cases: [string, string[], RegExp][] = [
      [db, [], /^error: --older-than is missing.*\n.*--older-than 90d.*12h.*30m.*0s/],
      [db, ['--older-than', ''], /^error: --older-than is missing/],
      [
        db,
        ['--older-than', '90'],
        /^error: --older-than must be an age, not "90"\nWrite a whole number and a unit: 90d/,
      ],
      [db, ['--older-than', '1d', '--project', 'nobody'], /^error: there is no project "nobody"/],
      [db, ['--older-than', '1d', '--to', 'x'], /^error: db prune takes no --to/],
      [nowhere, ['--older-than', '1d'], /^error: there is no database of AgentMail/],
    ]
    for (const [place, args, words] of cases) {
      const { stdout, stderr, exitCode } = await placeOf(place).prune(...args)
      expect([stdout, exitCode], args.join(' ')).toEqual(['', 1])
      expect(stderr).toMatch(words)
    }
    expect(existsSync(nowhere)).toBe(false)
  })

  it('tells with the journal what is missing in it, and refuses what it cannot know', async () => {
    const db = newPath()
    await oldDays(db, { messages: 3, days: 100 })
    await oldDays(db, { messages: 3, days: 50 })
    const { run, prune } = placeOf(db)
    expect((await run(['history'])).stderr).toBe('')
    await prune('--older-than', '90d')
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3600_000).toISOString()
    const history = (...args: string[]) => run(['history', '--json', ...args])
    const all = await history()
    const events = JSON.parse(all.stdout).map(({ event }: { event: string }) => event)
    expect(events.slice(0, 3)).toEqual(['registered', 'claimed', 'registered'])
    expect(all.stderr).toMatch(/^The journal before \S+Z was pruned: /)
    expect((await history('--since', daysAgo(60))).stderr).toBe('')
    expect((await history('--since', daysAgo(95))).stderr).toMatch(/was pruned/)
    expect((await history('--as-of', daysAgo(60))).exitCode).toBe(0)
    for (const args of [
      ['--as-of', daysAgo(95)],
      ['--diff', daysAgo(95), daysAgo(1)],
    ]) {
      const { exitCode, stderr } = await run(['history', ...args])
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringMatching(/^error: (as-of|diff): the journal before \S+Z was pruned\n/),
      ])
    }
    const server = await TestServer.start({ db })
    const through = await run(['history', '--json', '--as-of', daysAgo(95)], {
      AGENTMAIL_SERVER: server.url,
    })
    expect([through.exitCode, through.stderr]).toEqual([1, expect.stringMatching(/was pruned/)])
    const told = await run(['history', '--json'], { AGENTMAIL_SERVER: server.url })
    expect(told).toMatchObject({ stdout: all.stdout, stderr: all.stderr })
  })
})

describe('a server', () => {
  it('prunes at its start what AGENTMAIL_KEEP_DAYS says, of several one does', async () => {
    const db = newPath()
    await oldDays(db, { messages: 30, days: 100 })
    await oldDays(db, { messages: 10, days: 80 })
    const env = { AGENTMAIL_KEEP_DAYS: '90', XDG_STATE_HOME: temporaryFolder() }
    const servers = await Promise.all([
      TestServer.start({ db, env }),
      TestServer.start({ db, env }),
      TestServer.start({ db, env }),
    ])
    await eventually('the old ones went', () => count(db, 'changes') === 5 || undefined)
    expect(count(db, 'messages')).toBe(10)
    const ran = await Promise.all(servers.map((server) => server.stop()))
    const told = ran.map(({ stderr }) => /pruned: (.*)/.exec(stderr)?.[1]).filter(Boolean)
    expect(told).toEqual([
      'messages 30, changes 15, journal entries 49, agents 1, idempotency keys 40',
    ])
  })

  it('keeps everything without it, but for keys of idempotency', async () => {
    const db = newPath()
    await oldDays(db, { messages: 30, days: 100 })
    const before = count(db, 'journal')
    await TestServer.start({ db, env: { XDG_STATE_HOME: temporaryFolder() } })
    await eventually('the keys went', () => count(db, 'idempotency_keys') === 0 || undefined)
    expect([count(db, 'messages'), count(db, 'journal'), count(db, 'horizons')]).toEqual([
      ...[30, before, 0],
    ])
  })

  it.each(['0', '1.5'])('refuses AGENTMAIL_KEEP_DAYS=%s', async (days) => {
    const { exitCode, stderr } = await agentmail(['serve', '--port', '0', '--db', newPath()], {
      env: { AGENTMAIL_KEEP_DAYS: days },
    })
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/AGENTMAIL_KEEP_DAYS must be a whole number of days, 1 or more/),
    ])
  })
})
