/** The database taken away under whoever works on it: noticed before the next acknowledgement, told in words, and whole at the next start. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { ended, start } from '../../support/agentmail.ts'
import { expectDamage } from '../../support/control-run.ts'
import { openAgent, openPlace } from '../../support/coordination/coordination.ts'
import { readStored } from '../../support/coordination/stored.ts'
import { startHeedless, type Victim } from '../../support/coordination/write-storm.ts'
import { eventually } from '../../support/eventually.ts'
import { repository } from '../../support/mailbox/tmux.ts'
import { isLong } from '../../support/parts.ts'
import { ask, errorIn } from '../../support/server/http.ts'
import { guardedRoutes } from '../../support/server/routes.ts'
import { callTool, TestServer } from '../../support/server/server.ts'
import { SseClient } from '../../support/server/sse-client.ts'

/** Long beyond need: other tests run at the same time. */
vi.setConfig({ testTimeout: isLong ? 900_000 : 120_000 })

const words = /^the database is gone: its file was removed, moved or replaced while it was in use\n/

const gitClean = (folder: string) =>
  execFileSync('git', ['clean', '-fdx', '--quiet'], { cwd: folder })

/** The database where it stands in a repository. */
function newPlace(): { folder: string; db: string } {
  const folder = repository()
  mkdirSync(join(folder, '.agentmail'))
  return { folder, db: join(folder, '.agentmail/agentmail.db') }
}

/** Writers that go on until they are told to stop, each with what it was told of its last call. */
async function writersAt({ url }: Victim, count: number) {
  const acknowledged: string[] = []
  const refusals: string[] = []
  let round = 'before'
  let isOver = false
  const write = async (writer: number) => {
    const { structuredContent } = await callTool(url, 'register', { name: `w${writer}`, role: 'r' })
    const agent_id = structuredContent?.agent_id
    for (let number = 1; !isOver; number++) {
      const marker = `${round}-${writer}-${number}`
      const letter = { agent_id, subject: 's', body: `${marker} text` }
      const error = await callTool(url, 'send_message', letter).then(
        ({ isError, text }) => (isError ? text : undefined),
        String, // it is no answer of a tool, but the refusal of the route
      )
      if (error === undefined) acknowledged.push(marker)
      else refusals.push(error)
    }
  }
  const writing = Array.from({ length: count }, (_, writer) => write(writer))
  return {
    acknowledged,
    refusals,
    /** What is begun from now on has another name. */
    next(name: string) {
      round = name
    },
    async stop() {
      isOver = true
      await Promise.all(writing)
    },
  }
}

const isLate = (marker: string) => marker.startsWith('after')

/** Gives what was begun after the removal and acknowledged all the same. */
async function cleanUnderWriters(startServer: (db: string) => Promise<Victim>) {
  const { folder, db } = newPlace()
  const server = await startServer(db)
  const writers = await writersAt(server, 16)
  while (writers.acknowledged.length < 100) await sleep(5)
  gitClean(folder)
  writers.next('after')
  const before = writers.refusals.length
  // Each writer is refused at least once, however busy the machine; or acknowledged, where nobody looks.
  const isTried = () => writers.refusals.length - before > 16 || lateOnes().length > 16
  const lateOnes = () => writers.acknowledged.filter(isLate)
  await eventually('the writers go on', isTried)
  await writers.stop()
  return { folder, db, server, writers, late: lateOnes() }
}

describe('git clean -fdx under a running server with sixteen writers', () => {
  it('lets nothing be acknowledged any more, and the next start works', async () => {
    for (let round = 0; round < (isLong ? 30 : 2); round++) {
      const { folder, db, server, late, writers } = await cleanUnderWriters((db) =>
        TestServer.start({ db }),
      )
      expect(late).toEqual([])
      expect(writers.refusals.length).toBeGreaterThan(16)
      expect(existsSync(db)).toBe(false)

      mkdirSync(dirname(db))
      // One that knows nothing of the first: whoever does begins nothing beside it.
      const env = { XDG_STATE_HOME: join(folder, '.state') }
      const next = await TestServer.start({ db, cwd: folder, env })
      const agent_id = await next.register('a')
      await next.call('send_message', { agent_id, subject: 's', body: 'new text' })
      expect((await fetch(`${server.url}/health`)).status).toBe(503)
      server.child.kill('SIGTERM')
      await server.ended
      await next.call('send_message', { agent_id, subject: 's', body: 'newer text' })
      expect(await next.stop()).toMatchObject({ exitCode: 0 })
      const { entries, faults } = readStored(db)
      expect(faults).toEqual([])
      expect(entries.map(({ name }) => name)).toEqual(['message new', 'message newer'])
    }
  })

  it('loses what is acknowledged after it where nobody looks (control)', async () => {
    await expectDamage(async () => {
      const { db, late, server } = await cleanUnderWriters(startHeedless)
      server.child.kill('SIGTERM')
      await server.ended
      return existsSync(db) ? 0 : late.length
    })
  })
})

describe('a server whose database is gone', () => {
  it('says so at /health and refuses every other route with 503 and words, for good', async () => {
    const { folder, db } = newPlace()
    const server = await TestServer.start({ db })
    await server.register('a')
    const saved = join(folder, 'saved')
    renameSync(dirname(db), saved)
    const expectGone = async () => {
      const health = await ask(server.url, { path: '/health' })
      expect(health.status).toBe(503)
      expect(JSON.parse(health.text)).toMatchObject({
        status: 'database_lost',
        message: expect.stringMatching(words),
      })
      for (const { status: _, ...route } of guardedRoutes) {
        const reply = await ask(server.url, route)
        expect({ ...route, status: reply.status }).toEqual({ ...route, status: 503 })
        if (route.method !== 'HEAD') expect(errorIn(reply).message).toMatch(words)
      }
    }
    await expectGone()
    renameSync(saved, dirname(db))
    await expectGone()
    const { exitCode, stderr } = await server.stop()
    expect(exitCode).toBe(0)
    expect(stderr.match(/the database is gone/g)).toHaveLength(1)
    const next = await TestServer.start({ db })
    expect((await ask(next.url, { path: '/health' })).status).toBe(200)
    expect((await ask(next.url, { path: '/api/agents' })).text).toContain('"name":"a"')
  })

  it('answers whoever waits, and ends its streams', async () => {
    const { folder, db } = newPlace()
    const server = await TestServer.start({ db })
    const agent_id = await server.register('a')
    const stream = await SseClient.open(server.url)
    const waiting = [
      server.call('read_messages', { agent_id, wait_seconds: 50 }).then(({ text }) => text),
      stream
        .call('read_messages', { agent_id, wait_seconds: 50 })
        .then(({ result }) => Object(result).content[0].text),
    ]
    await sleep(200)
    gitClean(folder)
    for (const text of await Promise.all(waiting)) expect(text).toMatch(words)
    await stream.closed
  })

  it('is what commands are told by its note, and none makes another one beside it', async () => {
    const { repository: folder, database: db, run, server } = await openPlace('a running server')
    expect((await run(['post', 'before', 'text', '--as', 'ann'])).exitCode).toBe(0)
    for (const end of ['', '-wal', '-shm']) rmSync(db + end)
    const commands = [['post', 'after', 'text', '--as', 'ann'], ['messages'], ['agents', '--json']]
    for (const command of commands) {
      const { exitCode, stdout, stderr } = await run(command)
      expect({ command, exitCode, stdout }).toEqual({ command, exitCode: 5, stdout: '' })
      expect(stderr).toMatch(
        /the database is gone: its file was removed.*[\s\S]*start AgentMail again/,
      )
    }
    expect(existsSync(db)).toBe(false)
    await server?.stop()
    expect((await run(['post', 'again', 'text', '--as', 'ann'])).exitCode).toBe(0)
    expect((await run(['messages'], { cwd: folder })).stdout).toMatch(/again/)
  })
})

describe('a process on the database itself', () => {
  it('refuses every call on STDIO with words, also those that wait, until it is started again', async () => {
    const place = await openPlace('the database itself')
    const agent = await openAgent(place, 'ann')
    await agent.say('before')
    const waiting = agent.call('read_messages', { wait_seconds: 50, after_id: 99 })
    waiting.catch(() => {}) // it is looked at below
    await sleep(200)
    const db = place.database
    const copy = readFileSync(db)
    rmSync(dirname(db), { recursive: true })
    const gone = /the database is gone/
    await expect(waiting).rejects.toThrow(gone)
    const calls = () => [
      agent.say('after'),
      agent.call('read_messages'),
      agent.call('heartbeat'),
      agent.call('claim_files', { files: ['a.ts'] }),
      agent.call('get_changes', { agent_id: undefined }),
    ]
    for (const call of calls()) await expect(call).rejects.toThrow(gone)
    mkdirSync(dirname(db))
    writeFileSync(db, copy)
    for (const call of calls()) await expect(call).rejects.toThrow(gone)
    const next = await openAgent(place, 'bob')
    await next.say('new')
  })

  it('ends a command that looks on, with words', async () => {
    const { repository: folder, database, run, env } = await openPlace('the database itself')
    await run(['post', 'before', 'text', '--as', 'ann'])
    const child = start(['messages', '--follow'], { cwd: folder, env })
    const over = ended(child)
    await new Promise((resolve) => child.stdout.once('data', resolve))
    rmSync(dirname(database), { recursive: true, maxRetries: 10 }) // it may write there at this moment
    const { exitCode, stderr } = await over
    expect(exitCode).toBe(5)
    expect(stderr).toMatch(/the database is gone: its file was removed/)
  })
})
