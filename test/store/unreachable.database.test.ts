/** A database that is gone for long, or that hangs: calls end in words, and all goes on by itself when it is back. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { eventually } from '../support/eventually.ts'
import { oddTime } from '../support/loading.ts'
import { describeWith } from '../support/parts.ts'
import { TestServer } from '../support/server/server.ts'
import { DatabaseProxy } from '../support/store/database-proxy.ts'
import { type DatabaseServer, expectNoPassword } from '../support/store/database-servers.ts'
import { startMariadb } from '../support/store/mariadb.ts'

vi.setConfig({ testTimeout: 180_000 })

const words = {
  unwritten:
    'the database could not be written\nNothing of this call was stored. Its server cannot be reached: try again when it is back.',
  unread:
    'the database could not be read\nIts server cannot be reached: try again when it is back.',
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
      (await Promise.all(Object.entries(calls).map(([tool, args]) => server.call(tool, args)))).map(
        ({ text, isError }) => (isError ? text : 'done'),
      )
    const all = [...Object.keys(writes), ...Object.keys(reads)]
    const expectWell = () =>
      eventually('every call succeeds again', async () => {
        const answers = await callAll({ ...writes, ...reads })
        return answers.length === all.length && answers.every((answer) => answer === 'done')
      })
    return { server, letter, writes, reads, callAll, expectWell }
  }

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

  it('that answers no more does not keep a server from being stopped', async () => {
    const proxy = await DatabaseProxy.start(await database.newDatabase())
    const { server, letter } = await openCalls(proxy.url)
    proxy.hold()
    const sending = server.call('send_message', letter).catch(() => {})
    await sleep(50)
    expect((await server.stop()).exitCode).toBe(0)
    await sending
  })

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
    for (const path of ['/api/page', '/api/agents']) {
      const response = await fetch(`${server.url}${path}`)
      expect(response.status).toBe(503)
      expect(await response.text()).toContain('try again when it is back')
    }

    await database.start()
    await expectWell()
    expect(await health(server)).toEqual({ code: 200, status: 'ok' })
    const { exitCode, stderr } = await server.stop()
    expect(exitCode).toBe(0)
    expect(stderr).toContain('the database can be reached again')
    expectNoPassword(stderr)
  })
})
