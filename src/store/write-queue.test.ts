/** The write queue: what waits is written together, and what fails, fails alone. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { at, troubled, upTo } from '../../test/support/store/databases.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { AgentMailError } from '../errors.ts'
import type { Write } from './batch.ts'
import { openSqlite } from './sqlite.ts'
import { integer, type Store, StoreError, type StoreTrouble, text } from './store.ts'
import { WriteQueue } from './write-queue.ts'

/** A real database with a table of notes, and what the queue does to it. */
async function open() {
  const plain = await openSqlite(join(temporaryFolder(), 'queue.db'))
  onTestFinished(() => plain.close())
  const tables = [
    'CREATE TABLE notes (id BIGINT NOT NULL, note TEXT NOT NULL, PRIMARY KEY (id))',
    'CREATE TABLE counters (last BIGINT NOT NULL)',
    'INSERT INTO counters (last) VALUES (0)',
  ]
  await plain.define(tables, async () => {})
  const seen = { transactions: 0, statements: [] as string[] }
  const troubles: { moment: 'before' | 'after'; trouble: StoreTrouble }[] = []
  const counting: Store = {
    engine: plain.engine,
    all: (sql, ...values) => plain.all(sql, ...values),
    transaction: (work) => {
      seen.transactions++
      return plain.transaction((transaction) =>
        work({
          all: (sql, ...values) => transaction.all(sql, ...values),
          run: (sql, ...values) => {
            seen.statements.push(sql)
            return transaction.run(sql, ...values)
          },
        }),
      )
    },
    define: (statements, record) => plain.define(statements, record),
    close: () => plain.close(),
  }
  const store = troubled((moment) =>
    troubles[0]?.moment === moment ? troubles.shift()?.trouble : undefined,
  )(counting)
  const queue = new WriteQueue(store)
  const stored = async () => {
    const rows = await plain.all('SELECT id, note FROM notes ORDER BY id')
    return rows.map((row) => `${integer(row.id)} ${text(row.note)}`)
  }
  return { queue, store: plain, seen, troubles, stored }
}

/** Adds a note under the next number, as messages get their ids. */
async function add(write: Write, note: string): Promise<number> {
  const counter = await write.shared('counter', async () => {
    const [row] = await write.all('SELECT last FROM counters')
    const value = { last: integer(row?.last) }
    const save = async (transaction: Pick<Write, 'run'>) => {
      await transaction.run('UPDATE counters SET last = ?', value.last)
    }
    return { value, save }
  })
  const id = ++counter.last
  write.append('notes', { id, note })
  return id
}

const failing = (error: Error) => () => Promise.reject(error)

let world: Awaited<ReturnType<typeof open>>
beforeEach(async () => {
  world = await open()
})

describe('calls of one turn', () => {
  it('share one transaction and one insert, and get their answers in order', async () => {
    const { queue, seen, stored } = world
    const answers = await Promise.all(
      upTo(50).map((n) => queue.write((write) => add(write, `n${n}`))),
    )
    expect(answers).toEqual(upTo(50))
    expect(await stored()).toEqual(upTo(50).map((n) => `${n} n${n}`))
    expect(seen.transactions).toBe(1)
    expect(seen.statements.filter((sql) => sql.startsWith('INSERT'))).toHaveLength(1)
  })

  it('have a transaction each when they come one after the other (control)', async () => {
    const { queue, seen } = world
    for (const n of upTo(5)) await queue.write((write) => add(write, `n${n}`))
    expect(seen.transactions).toBe(5)
  })

  it('are spread over several transactions when they are too many for one, in their order', async () => {
    const { queue, seen, stored } = world
    const order: number[] = []
    await Promise.all(
      upTo(300).map((n) =>
        queue.write((write) => add(write, `n${n}`)).then((id) => order.push(id)),
      ),
    )
    expect(order).toEqual(upTo(300))
    expect(await stored()).toHaveLength(300)
    expect(seen.transactions).toBe(3)
  })

  it('wait together while another transaction is written', async () => {
    const { queue, seen } = world
    const first = queue.write(() => sleep(50))
    await sleep(10)
    const others = upTo(10).map((n) => queue.write((write) => add(write, `n${n}`)))
    await Promise.all([first, ...others])
    expect(seen.transactions).toBe(2)
  })

  it('see what those before them wrote, be it inserted already or not', async () => {
    const { queue } = world
    const count = async (write: Write) =>
      integer((await write.all('SELECT COUNT(*) AS notes FROM notes'))[0]?.notes)
    const work = [add, add].map((one) => queue.write((write) => one(write, 'x')))
    const counted = queue.write(count)
    const removed = queue.write((write) => write.run('DELETE FROM notes WHERE id = 1'))
    const after = queue.write(count)
    await Promise.all(work)
    expect([await counted, await removed, await after]).toEqual([2, 1, 1])
  })
})

describe('an answer', () => {
  it('comes after the commit, and so do the news of it', async () => {
    const { queue, stored } = world
    const heard: string[] = []
    let storedByThen: Promise<string[]> | undefined
    let mayEnd = () => {}
    const held = new Promise<void>((resolve) => {
      mayEnd = resolve
    })
    const first = queue.write(async (write) => {
      write.afterCommit(() => {
        heard.push('news')
        storedByThen = stored()
      })
      return add(write, 'first')
    })
    const second = queue.write(() => held)
    void first.then(() => heard.push('answer'))
    await sleep(30)
    expect([heard, await stored()]).toEqual([[], []])
    mayEnd()
    await Promise.all([first, second])
    expect(heard.toSorted()).toEqual(['answer', 'news'])
    expect(await storedByThen).toEqual(['1 first'])
  })

  it('is not changed, and nothing is written twice, by news that fail', async () => {
    const { queue, stored } = world
    const writing = ['a', 'b'].map((note) =>
      queue.write(async (write) => {
        write.afterCommit(() => {
          if (note === 'a') throw new Error('nobody listens')
        })
        return add(write, note)
      }),
    )
    expect(await Promise.allSettled(writing)).toMatchObject([{ value: 1 }, { value: 2 }])
    expect(await stored()).toEqual(['1 a', '2 b'])
  })
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
    await sleep(50)
    vi.advanceTimersByTime(60_000)
    for (const one of await Promise.allSettled(writing)) {
      expect(one).toMatchObject({
        reason: { code: 'storage', next: expect.stringMatching(/holds it/) },
      })
    }
    expect(troubles.length).toBeLessThan(999)
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

describe('drained', () => {
  it('is settled at once when nothing waits, else when everything is done that was asked for', async () => {
    const { queue, stored } = world
    await queue.drained()
    const later: Promise<number>[] = []
    const first = queue.write(async (write) => {
      write.afterCommit(() => later.push(queue.write((next) => add(next, 'later'))))
      return add(write, 'first')
    })
    const refused = queue.write(failing(new Error('refused'))).catch(() => 'refused')
    await queue.drained()
    expect(await stored()).toEqual(['1 first', '2 later'])
    expect([await first, await at(later, 0), await refused]).toEqual([1, 2, 'refused'])
    await queue.drained()
  })
})
