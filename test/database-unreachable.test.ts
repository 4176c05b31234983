/** A database that is gone for long, that hangs, or that lets nobody in: calls end in words, and nothing tells the password. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { agentmail, eventually, temporaryFolder } from './support/agentmail.ts'
import { DatabaseProxy } from './support/database-proxy.ts'
import { account, type DatabaseServer } from './support/database-servers.ts'
import { startMariadb } from './support/mariadb.ts'
import { oddTime } from './support/odd-time.ts'
import { describeWith } from './support/parts.ts'
import { TestServer } from './support/server.ts'
import { repository } from './support/tmux.ts'

vi.setConfig({ testTimeout: 180_000 })

const words = {
  unwritten:
    'the database could not be written\nNothing of this call was stored. Its server cannot be reached: try again when it is back.',
  unread: 'the database could not be read\nIts server cannot be reached: try again when it is back.',
}

const secrets = [account.password, encodeURIComponent(account.password)]
const expectNoSecret = (text: string) => {
  for (const secret of secrets) expect(text).not.toContain(secret)
}

/** So that what takes half a minute takes three seconds. */
const hurried = oddTime({ speed: 10 })

const healthSchema = z.object({ status: z.string(), database_down_since: z.string().optional() })
async function health({ url }: TestServer) {
  const response = await fetch(`${url}/health`)
  return { code: response.status, ...healthSchema.parse(await response.json()) }
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const start = performance.now()
  const result = await work()
  return { result, ms: performance.now() - start }
}

describeWith('mariadbd', 'a database', () => {
  let database: DatabaseServer
  beforeAll(async () => {
    database = await startMariadb()
  })
  afterAll(() => database.stop())

  /** Every kind of call, in the name of one agent. */
  async function openCalls(db: string) {
    const server = await TestServer.start({ db, env: hurried })
    const agent_id = await server.register('a')
    const letter = { agent_id, subject: 's', body: 'b' }
    const writes = {
      send_message: letter,
      announce_change: { agent_id, file_path: 'f', summary: 's' },
      claim_files: { agent_id, files: ['f'] },
      heartbeat: { agent_id },
      register: { name: 'b', role: 'c' },
    }
    const reads = { read_messages: { agent_id }, get_changes: {}, get_file_claims: {} }
    const callAll = async (calls: Record<string, object>) =>
      (
        await Promise.all(Object.entries(calls).map(([tool, args]) => server.call(tool, args)))
      ).map(({ text, isError }) => (isError ? text : 'done'))
    const all = [...Object.keys(writes), ...Object.keys(reads)]
    const expectWell = () =>
      eventually('every call succeeds again', async () => {
        const answers = await callAll({ ...writes, ...reads })
        return answers.length === all.length && answers.every((answer) => answer === 'done')
      })
    return { server, letter, writes, reads, callAll, expectWell }
  }

  it('that is gone for long is told by every call at once, and all goes on when it is back', async () => {
    const { server, letter, writes, reads, callAll, expectWell } = await openCalls(
      await database.newDatabase(),
    )
    expect(await health(server)).toEqual({ code: 200, status: 'ok' })
    await database.kill()
    const first = await timed(() => server.call('send_message', letter))
    expect(first.result.text).toBe(words.unwritten)

    const { ms } = await timed(async () => {
      for (const answer of await callAll(writes)) expect(answer).toBe(words.unwritten)
      for (const answer of await callAll(reads)) expect(answer).toBe(words.unread)
      expect(await health(server)).toEqual({
        code: 503,
        status: 'database_unavailable',
        database_down_since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      })
    })
    expect(ms).toBeLessThan(first.ms) // one call waited for it; now nobody does
    expect((await fetch(`${server.url}/`)).status).toBe(503)
    expect((await fetch(`${server.url}/api/agents`)).status).toBe(503)

    await database.start()
    await expectWell()
    expect(await health(server)).toEqual({ code: 200, status: 'ok' })
    const { exitCode, stderr } = await server.stop()
    expect(exitCode).toBe(0)
    expect(stderr).toContain('the database can be reached again')
    expectNoSecret(stderr)
  })

  it('that answers no more holds no call for ever, and all goes on when it does', async () => {
    const proxy = await DatabaseProxy.start(await database.newDatabase())
    const { server, writes, reads, callAll, expectWell } = await openCalls(proxy.url)
    proxy.hold()
    const answers = await Promise.all([callAll(writes), callAll(reads)])
    for (const text of answers.flat()) {
      expect(text).toMatch(/^the database (?:could not be|did not say)/)
    }
    expect((await health(server)).code).toBe(503)
    proxy.release()
    await expectWell()
  })

  it('that is gone does not keep a server from being stopped', async () => {
    const proxy = await DatabaseProxy.start(await database.newDatabase())
    const { server, letter } = await openCalls(proxy.url)
    proxy.hold()
    const sending = server.call('send_message', letter).catch(() => {})
    await sleep(50)
    expect((await server.stop()).exitCode).toBe(0)
    await sending
  })
})

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
      says: /could not be opened: mysql:\/\/agentmail@127\.0\.0\.1:\d+\/\w+ \(error 1045 .*\nCheck .* password/,
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
      says: /could not be opened: .*SSL.*\nCheck/,
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
    for (const args of [['serve', '--port', '0'], ['agents'], ['mcp', 'coordination']]) {
      const { exitCode, stdout, stderr } = await agentmail(args, { cwd, env })
      expectNoSecret(stdout + stderr)
      if (args[0] === 'mcp') continue // it speaks MCP, and tells when it is called
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
      await (await fetch(`${server.url}/`)).text(),
      server.database,
    ]
    const { stdout, stderr } = await server.stop()
    for (const text of [...shown, stdout, stderr]) expectNoSecret(text)
    expect(server.database).toMatch(/^mysql:\/\/agentmail@127\.0\.0\.1:\d+\/agentmail_\d+$/)
  })
})
