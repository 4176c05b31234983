/** The write queue where calls or the database fail. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { upTo } from '../../test/support/store/databases.ts'
import { add, failing, openQueue } from '../../test/support/store/open-queue.ts'
import { AgentMailError } from '../errors.ts'
import type { Write } from './batch.ts'
import { StoreError, type StoreTrouble } from './store.ts'

let world: Awaited<ReturnType<typeof openQueue>>
beforeEach(async () => {
  world = await openQueue()
})

describe('a call that throws', () => {
  const error = new AgentMailError('invalid_request', 'no such thing')

  it('before it has written fails alone, and the others need no second transaction', async () => {
    const { queue, seen, stored } = world
    const [a, b, c] = [
      queue.write((write) => add(write, 'a')),
      queue.write(async (write) => {
        await write.all('SELECT note FROM notes')
        await write.run('UPDATE notes SET note = ? WHERE id = 99', 'nobody')
        throw error
      }),
      queue.write((write) => add(write, 'c')),
    ]
    await expect(b).rejects.toBe(error)
    expect([await a, await c]).toEqual([1, 2])
    expect(await stored()).toEqual(['1 a', '2 c'])
    expect(seen.transactions).toBe(1)
  })

  it.each<[string, (write: Write) => Promise<unknown>]>([
    ['added', (write) => add(write, 'b')],
    ['changed', (write) => write.run('UPDATE counters SET last = 77')],
    ['inserted', (write) => write.run('INSERT INTO notes (id, note) VALUES (50, ?)', 'b')],
    [
      'taken a number',
      (write) => write.shared('x', async () => ({ value: 1, save: failing(error) })),
    ],
  ])('after it has %s something fails alone and leaves no trace and no gap', async (_, work) => {
    const { queue, stored } = world
    const news: string[] = []
    const [a, b, c] = [
      queue.write((write) => add(write, 'a')),
      queue.write(async (write) => {
        write.afterCommit(() => news.push('b'))
        await work(write)
        throw error
      }),
      queue.write(async (write) => {
        write.afterCommit(() => news.push('c'))
        return add(write, 'c')
      }),
    ]
    await expect(b).rejects.toBe(error)
    expect([await a, await c]).toEqual([1, 2])
    expect(await stored()).toEqual(['1 a', '2 c'])
    expect(news).toEqual(['c'])
    expect(await queue.write((write) => add(write, 'd'))).toBe(3)
  })

  it('leaves its trace where the transaction just goes on without it (control)', async () => {
    const { store, stored } = world
    await store.transaction(async (transaction) => {
      await transaction.run("INSERT INTO notes (id, note) VALUES (1, 'b')")
      await failing(error)().catch(() => {})
    })
    expect(await stored()).toEqual(['1 b'])
  })

  it('is one of many: each that fails fails alone', async () => {
    const { queue, stored } = world
    const writing = upTo(60).map((n) =>
      queue.write(async (write) => {
        if (n % 3 === 0) throw error
        await add(write, `n${n}`)
        if (n % 3 === 1) throw error
        return n
      }),
    )
    const outcomes = await Promise.allSettled(writing)
    const kept = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(kept).toEqual(upTo(20).map((n) => n * 3 - 1))
    expect(await stored()).toEqual(kept.map((n, index) => `${index + 1} n${n}`))
  })
})

describe('a call whose data the database refuses', () => {
  it.each(['first', 'in the middle', 'last'])('fails alone when it comes %s', async (place) => {
    const { queue, stored } = world
    const poison = (write: Write) => write.run('INSERT INTO notes (id, note) VALUES (1, NULL)')
    const calls: ((write: Write) => Promise<unknown>)[] = upTo(5).map(
      (n) => (write) => add(write, `n${n}`),
    )
    const index = { first: 0, last: 5 }[place] ?? 2
    calls.splice(index, 0, poison)
    const outcomes = await Promise.allSettled(calls.map((call) => queue.write(call)))
    const [refused] = outcomes.splice(index, 1)
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'storage' } })
    expect(outcomes).toMatchObject(upTo(5).map((value) => ({ value })))
    expect(await stored()).toEqual(upTo(5).map((n) => `${n} n${n}`))
  })

  it('fails alone though its row is refused only when the batch is inserted', async () => {
    const { queue, stored } = world
    const outcomes = await Promise.allSettled([
      queue.write((write) => add(write, 'a')),
      queue.write(async (write) => write.append('notes', { id: 1000, note: null })),
      queue.write((write) => add(write, 'c')),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await stored()).toEqual(['1 a', '2 c'])
  })
})

describe('a database that is busy', () => {
  it('is tried again until it takes the whole batch, once', async () => {
    const { queue, seen, troubles, stored } = world
    for (const _ of upTo(4)) troubles.push({ moment: 'before', trouble: 'again' })
    let busy = 3
    const news: number[] = []
    const answers = upTo(3).map((n) =>
      queue.write(async (write) => {
        write.afterCommit(() => news.push(n))
        const id = await add(write, `n${n}`)
        if (n === 2 && busy-- > 0) throw new StoreError('again', 'in the middle')
        return id
      }),
    )
    expect(await Promise.all(answers)).toEqual([1, 2, 3])
    expect(await stored()).toEqual(['1 n1', '2 n2', '3 n3'])
    expect(news).toEqual([1, 2, 3])
    expect(seen.transactions).toBe(4)
  })

  it('has failed when it is busy for too long, and takes what comes later', async () => {
    const { queue, troubles, stored } = world
    for (const _ of upTo(1000)) troubles.push({ moment: 'before', trouble: 'again' })
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const writing = ['a', 'b'].map((note) => queue.write((write) => add(write, note)))
    while (troubles.length >= 998) await sleep(5) // until it has tried again
    vi.advanceTimersByTime(60_000)
    for (const one of await Promise.allSettled(writing)) {
      expect(one).toMatchObject({
        reason: { code: 'storage', next: expect.stringMatching(/holds it/) },
      })
    }
    troubles.length = 0
    expect(await queue.write((write) => add(write, 'c'))).toBe(1)
    expect(await stored()).toEqual(['1 c'])
  })
})

describe('a database that fails', () => {
  it.each<[StoreTrouble, RegExp]>([
    ['full', /disk is full/],
    ['locked', /Another process holds it/],
    ['unreadable', /permissions/],
    ['failed', /logged the reason/],
  ])('is told in words and without its own text: %s', async (trouble, words) => {
    const { queue, troubles, stored } = world
    troubles.push({ moment: 'before', trouble })
    const error = await queue.write((write) => add(write, 'a')).catch((reason: unknown) => reason)
    if (!AgentMailError.is(error)) throw error
    expect(error.code).toBe('storage')
    expect(error.text).toMatch(
      /^the database could not be written\nNothing of this call was stored/,
    )
    expect(error.text).toMatch(words)
    expect(error.text).not.toContain('trouble before')
    expect(await stored()).toEqual([])
  })

  it('fails every call of the batch at once when the trouble is everybody’s', async () => {
    const { queue, seen, troubles } = world
    troubles.push({ moment: 'before', trouble: 'full' })
    const outcomes = await Promise.allSettled(
      upTo(10).map((n) => queue.write((write) => add(write, `n${n}`))),
    )
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(seen.transactions).toBe(0)
  })
})
