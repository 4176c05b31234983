/** SQLite as a store: what every store holds, and what is SQLite's own: its file, its lock, other processes. */
import { copyFileSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Config } from '../../src/config.ts'
import { openCoordination } from '../../src/connection/open-coordination.ts'
import { AgentMailError } from '../../src/errors.ts'
import { fileDatabase } from '../../src/store/database.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { storeSuite } from '../suites/store-suite.ts'
import { ended, startWorker } from '../support/agentmail.ts'
import { isLong } from '../support/parts.ts'
import { expectDamage, seededChoice, upTo } from '../support/store/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const newPath = () => join(temporaryFolder(), 'agentmail.db')

storeSuite('SQLite', async () => {
  const path = newPath()
  return () => openSqlite(path)
})

async function open(path: string) {
  const coordination = await openCoordination(new Config({}, {}), fileDatabase(path))
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= coordination.close()
    return closing
  }
  onTestFinished(close)
  return { close, ...coordination.project() }
}

async function create(path: string): Promise<void> {
  const { close } = await open(path)
  await close()
}

/** The error that opening it gives, as a person reads it. */
async function refusal(path: string): Promise<{ code: string; text: string }> {
  const error = await open(path).catch((reason: unknown) => reason)
  if (AgentMailError.is(error)) return { code: error.code, text: error.text }
  throw error
}

function startSqlite(path: string, ...args: (string | number)[]) {
  const child = startWorker('sqlite', [path, ...args])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return { child, over: ended(child) }
}

/** Runs SQL as another program might, and gives the rows of the last statement. */
function sql(path: string, ...statements: string[]) {
  const database = new DatabaseSync(path)
  const rows = statements.map((statement) => database.prepare(statement).all())
  database.close()
  return rows.at(-1) ?? []
}

describe('a database that another process has locked', () => {
  /** Another process holds the lock until it is told to let go. */
  async function lock(path: string, kind = 'IMMEDIATE'): Promise<() => Promise<unknown>> {
    const { child, over } = startSqlite(path, 'lock', kind)
    await new Promise((resolve) => child.stdout.once('data', resolve))
    return () => {
      child.stdin.end()
      return over
    }
  }

  /** Time flies once the first attempts have failed. */
  async function waitForTooLong<T>(work: () => Promise<T>): Promise<T> {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const working = work()
      await sleep(200)
      vi.advanceTimersByTime(60_000)
      return await working
    } finally {
      vi.useRealTimers()
    }
  }

  it('makes calls wait, answers reads meanwhile, and stores all of them once it is free', async () => {
    const path = newPath()
    const { agents, messages } = await open(path)
    const { agent_id } = await agents.register({ name: 'a', role: 'b' })
    const send = (body: string) =>
      messages.send({ agent_id, channel: 'broadcast', subject: 's', body })
    await send('before')
    const release = await lock(path)
    let answered = 0
    const sending = upTo(20).map((n) => send(String(n)).finally(() => answered++))
    await sleep(300)
    expect((await messages.read({ agent_id })).messages).toHaveLength(1)
    expect(answered).toBe(0)
    await release()
    const ids = (await Promise.all(sending)).map(({ message_id }) => message_id)
    expect(ids).toEqual(upTo(21).slice(1))
  })

  it('is told in words when it lasts too long; nothing is half stored, and all goes on after it', async () => {
    const path = newPath()
    const { agents, claims, messages, changes } = await open(path)
    const { agent_id } = await agents.register({ name: 'a', role: 'b' })
    const release = await lock(path)
    const calls = () => [
      messages.send({ agent_id, channel: 'broadcast', subject: 's', body: 'b' }),
      changes.announce({ agent_id, file_path: 'f', summary: 's' }),
      claims.claim({ agent_id, files: ['f'] }),
      agents.register({ name: 'c', role: 'd' }),
    ]
    const outcomes = await waitForTooLong(() => Promise.allSettled(calls()))
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: {
          code: 'storage',
          text: 'the database could not be written\nNothing of this call was stored. Another process holds it, or its connection failed: try again.',
        },
      })
    }
    expect(await messages.look({})).toEqual({ messages: [], has_more: false })
    await release()
    const [sent, announced] = await Promise.all(calls())
    expect([sent, announced]).toEqual([{ message_id: 1 }, { change_id: 1 }])
    expect((await claims.get({})).claims).toHaveLength(1)
    expect((await agents.list()).agents).toHaveLength(2)
  })

  it.each(['IMMEDIATE', 'EXCLUSIVE'] as const)(
    'makes a start wait while another process is at a new one, and go on then: %s',
    async (kind) => {
      const path = newPath()
      const release = await lock(path, kind)
      let isOver = false
      const opening = open(path).finally(() => {
        isOver = true
      })
      opening.catch(() => {}) // it is looked at below
      await sleep(200)
      expect(isOver).toBe(false)
      await release()
      const { agents } = await opening
      expect(await agents.list()).toEqual({ agents: [] })
    },
  )

  it.each(['new', 'known'])(
    'is told at the start when it lasts too long: a %s one',
    async (age) => {
      const path = newPath()
      if (age === 'known') await create(path)
      const release = await lock(path)
      const { code, text } = await waitForTooLong(() => refusal(path))
      expect({ code, text }).toMatchObject({
        code: 'database_locked',
        text: expect.stringContaining(
          `the database is locked by another process: ${path}\nWait for`,
        ),
      })
      await release()
      await open(path)
    },
  )
})

describe('four processes that claim one file', () => {
  async function claimAtOnce(rounds: number, ...safeguard: string[]): Promise<number> {
    const path = newPath()
    const workers = upTo(4).map(() => startSqlite(path, 'claim', rounds, ...safeguard).over)
    const words = (await Promise.all(workers)).map(({ stdout, stderr }) => {
      expect(stderr).toBe('')
      return stdout.split('\n').slice(0, -1)
    })
    expect(words.map((said) => said.at(-1))).toEqual(Array(4).fill('done'))
    return words.flat().filter((word) => word === 'two holders').length
  }

  it('never hold it at the same time, and all get it in the end', async () => {
    expect(await claimAtOnce(isLong ? 500 : 15)).toBe(0)
  })

  it('meet when they do not claim it (control)', async () => {
    await expectDamage(() => claimAtOnce(15, 'no claim'))
  })
})

describe('the file', () => {
  it('may be read by its owner alone, and so may those beside it; closed, it holds everything', async () => {
    const path = newPath()
    const { close, agents } = await open(path)
    await agents.register({ name: 'a', role: 'b' })
    for (const file of [path, `${path}-wal`, `${path}-shm`]) {
      expect(statSync(file).mode & 0o777, file).toBe(0o600)
    }
    await close()
    const copy = newPath()
    copyFileSync(path, copy)
    expect(sql(copy, 'SELECT name FROM agents')).toMatchObject([{ name: 'a' }])
  })

  it('is refused in words when it is no database, and left as it was', async () => {
    const path = newPath()
    writeFileSync(path, 'Dear diary, '.repeat(1000))
    expect(await refusal(path)).toMatchObject({
      code: 'database_unreadable',
      text: expect.stringMatching(/^the database could not be opened: .*\nCheck the file/),
    })
    expect(statSync(path).size).toBe(12_000)
  })

  it('is refused in words when it is cut short', async () => {
    const path = newPath()
    await create(path)
    truncateSync(path, 5000)
    expect((await refusal(path)).code).toBe('database_unreadable')
  })

  it('is refused in words when it is a folder', async () => {
    const path = newPath()
    mkdirSync(path)
    expect((await refusal(path)).code).toBe('database_unreadable')
  })

  it('is refused in words when it is of a newer version', async () => {
    const path = newPath()
    await create(path)
    sql(path, "UPDATE meta SET value = '99' WHERE name = 'schema'")
    expect(await refusal(path)).toMatchObject({
      code: 'database_unreadable',
      text: expect.stringMatching(/^the database is of a newer AgentMail \(schema 99.*\nUpdate/),
    })
  })

  it('is refused in words when another program has its messages in it, and keeps them', async () => {
    const path = newPath()
    sql(path, 'CREATE TABLE messages (note TEXT)', "INSERT INTO messages VALUES ('mine')")
    for (const _ of upTo(2)) {
      expect(await refusal(path)).toMatchObject({
        code: 'database_unreadable',
        text: expect.stringMatching(
          /^the database could not be opened: .*it has a table "messages" of something else\)\n/,
        ),
      })
    }
    expect(sql(path, 'SELECT * FROM messages')).toMatchObject([{ note: 'mine' }])
    expect(sql(path, 'SELECT name FROM sqlite_master')).toMatchObject([{ name: 'messages' }])
  })
})

describe('a migration killed with SIGKILL', () => {
  it('is completed by the next start, whichever statement it was killed at', async () => {
    const { stdout } = await startSqlite(newPath(), 'migrate').over
    const statements = Number(stdout)
    expect(statements).toBeGreaterThan(15)
    // In the short version a third of them, always others: each start of a process takes its time.
    const random = seededChoice()
    const third = random(3)
    const chosen = upTo(statements).filter((n) => isLong || n % 3 === third)
    for (const statement of chosen) {
      const path = newPath()
      const { signal } = await startSqlite(path, 'migrate', statement).over
      expect(signal).toBe('SIGKILL')
      const { agents, messages } = await open(path)
      const { agent_id } = await agents.register({ name: 'a', role: 'b' })
      const letter = { channel: 'broadcast', subject: 's', body: 'b' }
      expect(await messages.send({ agent_id, ...letter })).toEqual({ message_id: 1 })
      expect(sql(path, 'PRAGMA integrity_check')).toMatchObject([{ integrity_check: 'ok' }])
    }
  })

  it('is not completed where tables were left behind without their record (control)', async () => {
    const whole = newPath()
    await create(whole)
    const definitions = sql(whole, 'SELECT sql FROM sqlite_master WHERE sql IS NOT NULL LIMIT 5')
    const path = newPath()
    sql(path, ...definitions.map((row) => String(row.sql)))
    expect((await refusal(path)).code).toBe('database_unreadable')
  })
})
