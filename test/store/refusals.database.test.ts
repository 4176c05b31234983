/** A database that lets nobody in: a start ends in words and with its exit code, and the password is shown nowhere. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { repository } from '../support/mailbox/tmux.ts'
import { describeWith } from '../support/parts.ts'
import { TestServer } from '../support/server/server.ts'
import { type DatabaseServer, expectNoPassword } from '../support/store/database-servers.ts'
import { startMariadb } from '../support/store/mariadb.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describeWith('mariadbd', 'a database that lets nobody in', () => {
  let database: DatabaseServer
  beforeAll(async () => {
    database = await startMariadb()
  })
  afterAll(() => database.stop())

  const code = { unreadable: 5, setting: 2 }
  const refusals: {
    what: string
    change: (url: URL) => void
    exitCode: number
    says: RegExp
  }[] = [
    {
      what: 'the password is wrong',
      change: (url) => {
        url.password = `${url.password}x`
      },
      exitCode: code.unreadable,
      says: /could not be opened: mysql:\/\/agentmail@127\.0\.0\.1:\d+\/\w+ \(the user or the password is wrong, .*\nCheck both/,
    },
    {
      what: 'the host is unknown',
      change: (url) => {
        url.hostname = 'nowhere.invalid'
      },
      exitCode: code.unreadable,
      says: /could not be opened: mysql:\/\/agentmail@nowhere\.invalid:.*cannot be reached.*\nCheck that its server runs/,
    },
    {
      what: 'nobody listens there',
      change: (url) => {
        url.port = '1'
      },
      exitCode: code.unreadable,
      says: /cannot be reached \(ECONNREFUSED.*\nCheck that its server runs/,
    },
    {
      what: 'the file of ssl-ca is not there',
      change: (url) => {
        url.search = '?ssl-ca=/nowhere/ca.pem'
      },
      exitCode: code.setting,
      says: /the file of ssl-ca cannot be read: \/nowhere\/ca\.pem\nCorrect AGENTMAIL_DB/,
    },
    {
      what: 'it has no TLS and ssl-mode is required',
      change: (url) => {
        url.search = '?ssl-mode=required'
      },
      exitCode: code.unreadable,
      says: /could not be opened: .*no safe connection.*\nCheck/,
    },
    {
      what: 'its name is no name',
      change: (url) => {
        url.pathname = '/a`b'
      },
      exitCode: code.setting,
      says: /the name of the database may hold/,
    },
  ]

  it.each(refusals)('ends a start in words, and without the password: $what', async (refusal) => {
    const url = new URL(database.url('refused'))
    refusal.change(url)
    const cwd = temporaryFolder()
    const env = { AGENTMAIL_DB: url.href }
    for (const args of [['serve', '--port', '0'], ['agents']]) {
      const { exitCode, stdout, stderr } = await agentmail(args, { cwd, env })
      expectNoPassword(stdout + stderr)
      expect({ exitCode, stderr }).toEqual({
        exitCode: refusal.exitCode,
        stderr: expect.stringMatching(refusal.says),
      })
    }
  })

  it('shows its password nowhere: settings, health, page, note, logs', async () => {
    const cwd = repository()
    const db = await database.newDatabase()
    const env = { AGENTMAIL_DB: db }
    const server = await TestServer.start({ db, cwd })
    const shown = [
      (await agentmail(['config'], { cwd, env })).stdout,
      (await agentmail(['config', '--json'], { cwd, env })).stdout,
      (await agentmail(['doctor'], { cwd, env })).stdout,
      await (await fetch(`${server.url}/health`)).text(),
      await (await fetch(`${server.url}/api/page`)).text(),
      server.database,
    ]
    const { stdout, stderr } = await server.stop()
    for (const text of [...shown, stdout, stderr]) expectNoPassword(text)
    expect(server.database).toMatch(/^mysql:\/\/agentmail@127\.0\.0\.1:\d+\/agentmail_\d+$/)
  })
})
