/** A file of SQLite that another process has locked. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { upTo } from '../support/store/databases.ts'
import { create, newPath, open, refusal } from '../support/store/sqlite-files.ts'
import { startSqlite } from '../support/store/sqlite-processes.ts'

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

  /** Time flies between the attempts, until it gives up. */
  async function waitForTooLong<T>(work: () => Promise<T>): Promise<T> {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      let isOver = false
      const working = work().finally(() => {
        isOver = true
      })
      for (; !isOver; vi.advanceTimersByTime(60_000)) await sleep(200)
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
      expect(await agents.list()).toEqual({ agents: [], has_more: false })
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
